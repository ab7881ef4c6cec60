"""The most probable heads of words, and how probable they are."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

N_HEADS = 4


class HeadDistributions(NamedTuple):
    """The most probable heads of each word.

    Attributes:
        heads: int32 [n_words, N_HEADS], most probable first, 0 for the root.
        probabilities: float32 [n_words, N_HEADS], 0 where there are fewer heads.
    """

    heads: NDArray[np.int32]
    probabilities: NDArray[np.float32]

    @classmethod
    def unknown(cls, n_words: int) -> HeadDistributions:
        """Those of words of whose heads nothing is known.

        Args:
            n_words: Their number.
        """
        shape = n_words, N_HEADS
        return cls(np.zeros(shape, dtype=np.int32), np.zeros(shape, dtype=np.float32))

    def select(self, words: slice) -> HeadDistributions:
        """Keep only those of some words.

        Args:
            words: Their places.
        """
        return HeadDistributions(self.heads[words], self.probabilities[words])


def most_probable_heads(probabilities: NDArray[np.float32]) -> HeadDistributions:
    """Find the heads that are most probable.

    Args:
        probabilities: [n_words, size], of each head of each word, the root being the first.

    Returns:
        These heads.
    """
    n_words, size = probabilities.shape
    n_heads = min(size, N_HEADS)
    heads = np.argsort(-probabilities, axis=1, kind="stable")[:, :n_heads]
    sorted_ = np.take_along_axis(probabilities, heads, axis=1)
    found = HeadDistributions.unknown(n_words)
    # Padding has none.
    found.heads[:, :n_heads] = np.where(sorted_ > 0, heads, 0)
    found.probabilities[:, :n_heads] = sorted_
    return found
