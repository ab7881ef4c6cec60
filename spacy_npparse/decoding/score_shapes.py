"""Checks that the scores of exact search fit the sentences."""

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
    """Check that the scores of exact search fit the sentences.

    Args:
        scores: MHScores or OneEndpointCrossingScores.
        lengths: [n_sentences], the number of words of each sentence.
        special_nodes: The nodes of a sentence besides its words, named in the error message.
        n_links: For the arrays of shape [n_sentences, n_links, size, size], by name: n_links.

    Raises:
        ValueError: If shapes do not fit.
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
        arcs: [n_sentences, size, size], the nodes being the words and the root.
        lengths: [n_sentences], the number of words of each sentence.

    Raises:
        ValueError: If shapes do not fit.
    """
    longest, size = int(lengths.max(initial=0)), arcs.shape[-1]
    if lengths.min(initial=0) < 0:
        raise ValueError("a sentence has a negative number of words")
    if arcs.shape != (len(lengths), size, size) or (len(lengths) and size <= longest):
        raise ValueError(
            f"arc scores {list(arcs.shape)} do not fit {len(lengths)} sentences of up to "
            f"{longest} words and their roots"
        )
