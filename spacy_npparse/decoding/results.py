"""What the decoding functions return."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Int32s = NDArray[np.int32]


class GreedyResult(NamedTuple):
    """Trees found by greedy decoding.

    heads: [words] head of each word, sentence by sentence, counted from 1 within the sentence; 0
        is the root.
    probabilities: float32 [words] probability, among the legal ones, of the transition that
        attached each word; 1 if there was no choice, or nothing attached it (a word that hangs on
        the root in systems where that goes without saying). Not a number if scores are not.
    n_transitions: [sentences] length of each derivation.
    """

    heads: Int32s
    probabilities: NDArray[np.float32]
    n_transitions: Int32s


class BeamResult(NamedTuple):
    """Trees found by beam search, the best first.

    heads: [width, words] as in `GreedyResult`; -1 where the beam held fewer derivations. Different
        derivations may build the same tree.
    scores: float64 [width, sentences] log-probability of each derivation, or the sum of the scores
        of its transitions; -inf for none.
    n_transitions: [sentences] length of the best derivation.
    """

    heads: Int32s
    scores: NDArray[np.float64]
    n_transitions: Int32s


class Explanation(NamedTuple):
    """How the tree of one sentence was found.

    transitions: of its derivation, by number, the first one first.
    scores: float32 [len(transitions), transitions of the system], of all transitions, legal or
        not, in the configuration before each.
    """

    transitions: list[int]
    scores: NDArray[np.float32]


class RollOut(NamedTuple):
    """Configurations visited in training that have something to teach.

    states: [states, positions] row of the table of words at each position.
    arcs: int64 [states, candidate arcs] place of each candidate arc among all arc scores, counted
        through [sentences, size, size]; -1 where a word is missing.
    costs: [states, transitions] cost of each transition, ILLEGAL if it is illegal.
    sentence: [states] index of the sentence, ascending.
    """

    states: Int32s
    arcs: NDArray[np.int64]
    costs: Int32s
    sentence: Int32s


class Violations(NamedTuple):
    """Derivations that score too high, and the right ones they are compared with: what the two do
    not share.

    states, arcs: as in `RollOut`.
    transitions: int64 [states] the transition taken in each.
    signs: float32 [states] 1 in the wrong derivation, -1 in the right one.
    sentence: int64 [states] index of the sentence, ascending.
    margins: float32 [sentences that are here] by how much the right derivation should score higher.
    """

    states: Int32s
    arcs: NDArray[np.int64]
    transitions: NDArray[np.int64]
    signs: NDArray[np.float32]
    sentence: NDArray[np.int64]
    margins: NDArray[np.float32]


class MHDerivations(NamedTuple):
    """Derivations that were found with the scores of a chart.

    heads: [words] as in `GreedyResult`.
    transitions: [2 * words] the transitions of each derivation, as MH4 numbers them, sentence by
        sentence; the one that shifts the root is not among them.
    nodes: [2 * words, 4] before each transition, s2, s1 and s0, -1 for none, and b0, the end of
        the sentence if there is no word left.
    scores: float64 [sentences] of the derivations.
    """

    heads: Int32s
    transitions: Int32s
    nodes: Int32s
    scores: NDArray[np.float64]


class ArcMarginals(NamedTuple):
    """Marginal probabilities of arcs, those of derivations being proportional to e^score.

    arcs: float32 [sentences, size, size], by head and dependent; 0 where no arc is possible.
    totals: float64 [sentences], log of the sum of e^score over all derivations.
    """

    arcs: NDArray[np.float32]
    totals: NDArray[np.float64]


class OneEndpointCrossingTrees(NamedTuple):
    """Trees that were found with third-order scores, and what they are scored by.

    heads: [words] as in `GreedyResult`.
    crossed: bool [words] whether the arc to each word is crossed by another one.
    grandparents: [words] head of the head, -1 where it is not scored.
    siblings: [words] next dependent of the head on the way to it, 0 for none, -1 where it is not
        scored.
    scores: float64 [sentences] of the trees.
    """

    heads: Int32s
    crossed: NDArray[np.bool_]
    grandparents: Int32s
    siblings: Int32s
    scores: NDArray[np.float64]
