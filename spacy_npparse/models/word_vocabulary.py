"""A vocabulary that an encoder collects during training."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

# The number of occurrences in the treebank at which a word is kept with a probability of one half.
_HALF_KEPT = 2.5


class WordVocabulary(nn.Module):
    """A vocabulary that assigns rows of an embedding table to words at their second occurrence.

    Encoders in a pipeline never see the whole treebank beforehand. A word that occurs for the third
    time may be frequent, or the treebank may be in its third epoch. At least a quarter of all word
    forms occur once in each epoch, so counts are divided by their lower quartile.

    The rows and the occurrences of their words are saved, but not the counts. When training is
    resumed, a word occurs at least as often as it did before.

    Row 0 stands for words without a row, which are unknown, too rare, or occurred when the table
    was full.

    Args:
        n_rows: The size of the table.
    """

    keys: torch.Tensor
    occurrences: torch.Tensor

    def __init__(self, n_rows: int):
        super().__init__()
        self.register_buffer("keys", torch.zeros(n_rows, dtype=torch.int64))
        self.register_buffer("occurrences", torch.zeros(n_rows))
        # The occurrences by row, in the previous training, and as last estimated.
        self._before = np.zeros(n_rows)
        self._last = np.zeros(n_rows)
        self._rows: dict[int, int] | None = None
        self._numbers: dict[int, int] = {}
        self._counts = np.zeros(1024, dtype=np.int64)

    def rows(self, words: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Look up words.

        Args:
            words: uint64 [n], the hashes of words.

        Returns:
            int64 [n], their rows.
        """
        known = self._known_rows()
        return np.array([known.get(key, 0) for key in _keys(words)], dtype=np.int64)

    def count(self, words: NDArray[np.uint64], times: NDArray[np.int64]) -> NDArray[np.float64]:
        """Count the words of a batch, and give rows to those that occur at least twice.

        Args:
            words: uint64 [n], the hashes of different words.
            times: int64 [n], the number of times that each occurs.

        Returns:
            float64 [n], the estimated number of occurrences of each word in the treebank.
        """
        numbers = self._numbers
        index = np.array([numbers.setdefault(k, len(numbers)) for k in _keys(words)])
        while len(numbers) > len(self._counts):
            self._counts = np.concatenate([self._counts, np.zeros_like(self._counts)])
        self._counts[index] += times
        per_pass = max(1.0, float(np.quantile(self._counts[: len(numbers)], 0.25)))
        occurrences = self._counts[index] / per_pass
        self._add_rows(words[occurrences >= 1.5])
        rows = self.rows(words)
        occurrences = np.maximum(occurrences, self._before[rows])
        self._last[rows[rows > 0]] = occurrences[rows > 0]
        return occurrences

    @staticmethod
    def keep_probability(occurrences: NDArray[np.float64]) -> NDArray[np.float64]:
        """Compute the probability of keeping a word in training rather than making it unknown.

        Args:
            occurrences: float64 [n], the occurrences of words in the treebank.

        Returns:
            float64 [n], the probabilities.

        Source: word dropout of Kiperwasser and Goldberg (2016).
        """
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

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        self.occurrences.copy_(torch.from_numpy(self._last))
        super()._save_to_state_dict(destination, prefix, keep_vars)

    def _load_from_state_dict(self, *args: Any, **kwargs: Any) -> None:
        super()._load_from_state_dict(*args, **kwargs)
        self._rows = None
        self._before = self.occurrences.cpu().double().numpy()
        self._last = self._before.copy()


def _keys(words: NDArray[np.uint64]) -> list[int]:
    keys: list[int] = words.astype(np.int64).tolist()
    return keys
