"""A vocabulary that an encoder learns from the words that pass by in training."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

# A word that occurs that often in the treebank is kept in half of the cases.
_HALF_KEPT = 2.5


class WordVocabulary(nn.Module):
    """Rows for the words that occur at least twice, given in the order in which they do.

    Encoders inside a pipeline are never shown the whole treebank beforehand, and a word met for
    the third time may be frequent or the treebank read for the third time. What tells them apart
    is that the rarest quarter of all words occurs once per pass: counts are divided by theirs.

    Rows are saved, counts are not: whoever goes on training a saved encoder starts to count anew.

    Row 0 stands for words without a row: unknown, too rare, or met when the table was full.
    """

    keys: torch.Tensor

    def __init__(self, n_rows: int):
        super().__init__()
        self.register_buffer("keys", torch.zeros(n_rows, dtype=torch.int64))
        self._rows: dict[int, int] | None = None
        self._numbers: dict[int, int] = {}
        self._counts = np.zeros(1024, dtype=np.int64)

    def rows(self, words: NDArray[np.uint64]) -> NDArray[np.int64]:
        """The rows of words (hashes, [n])."""
        known = self._known_rows()
        return np.array([known.get(key, 0) for key in _keys(words)], dtype=np.int64)

    def count(self, words: NDArray[np.uint64], times: NDArray[np.int64]) -> NDArray[np.float64]:
        """Count words as seen (hashes [n] of distinct words, and how often each occurs), give rows
        to those that deserve one, and return the estimated number of occurrences of each in the
        treebank: float64 [n]."""
        numbers = self._numbers
        index = np.array([numbers.setdefault(k, len(numbers)) for k in _keys(words)])
        while len(numbers) > len(self._counts):
            self._counts = np.concatenate([self._counts, np.zeros_like(self._counts)])
        self._counts[index] += times
        per_pass = max(1.0, float(np.quantile(self._counts[: len(numbers)], 0.25)))
        occurrences = self._counts[index] / per_pass
        self._add_rows(words[occurrences >= 1.5])
        return occurrences

    @staticmethod
    def keep_probability(occurrences: NDArray[np.float64]) -> NDArray[np.float64]:
        """How often words of some frequency should be kept in training, rather than be treated as
        unknown (Kiperwasser and Goldberg 2016)."""
        return occurrences / (occurrences + _HALF_KEPT)

    def _known_rows(self) -> dict[int, int]:
        if self._rows is None:
            self._rows = {key: row for row, key in enumerate(self.keys.tolist()) if key}
        return self._rows

    def _add_rows(self, words: NDArray[np.uint64]) -> None:
        known = self._known_rows()
        for key in _keys(words):
            row = len(known) + 1
            if key not in known and row < len(self.keys):
                known[key] = row
                self.keys[row] = key

    def _load_from_state_dict(self, state_dict: Mapping[str, Any], *args: Any) -> None:
        super()._load_from_state_dict(state_dict, *args)
        self._rows = None


def _keys(words: NDArray[np.uint64]) -> list[int]:
    keys: list[int] = words.astype(np.int64).tolist()
    return keys
