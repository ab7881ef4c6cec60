"""Checks of the shapes of scores for exact search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def check_score_shapes(
    scores: Any,
    lengths: NDArray[np.int32],
    special_nodes: Sequence[str],
    n_links: Mapping[str, int] | None = None,
) -> None:
    """Check that the scores for exact search fit the sentences.

    Args:
        scores: The scores, MHScores or OneEndpointCrossingScores.
        lengths: int32 [n_sentences], the number of words of each sentence.
        special_nodes: The names, for the error message, of nodes other than words.
        n_links: The value of n_links, by name, for arrays of shape [n_sentences, n_links, size,
            size].

    Raises:
        ValueError: The shapes do not fit.
    """
    n_links = n_links or {}
    size = scores[0].shape[1]
    shortest, longest = min(lengths, default=0), max(lengths, default=0)
    if len(lengths) and (shortest < 0 or size < longest + len(special_nodes)):
        raise ValueError(
            f"scores of {size} nodes do not fit sentences of {shortest} to {longest} words and "
            f"{' and '.join(special_nodes)}"
        )
    for name, array in scores._asdict().items():
        links = (n_links[name],) if name in n_links else ()
        expected = (len(lengths), *links, size, size)
        if array.shape != expected:
            raise ValueError(
                f"{name} scores have the shape {list(array.shape)}, but should have "
                f"{list(expected)}"
            )


def check_arc_shapes(arcs: NDArray[np.floating], lengths: NDArray[np.int32]) -> None:
    """Check that the scores of arcs fit the sentences.

    Args:
        arcs: float [n_sentences, size, size], the scores, where nodes are the root and the words.
        lengths: int32 [n_sentences], the number of words of each sentence.

    Raises:
        ValueError: The shapes do not fit.
    """
    longest, size = int(lengths.max(initial=0)), arcs.shape[-1]
    if lengths.min(initial=0) < 0:
        raise ValueError("a sentence has a negative number of words")
    if arcs.shape != (len(lengths), size, size) or (len(lengths) and size <= longest):
        raise ValueError(
            f"arc scores {list(arcs.shape)} do not fit {len(lengths)} sentences of up to "
            f"{longest} words and their roots"
        )
