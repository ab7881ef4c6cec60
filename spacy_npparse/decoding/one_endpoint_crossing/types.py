"""Scores and trees of the search for one-endpoint-crossing trees."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class OneEndpointCrossingScores(NamedTuple):
    """Third-order scores; see `one_endpoint_crossing/search.pyx` for which parts a tree has.

    All arrays are float32 [n_sentences, size, size], the last index being the dependent. Node 0 is
    the root. The size exceeds the number of words of the longest sentence.

    Attributes:
        grandparents: By the head of the head.
        heads: Scores of uncrossed arcs, by the head.
        siblings: By the adjacent sibling, 0 for none.
        crossed: Scores of crossed arcs, by the head.
    """

    grandparents: NDArray[np.float32]
    heads: NDArray[np.float32]
    siblings: NDArray[np.float32]
    crossed: NDArray[np.float32]

    @classmethod
    def of_arcs(cls, arcs: NDArray[np.float32]) -> OneEndpointCrossingScores:
        """Scores by the head alone, crossed or not.

        Args:
            arcs: As `heads` in this class.

        Returns:
            The scores.
        """
        zeros = np.zeros_like(arcs)
        return cls(grandparents=zeros, heads=arcs, siblings=zeros, crossed=arcs)


class OneEndpointCrossingTrees(NamedTuple):
    """Trees of a batch of sentences, and the parts that they are scored by.

    Attributes:
        heads: int32 [n_words], as in `GreedyResult`.
        crossed: bool [n_words], whether another arc crosses the arc to each word.
        grandparents: int32 [n_words], the head of the head, -1 where it is not scored.
        siblings: int32 [n_words], the adjacent sibling, 0 for none, -1 where it is not scored.
        scores: float64 [n_sentences], the score of each tree.
    """

    heads: NDArray[np.int32]
    crossed: NDArray[np.bool_]
    grandparents: NDArray[np.int32]
    siblings: NDArray[np.int32]
    scores: NDArray[np.float64]
