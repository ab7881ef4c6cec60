"""Scores and trees of the search for one-endpoint-crossing trees."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class OneEndpointCrossingScores(NamedTuple):
    """Third-order scores of the parts of a tree; see `one_endpoint_crossing/search.pyx`.

    All arrays are float32 [n_sentences, size, size], with the dependent in the last dimension. Node
    0 is the root. The size exceeds the number of words of the longest sentence.

    Attributes:
        grandparents: The scores by the head of the head.
        heads: The scores of uncrossed arcs by the head.
        siblings: The scores by the adjacent sibling, 0 for none.
        crossed: The scores of crossed arcs by the head.
    """

    grandparents: NDArray[np.float32]
    heads: NDArray[np.float32]
    siblings: NDArray[np.float32]
    crossed: NDArray[np.float32]

    @classmethod
    def of_arcs(cls, arcs: NDArray[np.float32]) -> OneEndpointCrossingScores:
        """Make scores by the head alone, crossed or not.

        Args:
            arcs: float32 [n_sentences, size, size], the scores of arcs by head and dependent.

        Returns:
            The scores.
        """
        zeros = np.zeros_like(arcs)
        return cls(grandparents=zeros, heads=arcs, siblings=zeros, crossed=arcs)


class OneEndpointCrossingTrees(NamedTuple):
    """The trees of a batch of sentences, and the parts by which they are scored.

    Attributes:
        heads: int32 [n_words], the head of each word in its sentence, 0 for the root.
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
