"""Maximum spanning trees (Chu and Liu 1965; Edmonds 1967)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from ufal.chu_liu_edmonds import chu_liu_edmonds

# Scores below count as this one, which is as good as impossible.
_LOWEST = -1e6


def decode_spanning_trees(
    arcs: NDArray[np.floating], lengths: NDArray[np.int32]
) -> NDArray[np.int32]:
    """The single-rooted trees of highest score; some tree whatever the scores are.

    So much is taken from the scores of all arcs from the root that a tree with one of them is
    better than any with two.

    arcs: float [sentences, size, size], the score of each arc: arcs[s, d, h] of word d of
        sentence s to head h. The size exceeds the length of the longest sentence.
    lengths: [sentences] number of words of each sentence.

    Returns the head of each word in its sentence: int32 [words], 0 for the root.
    """
    trees = [np.empty(0, dtype=np.int32)]
    for scores, n in zip(arcs, lengths.tolist(), strict=True):
        scores = scores[: n + 1, : n + 1].astype(np.float64)
        scores = np.nan_to_num(scores, nan=_LOWEST).clip(_LOWEST, -_LOWEST)
        scores[:, 0] -= (n + 2) * (1.0 + scores.max() - scores.min())
        np.fill_diagonal(scores, np.nan)
        heads, _ = chu_liu_edmonds(scores)
        trees.append(np.array(heads[1:], dtype=np.int32))
    return np.concatenate(trees)
