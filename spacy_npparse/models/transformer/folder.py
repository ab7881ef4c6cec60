"""A pretrained encoder as Hugging Face has it: a folder with configuration, pieces and weights.

Nothing in it is run or unpickled, and nothing is downloaded.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from spacy_npparse.checks import MOST, MOST_ROWS
from spacy_npparse.errors import UserError
from spacy_npparse.extras import optional_module
from spacy_npparse.models.transformer.encoder_net import EncoderNet
from spacy_npparse.models.transformer.pieces import Pieces

CONFIG, PIECES, WEIGHTS = "config.json", "tokenizer.json", "model.safetensors"
# By model_type: whether the positions of a text come after that of padding.
_FAMILIES = {"bert": False, "roberta": True, "xlm-roberta": True, "camembert": True}
# Names in config.json, and the largest values.
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
# What the architecture has whose name is not in the file.
_FIXED = {
    "hidden_act": "gelu",
    "position_embedding_type": "absolute",
    "is_decoder": False,
    "add_cross_attention": False,
}
_FEWEST_POSITIONS = 16
_MOST_POSITIONS = 512
_WORDS = "embeddings.word_embeddings"
_SAVE = (
    'Where it is trusted and transformers is installed: python -c "from transformers import '
    "AutoModel, AutoTokenizer; AutoModel.from_pretrained('{0}').save_pretrained('NEW'); "
    "AutoTokenizer.from_pretrained('{0}').save_pretrained('NEW')\""
)


class EncoderFolderError(UserError, ValueError):
    """A folder has no encoder that can be read; the message names it, the reason and the remedy."""


@dataclass(frozen=True)
class EncoderFolder:
    """The folder of a pretrained encoder, whose configuration has been checked.

    Attributes:
        path: Of the folder.
        config: The contents of config.json.
    """

    path: Path
    config: dict[str, Any]

    @classmethod
    def open(cls, path: str | Path) -> EncoderFolder:
        """Read the configuration.

        Args:
            path: Of the folder.

        Returns:
            The folder.

        Raises:
            EncoderFolderError: If files are missing, or if it is no encoder of a family that can
                be read.
        """
        folder = cls(Path(path), {})
        for name in (CONFIG, PIECES, WEIGHTS):
            if not (folder.path / name).is_file():
                raise folder.error(f"there is no {name}", _remedy(folder.path, name))
        try:
            config = json.loads((folder.path / CONFIG).read_text(encoding="utf8"))
        except ValueError as error:
            raise folder.error(f"{CONFIG} is no JSON: {error}", "Copy it again.") from None
        folder = cls(folder.path, config if isinstance(config, dict) else {})
        folder.check()
        return folder

    @property
    def depth(self) -> int:
        """Number of layers."""
        return int(self.config["num_hidden_layers"])

    @property
    def first_position(self) -> int:
        """Positions before the first one of a text."""
        is_after_padding = _FAMILIES[self.config["model_type"]]
        return self.config["pad_token_id"] + 1 if is_after_padding else 0

    @property
    def n_positions(self) -> int:
        """Positions of the longest sequence that is read at once."""
        return min(self.config["max_position_embeddings"] - self.first_position, _MOST_POSITIONS)

    def check(self) -> None:
        """Check the configuration.

        Raises:
            EncoderFolderError: If it is none of an encoder that can be read.
        """
        family = self.config.get("model_type")
        if family not in _FAMILIES:
            raise self.error(
                f"its model_type is {family!r}, and not one of: {', '.join(_FAMILIES)}",
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
        if self.config["hidden_size"] % self.config["num_attention_heads"]:
            raise self.error("hidden_size is no multiple of num_attention_heads", "Copy it again.")
        if self.n_positions < _FEWEST_POSITIONS:
            raise self.error(
                f"sequences have {self.n_positions} positions, and need {_FEWEST_POSITIONS}",
                "Give another one.",
            )

    def sizes(self, depth: int) -> dict[str, float]:
        """The arguments of the network.

        Args:
            depth: Layers that are kept.

        Returns:
            See `EncoderNet`.
        """
        return dict(
            hidden=self.config["hidden_size"],
            inner=self.config["intermediate_size"],
            heads=self.config["num_attention_heads"],
            depth=depth,
            n_pieces=self.config["vocab_size"],
            n_positions=self.n_positions,
            epsilon=float(self.config.get("layer_norm_eps", 1e-12)),
        )

    def pieces(self) -> Pieces:
        """Read the pieces.

        Returns:
            What cuts words into them.

        Raises:
            EncoderFolderError: If the file is damaged, does not put one piece at each end, or has
                more pieces than the encoder.
        """
        try:
            found = Pieces((self.path / PIECES).read_text(encoding="utf8"))
            first, last, most = *found.ends, found.n_pieces
        # The library raises nothing more specific.
        except Exception as error:
            raise self.error(f"{PIECES} cannot be used: {error}", "Copy it again.") from None
        known = self.config["vocab_size"]
        if max(first, last, most - 1) >= known:
            raise self.error(f"{PIECES} has {most} pieces, the encoder {known}", "Copy both again.")
        return found

    def load(self, net: EncoderNet) -> None:
        """Read the weights of the layers that a network has.

        Args:
            net: Of `sizes`.

        Raises:
            EncoderFolderError: If weights are missing, damaged, of other shapes than the
                configuration says, or not finite.
        """
        safetensors = optional_module("safetensors")
        try:
            with safetensors.safe_open(self.path / WEIGHTS, framework="pt") as file:
                _Weights(self, file).load(net)
        except safetensors.SafetensorError as error:
            raise self.error(f"{WEIGHTS} is damaged: {error}", "Copy it again.") from None

    def error(self, reason: str, remedy: str) -> EncoderFolderError:
        """The error that says why the folder cannot be used.

        Args:
            reason: Why.
            remedy: What to do.
        """
        return EncoderFolderError(f"{self.path}: no encoder that can be used: {reason}. {remedy}")


def _remedy(path: Path, missing: str) -> str:
    if not path.is_dir():
        return "Give the folder of a pretrained encoder as Hugging Face has it."
    if missing == WEIGHTS and list(path.glob("*.bin")):
        return f"Weights in pickle files are not read. {_SAVE.format(path)}"
    if missing == CONFIG:
        return "Give the folder of a pretrained encoder as Hugging Face has it."
    return _SAVE.format(path)


class _Weights:
    """The weights of an open file. folder: it is in this one."""

    def __init__(self, folder: EncoderFolder, file: Any):
        self._folder = folder
        self._file = file
        # The first versions of BERT have names of their own for the parts of a norm.
        self._keys = {
            key.replace("Norm.gamma", "Norm.weight").replace("Norm.beta", "Norm.bias"): key
            for key in file.keys()
        }
        found = [key for key in self._keys if key.endswith(f"{_WORDS}.weight")]
        self._prefix = found[0].removesuffix(f"{_WORDS}.weight") if found else ""

    def load(self, net: EncoderNet) -> None:
        """Copy the weights to a network."""
        config, first = self._folder.config, self._folder.first_position
        width = config["hidden_size"]
        net.pieces.set_weight(self._read(f"{_WORDS}.weight", config["vocab_size"], width))
        shape = (config["max_position_embeddings"], width)
        positions = self._read("embeddings.position_embeddings.weight", *shape)
        shape = (config["type_vocab_size"], width)
        types = self._read("embeddings.token_type_embeddings.weight", *shape)
        net.positions.copy_(positions[first : first + len(net.positions)] + types[0])
        self._load_norm(net.norm, "embeddings.LayerNorm")
        for number, layer in enumerate(net.layers):
            name = f"encoder.layer.{number}"
            self._load_linear(
                layer.attention_in,
                *(f"{name}.attention.self.{part}" for part in ("query", "key", "value")),
            )
            self._load_linear(layer.attention_out, f"{name}.attention.output.dense")
            self._load_norm(layer.attention_norm, f"{name}.attention.output.LayerNorm")
            self._load_linear(layer.inner, f"{name}.intermediate.dense")
            self._load_linear(layer.outer, f"{name}.output.dense")
            self._load_norm(layer.norm, f"{name}.output.LayerNorm")

    def _load_linear(self, linear: Any, *names: str) -> None:
        """names: of layers that read the same vectors."""
        n_outputs, n_inputs = linear.codes.shape
        rows = n_outputs // len(names)
        weights = [self._read(f"{name}.weight", rows, n_inputs) for name in names]
        linear.set_weight(torch.cat(weights))
        linear.bias.copy_(torch.cat([self._read(f"{name}.bias", rows) for name in names]))

    def _load_norm(self, norm: Any, name: str) -> None:
        norm.weight.copy_(self._read(f"{name}.weight", *norm.weight.shape))
        norm.bias.copy_(self._read(f"{name}.bias", *norm.bias.shape))

    def _read(self, name: str, *shape: int) -> Tensor:
        key = self._keys.get(self._prefix + name)
        if key is None:
            raise self._folder.error(f"{WEIGHTS} has no {name}", "Copy it again.")
        found = tuple(self._file.get_slice(key).get_shape())
        if found != shape:
            raise self._folder.error(
                f"{name} has the shape {found} in {WEIGHTS}, and {shape} after {CONFIG}",
                "Copy both again.",
            )
        weight = self._file.get_tensor(key).float()
        if not weight.isfinite().all():
            raise self._folder.error(f"{name} has values that are not finite", "Copy it again.")
        return weight
