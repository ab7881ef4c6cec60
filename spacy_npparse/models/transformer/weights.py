"""The weights of a pretrained encoder, read from a file in the format safetensors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from spacy_npparse.extras import optional_module
from spacy_npparse.files import checksum
from spacy_npparse.models.transformer.encoder_net import EncoderNet
from spacy_npparse.models.transformer.folder import WEIGHTS, EncoderFolder, EncoderFolderError
from spacy_npparse.models.transformer.frozen import FrozenLinear
from spacy_npparse.models.transformer.net import TransformerNet

_PIECES = "embeddings.word_embeddings.weight"
_POSITIONS = "embeddings.position_embeddings.weight"
_TYPES = "embeddings.token_type_embeddings.weight"
_NORM = "embeddings.LayerNorm"
# The linear layers of self-attention.
_READ = ("attention.self.query", "attention.self.key", "attention.self.value")
_ATTENDED, _ATTENDED_NORM = "attention.output.dense", "attention.output.LayerNorm"
_INNER, _OUTER, _LAYER_NORM = "intermediate.dense", "output.dense", "output.LayerNorm"


class EncoderWeights:
    """The weights of an encoder's lower layers.

    Args:
        folder: The folder of the encoder.
        depth: The number of layers to read.

    Raises:
        EncoderFolderError: Weights are missing, damaged, or of another shape than the configuration
            says, for which there may be no memory.
    """

    def __init__(self, folder: EncoderFolder, depth: int):
        self._folder = folder
        self._shapes = dict(_shapes(folder.config, depth))
        self.sizes: dict[str, float] = dict(
            hidden=folder.config["hidden_size"],
            inner=folder.config["intermediate_size"],
            heads=folder.config["num_attention_heads"],
            depth=depth,
            n_positions=folder.n_positions,
            epsilon=folder.config["layer_norm_eps"],
        )
        with self._open() as file:
            self._keys = _keys(file)
            for name, shape in self._shapes.items():
                if name not in self._keys:
                    raise folder.error(f"{WEIGHTS} has no {name}", "Copy it again.")
                found = tuple(file.get_slice(self._keys[name]).get_shape())
                if found != shape:
                    raise folder.error(
                        f"{name} has the shape {found} in {WEIGHTS}, but {shape} according to "
                        "its configuration",
                        "Copy both again.",
                    )

    def load(
        self, net: EncoderNet, pieces: NDArray[np.int64], *, tuned_layers: bool = True
    ) -> None:
        """Copy the weights to a network.

        Args:
            net: A network with the sizes of these weights.
            pieces: int64 [n_pieces], the numbers of the network's pieces in the file.
            tuned_layers: Whether those of tuned layers are copied, too.

        Raises:
            EncoderFolderError: The weights are damaged or not finite.
        """
        first = self._folder.first_position
        with torch.no_grad(), self._open() as file:
            read = {name: self._read(file, name) for name in (_PIECES, _POSITIONS, _TYPES)}
            net.pieces.set_weight(read[_PIECES][torch.from_numpy(pieces)])
            positions = read[_POSITIONS][first : first + len(net.positions)]
            net.positions.copy_(positions + read[_TYPES][0])
            self._load_norm(file, net.norm, _NORM)
            layers = net.layers if tuned_layers else net.layers[: net.n_frozen]
            for number, layer in enumerate(layers):
                start = f"encoder.layer.{number}."
                self._load_linear(file, layer.attention_in, *(start + part for part in _READ))
                self._load_linear(file, layer.attention_out, start + _ATTENDED)
                self._load_norm(file, layer.attention_norm, start + _ATTENDED_NORM)
                self._load_linear(file, layer.inner, start + _INNER)
                self._load_linear(file, layer.outer, start + _OUTER)
                self._load_norm(file, layer.norm, start + _LAYER_NORM)

    def note_checksum(self, net: EncoderNet) -> None:
        """Note the checksum of the file in a network that is saved without its weights.

        Args:
            net: The network.
        """
        found = bytes.fromhex(checksum(self._folder.path / WEIGHTS))
        net.checksum.copy_(torch.tensor([*found]))

    @contextmanager
    def _open(self) -> Iterator[Any]:
        safetensors = optional_module("safetensors")
        try:
            with safetensors.safe_open(self._folder.path / WEIGHTS, framework="pt") as file:
                yield file
        except safetensors.SafetensorError as error:
            raise self._folder.error(f"{WEIGHTS} is damaged: {error}", "Copy it again.") from None

    def _load_linear(self, file: Any, linear: Any, *names: str) -> None:
        """Load the joint weights of linear layers that read the same vectors. names: of these
        layers."""
        weights, biases = (
            torch.cat([self._read(file, f"{name}.{part}") for name in names])
            for part in ("weight", "bias")
        )
        if isinstance(linear, FrozenLinear):
            linear.set_weight(weights)
        else:
            linear.weight.copy_(weights)
        linear.bias.copy_(biases)

    def _load_norm(self, file: Any, norm: Any, name: str) -> None:
        norm.weight.copy_(self._read(file, f"{name}.weight"))
        norm.bias.copy_(self._read(file, f"{name}.bias"))

    def _read(self, file: Any, name: str) -> Tensor:
        weight: Tensor = file.get_tensor(self._keys[name]).float()
        if not weight.isfinite().all():
            raise self._folder.error(f"{name} has values that are not finite", "Copy it again.")
        return weight


def read_frozen(net: TransformerNet, *, folder: str | None) -> None:
    """Read the frozen weights that a loaded network was saved without.

    Args:
        net: The network.
        folder: The folder of the encoder.

    Raises:
        EncoderFolderError: The folder does not have the weights that the network was trained with.
    """
    encoder = net.encoder
    if encoder.is_saved:
        return
    path = Path(folder or "") / WEIGHTS
    expected = bytes(encoder.checksum.tolist()).hex()
    found = checksum(path) if path.is_file() else None
    if found != expected:
        raise EncoderFolderError(
            f"{path}: the pipeline was trained with an encoder whose {WEIGHTS} has the SHA-256 "
            f"checksum {expected}, but this file {f'has {found}' if found else 'does not exist'}. "
            "Give the folder of that encoder, in the section of spacy_npparse.Transformer.v1 in "
            "config.cfg of the pipeline, or as in spacy.load(PIPELINE, "
            "config={'components.tok2vec.model.transformer.folder': FOLDER})."
        )
    weights = EncoderWeights(EncoderFolder.open(path.parent), len(encoder.layers))
    weights.load(encoder, np.arange(len(encoder.pieces.codes)), tuned_layers=False)


def _shapes(config: dict[str, Any], depth: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    """List the names and shapes of the weights."""
    hidden, inner = config["hidden_size"], config["intermediate_size"]
    yield _PIECES, (config["vocab_size"], hidden)
    yield _POSITIONS, (config["max_position_embeddings"], hidden)
    yield _TYPES, (config["type_vocab_size"], hidden)
    linear = {part: (hidden, hidden) for part in (*_READ, _ATTENDED)}
    linear |= {_INNER: (inner, hidden), _OUTER: (hidden, inner)}
    norms = [_NORM]
    for number in range(depth):
        start = f"encoder.layer.{number}."
        for part, shape in linear.items():
            yield f"{start}{part}.weight", shape
            yield f"{start}{part}.bias", shape[:1]
        norms += [start + _ATTENDED_NORM, start + _LAYER_NORM]
    for name in norms:
        yield f"{name}.weight", (hidden,)
        yield f"{name}.bias", (hidden,)


def _keys(file: Any) -> dict[str, str]:
    """Map the names of weights in an encoder to those in a file. Files of models for a task have a
    prefix, and those of the first versions of BERT have other names for the parts of a norm."""
    renamed = {
        key.replace("Norm.gamma", "Norm.weight").replace("Norm.beta", "Norm.bias"): key
        for key in file.keys()
    }
    prefixes = [key.removesuffix(_PIECES) for key in renamed if key.endswith(_PIECES)]
    prefix = min(prefixes, key=len, default="")
    return {key.removeprefix(prefix): name for key, name in renamed.items()}
