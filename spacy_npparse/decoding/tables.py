"""What the scorer of transitions is given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


class ScoreTables(NamedTuple):
    """Everything that scores the transitions of a batch of sentences, computed beforehand.

    words: float32 [rows + 1, positions, hidden], what each word adds to the hidden layer at each
        position, the hidden bias included once. For each sentence first its root, then its
        words; the last row stands for empty positions.
    arcs: float32 [sentences, size, size], the score of each arc: arcs[s, d, h] of word d of
        sentence s to head h. The size exceeds the length of the longest sentence.
    arc_weights: float32 [candidate arcs, hidden], what the score of each candidate arc of a
        configuration (`TransitionSystem.candidate_arcs`) adds to the hidden layer.
    output_weights: float32 [transitions, hidden].
    output_bias: float32 [transitions].
    """

    words: Floats
    arcs: Floats
    arc_weights: Floats
    output_weights: Floats
    output_bias: Floats


class MHScores(NamedTuple):
    """Scores of all transitions that exact search can take.

    Nodes are the root 0, the words 1..n, and the end of the sentence n + 1, which is at the front
    of an empty buffer. The size exceeds the number of words of the longest sentence by 2 or more.
    Links are the arc transitions of MH4, in the order of their names.

    shift: float32 [sentences, size, size], of SHIFT by s0 and b0.
    below, front: float32 [sentences, 6, size, size]; the score of a link is that of below by s1 and
        s0, plus that of front by s0 and b0.
    arcs: float32 [sentences, size, size], what the arc itself adds, by head and dependent.
    """

    shift: Floats
    below: Floats
    front: Floats
    arcs: Floats


class OneEndpointCrossingScores(NamedTuple):
    """Scores of all parts of one-endpoint-crossing trees; see `decode_one_endpoint_crossing`.

    The size exceeds the number of words of the longest sentence. All are float32 [sentences, size,
    size], the dependent being the last index; word 0 is the root.

    grandparents: by the head of the head.
    heads: of arcs that are not crossed, by the head.
    siblings: by the sibling, 0 for none.
    crossed: of arcs that are, by the head.
    """

    grandparents: Floats
    heads: Floats
    siblings: Floats
    crossed: Floats


def check_scores(
    tables: Any, lengths: Any, others: Sequence[str], links: Mapping[str, int] | None = None
) -> None:
    """Check the scores of exact search.

    tables: a MHScores or OneEndpointCrossingScores.
    lengths: [sentences] number of words of each sentence.
    others: the nodes of a sentence beside its words, for people.
    links: of the tables that are [sentences, links, size, size], by name: how many.

    Raises ValueError if shapes do not fit.
    """
    links = links or {}
    size, shortest = tables[0].shape[1], min(lengths, default=0)
    longest = max(lengths, default=0)
    if len(lengths) and (shortest < 0 or size < longest + len(others)):
        raise ValueError(
            f"scores of {size} nodes do not fit sentences of {shortest} to {longest} words and "
            f"{' and '.join(others)}"
        )
    for name, scores in tables._asdict().items():
        between = (links[name],) if name in links else ()
        expected = (len(lengths), *between, size, size)
        if scores.shape != expected:
            raise ValueError(
                f"{name} scores have the shape {list(scores.shape)}, but should have "
                f"{list(expected)}"
            )
