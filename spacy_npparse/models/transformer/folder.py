"""The folder of a pretrained encoder in the format of Hugging Face: configuration, pieces and
weights.

Nothing in the folder is executed or unpickled, and nothing is downloaded.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spacy_npparse.checks import MOST, MOST_ROWS
from spacy_npparse.errors import UserError
from spacy_npparse.models.transformer.pieces import Pieces

CONFIG, PIECES, WEIGHTS = "config.json", "tokenizer.json", "model.safetensors"
# The model types, and whether the positions of a text start after that of padding.
_FAMILIES = {"bert": False, "roberta": True, "xlm-roberta": True, "camembert": True}
# The names of sizes in config.json, and their maximum values.
_SIZES = {
    "hidden_size": MOST,
    "intermediate_size": MOST,
    "num_attention_heads": MOST,
    "num_hidden_layers": 1000,
    "vocab_size": MOST_ROWS,
    "max_position_embeddings": MOST,
    "type_vocab_size": MOST,
    "pad_token_id": MOST_ROWS,
}
_DEFAULTS = {"pad_token_id": 1, "type_vocab_size": 2}
# The settings of the architecture that a file need not contain.
_FIXED = {
    "hidden_act": "gelu",
    "position_embedding_type": "absolute",
    "is_decoder": False,
    "add_cross_attention": False,
}
_FEWEST_POSITIONS = 16
_MOST_POSITIONS = 512
_SAVE = (
    'Where it is trusted and transformers is installed: python -c "from transformers import '
    "AutoModel, AutoTokenizer; AutoModel.from_pretrained('{0}').save_pretrained('NEW'); "
    "AutoTokenizer.from_pretrained('{0}').save_pretrained('NEW')\""
)


class EncoderFolderError(UserError, ValueError):
    """A folder without a readable encoder. The message names the folder, the reason and the
    remedy."""


@dataclass(frozen=True)
class EncoderFolder:
    """The folder of a pretrained encoder, whose configuration has been checked.

    Attributes:
        path: The path of the folder.
        config: The content of config.json.
    """

    path: Path
    config: dict[str, Any]

    @classmethod
    def open(cls, path: str | Path) -> EncoderFolder:
        """Read the configuration.

        Args:
            path: The path of the folder.

        Returns:
            The folder.

        Raises:
            EncoderFolderError: Files are missing, or the encoder belongs to an unsupported family.
        """
        folder = cls(Path(path), {})
        for name in (CONFIG, PIECES, WEIGHTS):
            if not (folder.path / name).is_file():
                raise folder.error(f"there is no {name}", _remedy(folder.path, name))
        try:
            config = json.loads((folder.path / CONFIG).read_text(encoding="utf8"))
        except (ValueError, RecursionError) as error:
            raise folder.error(f"{CONFIG} is not JSON: {error}", "Copy it again.") from None
        folder = cls(folder.path, config if isinstance(config, dict) else {})
        folder.check()
        return folder

    @property
    def depth(self) -> int:
        """The number of layers."""
        return int(self.config["num_hidden_layers"])

    @property
    def first_position(self) -> int:
        """The number of positions before the first one of a text."""
        is_after_padding = _FAMILIES[self.config["model_type"]]
        return self.config["pad_token_id"] + 1 if is_after_padding else 0

    @property
    def n_positions(self) -> int:
        """The maximum number of positions in a sequence."""
        return min(self.config["max_position_embeddings"] - self.first_position, _MOST_POSITIONS)

    def check(self) -> None:
        """Check the configuration.

        Raises:
            EncoderFolderError: The encoder is not supported.
        """
        family = self.config.get("model_type")
        if not isinstance(family, str) or family not in _FAMILIES:
            raise self.error(
                f"model_type is {family!r} in {CONFIG}, and not one of: {', '.join(_FAMILIES)}",
                "Encoders of other families can be used through spacy-transformers: see "
                "configs/transformer.cfg.",
            )
        for name, most in _SIZES.items():
            value = self.config.setdefault(name, _DEFAULTS.get(name))
            least = 0 if name == "pad_token_id" else 1
            if type(value) is not int or not least <= value <= most:
                raise self.error(f"{name} is {value!r} in {CONFIG}", "Copy it again.")
        for name, expected in _FIXED.items():
            value = self.config.get(name, expected)
            if value != expected:
                raise self.error(f"{name} is {value!r}, and not {expected!r}", "Give another one.")
        epsilon = self.config.setdefault("layer_norm_eps", 1e-12)
        if not isinstance(epsilon, float) or not 0 < epsilon < 1:
            raise self.error(f"layer_norm_eps is {epsilon!r} in {CONFIG}", "Copy it again.")
        if self.config["hidden_size"] % self.config["num_attention_heads"]:
            raise self.error(
                "hidden_size is not a multiple of num_attention_heads", "Copy it again."
            )
        if self.n_positions < _FEWEST_POSITIONS:
            raise self.error(
                f"sequences have {self.n_positions} positions, and need {_FEWEST_POSITIONS}",
                "Give another one.",
            )

    def pieces(self) -> Pieces:
        """Read the pieces.

        Returns:
            The tokenizer that cuts words into pieces.

        Raises:
            EncoderFolderError: The file is damaged, does not put one piece at each end, or has more
                pieces than the encoder.
        """
        try:
            found = Pieces((self.path / PIECES).read_text(encoding="utf8"))
            first, last, most = *found.ends, found.n_pieces
        # The library raises no specific exceptions.
        except Exception as error:
            raise self.error(f"{PIECES} cannot be used: {error}", "Copy it again.") from None
        known = self.config["vocab_size"]
        if max(first, last, most - 1) >= known:
            raise self.error(f"{PIECES} has {most} pieces, the encoder {known}", "Copy both again.")
        return found

    def error(self, reason: str, remedy: str) -> EncoderFolderError:
        """Make an error that says why the folder cannot be used.

        Args:
            reason: The reason.
            remedy: The remedy.
        """
        return EncoderFolderError(f"{self.path}: no encoder that can be used: {reason}. {remedy}")


def _remedy(path: Path, missing: str) -> str:
    if not path.is_dir() or missing == CONFIG:
        return "Give the folder of a pretrained encoder as Hugging Face has it."
    if missing == WEIGHTS and list(path.glob("*.bin")):
        return f"Weights in pickle files are not read. {_SAVE.format(path)}"
    return _SAVE.format(path)


def check_encoder(path: str | Path) -> None:
    """Check that a folder has a usable pretrained encoder, without reading its weights.

    Args:
        path: The path of the folder.

    Raises:
        EncoderFolderError: The folder has no usable encoder.
    """
    EncoderFolder.open(path).pieces()
