"""Segmentation of a text into tokens."""

from __future__ import annotations

from collections.abc import Iterable
from math import log
from typing import Any
from unicodedata import category, normalize

import numpy as np
from numpy.typing import NDArray

from spacy_npparse.tokenization.boundaries import BoundaryNetwork
from spacy_npparse.tokenization.udpipe_model import TokenizerModel, read_model

_N_CHARACTERS = 0x110000
# Stands for characters that cannot be written as UTF-8.
_UNREADABLE = "\ufffd"
_ALIKE = {"\u3001": ",", "\u3002": "."}
# Rows of the network: white space, characters that resemble none of the treebank, and those of the
# treebank. Row 0 marks characters whose row has not been looked up yet.
_SPACE, _UNLIKE, _FIRST = 1, 2, 3


class Segmenter:
    """A loaded model that segments texts.

    Args:
        model: The model in UDPipe's format.
        no_addresses: Strings in lower case that look like addresses but are not.

    Raises:
        ValueError: The model is damaged.
    """

    def __init__(self, model: bytes, no_addresses: Iterable[str] = ()) -> None:
        loaded = read_model(model)
        self._substitutes = loaded.substitutes
        self._row_of = {char: row for row, char in enumerate(loaded.embeddings, _FIRST)}
        # Rows by code point. The system allocates memory only where it is used.
        self._rows = np.zeros(_N_CHARACTERS, dtype=np.int32)
        space = self._similar_row(" ")
        self._network = _network(loaded, space, frozenset(no_addresses))

    def __call__(self, text: str) -> NDArray[np.int32]:
        """Segment a text.

        Args:
            text: The text.

        Returns:
            int32 [n_tokens, 2], the start and the end (exclusive) of each token. Together, the
            tokens contain all characters that are not white space.
        """
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
        rows = self._rows[codes]
        if not rows.all():
            for char in {*text}:
                self._rows[ord(char)] = _SPACE if char.isspace() else self._similar_row(char)
            rows = self._rows[codes]
        return self._network.tokens(text, codes, rows)

    def _similar_row(self, char: str) -> int:
        """Find the row of a character or of the most similar known one: a part that it is composed
        of, or the most frequent one of its category."""
        if char == "\0" or category(char) == "Cs":
            char = _UNREADABLE
        first = normalize("NFKD", char)[0]
        for similar in (char, _ALIKE.get(first, first), self._substitutes.get(category(char))):
            if similar in self._row_of:
                return self._row_of[similar]
        return _UNLIKE


def _network(model: TokenizerModel, space: int, no_addresses: frozenset[str]) -> BoundaryNetwork:
    """Make the network of a model. space: the row of white space among those of characters."""
    n_rows = _FIRST + len(model.embeddings)
    size = model.forward.input_bias.shape[1]
    embeddings = np.zeros((n_rows, size))
    embeddings[_FIRST:] = list(model.embeddings.values())
    embeddings[_SPACE] = embeddings[space]
    directions = (model.forward, model.backward)
    # The update gate, the reset gate and the candidate state; see gru.h.
    scales = np.array([-1, -1, -2])[:, None, None] / log(2)
    inputs, states = np.empty((n_rows, 2, 3, size)), np.empty((2, 3, size, size))
    outputs = np.zeros((2, size, 4))
    for number, direction in enumerate(directions):
        weights = direction.input_weights.astype(np.float64)[::-1] * scales
        bias = direction.input_bias[::-1] * scales[:, 0]
        inputs[:, number] = np.einsum("rk,gjk->rgj", embeddings, weights) + bias
        states[number] = (direction.state_weights[::-1] * scales).swapaxes(1, 2)
        outputs[number, :, :3] = direction.output_weights.T
    return BoundaryNetwork(
        _floats(inputs),
        _floats(states[:, :2].swapaxes(1, 2)),
        _floats(states[:, 2]),
        _floats(outputs),
        _floats(np.append(model.forward.output_bias, 0)),
        model.window,
        model.allow_spaces,
        no_addresses,
    )


def _floats(array: NDArray[Any]) -> NDArray[np.float32]:
    return np.ascontiguousarray(array, dtype=np.float32)
