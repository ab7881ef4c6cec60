"""The most probable heads of words, with their probabilities."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

N_HEADS = 4


class HeadDistributions(NamedTuple):
    """The most probable heads of each word.

    Attributes:
        heads: int32 [n_words, N_HEADS], the heads, most probable first, 0 for the root.
        probabilities: float32 [n_words, N_HEADS], the probabilities of these heads, 0 where there
            are fewer.
    """

    heads: NDArray[np.int32]
    probabilities: NDArray[np.float32]

    @classmethod
    def unknown(cls, n_words: int) -> HeadDistributions:
        """Make the distributions of words whose heads are unknown.

        Args:
            n_words: The number of words.
        """
        shape = n_words, N_HEADS
        return cls(np.zeros(shape, dtype=np.int32), np.zeros(shape, dtype=np.float32))

    def select(self, words: slice) -> HeadDistributions:
        """Select the distributions of some words.

        Args:
            words: The indices of the words.
        """
        return HeadDistributions(self.heads[words], self.probabilities[words])


def most_probable_heads(probabilities: NDArray[np.float32]) -> HeadDistributions:
    """Find the most probable heads.

    Args:
        probabilities: float32 [n_words, size], the probability of each head of each word, with the
            root first.

    Returns:
        The most probable heads.
    """
    n_words, size = probabilities.shape
    n_heads = min(size, N_HEADS)
    heads = np.argsort(-probabilities, axis=1, kind="stable")[:, :n_heads]
    sorted_ = np.take_along_axis(probabilities, heads, axis=1)
    found = HeadDistributions.unknown(n_words)
    # Padding has no head.
    found.heads[:, :n_heads] = np.where(sorted_ > 0, heads, 0)
    found.probabilities[:, :n_heads] = sorted_
    return found
