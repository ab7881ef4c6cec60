"""Maximum spanning trees (Chu and Liu 1965; Edmonds 1967)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from ufal.chu_liu_edmonds import chu_liu_edmonds

from spacy_npparse.decoding.score_range import SCORE_LIMIT


def decode_spanning_trees(
    arcs: NDArray[np.floating], lengths: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Find the single-rooted tree of highest score of each sentence.

    All arcs from the root are lowered by so much that every tree with one of them beats every tree
    with two. This needs scores of limited range: they are clamped to plus or minus `SCORE_LIMIT`,
    and NaN and impossible arcs count as the least. So a tree is found whatever the scores are.

    Args:
        arcs: float [n_sentences, size, size], arc scores: arcs[s, d, h] is the score of the arc
            from head h to word d of sentence s. The size exceeds the length of the longest
            sentence.
        lengths: int32 [n_sentences], the number of words of each sentence.

    Returns:
        int32 [n_words], the head of each word in its sentence, 0 for the root.
    """
    trees = [np.empty(0, dtype=np.int32)]
    for scores, n in zip(arcs, lengths.tolist(), strict=True):
        scores = scores[: n + 1, : n + 1].astype(np.float64)
        scores = np.nan_to_num(scores, nan=-SCORE_LIMIT).clip(-SCORE_LIMIT, SCORE_LIMIT)
        scores[:, 0] -= (n + 2) * (1.0 + scores.max() - scores.min())
        np.fill_diagonal(scores, np.nan)
        heads, _ = chu_liu_edmonds(scores)
        trees.append(np.array(heads[1:], dtype=np.int32))
    return np.concatenate(trees)
