"""Scores of transitions, trees found by greedy and beam search, and training states."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class ScoreTables(NamedTuple):
    """The precomputed parts of the transition scores of a batch of sentences.

    Attributes:
        words: float32 [n_rows + 1, n_positions, n_hidden], the contribution of each word to the
            hidden layer at each position, including the hidden bias once. The rows are the root and
            the words of each sentence in turn. The last row is padding for empty positions.
        arcs: float32 [n_sentences, size, size], the scores of arcs: arcs[s, d, h] is that of the
            arc from head h to word d of sentence s. The size exceeds the length of the longest
            sentence.
        arc_weights: float32 [n_candidate_arcs, n_hidden], the weights by which the score of each
            candidate arc of a configuration (`KernelSystem.candidate_arcs`) is multiplied before it
            is added to the hidden layer.
        output_weights: float32 [n_transitions, n_hidden], the weights of the output layer.
        output_bias: float32 [n_transitions], the bias of the output layer.
    """

    words: NDArray[np.float32]
    arcs: NDArray[np.float32]
    arc_weights: NDArray[np.float32]
    output_weights: NDArray[np.float32]
    output_bias: NDArray[np.float32]


class GreedyResult(NamedTuple):
    """The trees found by greedy search.

    Attributes:
        heads: int32 [n_words], the head of each word in its sentence, counted from 1; 0 is the
            root.
        n_transitions: int32 [n_sentences], the length of each derivation.
    """

    heads: NDArray[np.int32]
    n_transitions: NDArray[np.int32]


class BeamResult(NamedTuple):
    """The trees found by beam search, with the best first.

    Attributes:
        heads: int32 [width, n_words], the heads as in `GreedyResult`; -1 where the beam held fewer
            trees. No tree occurs twice.
        scores: float64 [width, n_sentences], the log-probability of the best derivation of each
            tree, or the sum of the scores of its transitions; -inf where the beam held fewer trees.
        joint_scores: float64 [width, n_sentences], the log-probability of all derivations of the
            tree that were on the beam; the same as `scores` if scores are not normalised.
    """

    heads: NDArray[np.int32]
    scores: NDArray[np.float64]
    joint_scores: NDArray[np.float64]


class Explanation(NamedTuple):
    """The derivation of one sentence, with its scores.

    Attributes:
        transitions: The derivation, as numbers of transitions.
        scores: float32 [len(transitions), n_transitions], the scores of all transitions, legal or
            not, in the configuration before each.
    """

    transitions: list[int]
    scores: NDArray[np.float32]


class RollOut(NamedTuple):
    """The configurations visited in roll-outs, with the costs of all transitions.

    Attributes:
        states: int32 [n_states, n_positions], the row of `ScoreTables.words` at each position.
        arcs: int64 [n_states, n_candidate_arcs], the flat index of each candidate arc in
            `ScoreTables.arcs`; -1 where a word is missing.
        costs: int32 [n_states, n_transitions], the costs, ILLEGAL for illegal transitions.
    """

    states: NDArray[np.int32]
    arcs: NDArray[np.int64]
    costs: NDArray[np.int32]


class Violations(NamedTuple):
    """Max-violation updates: the configurations in which a wrong and a right derivation differ.

    Attributes:
        states: int32 [n_states, n_positions], as in `RollOut`.
        arcs: int64 [n_states, n_candidate_arcs], as in `RollOut`.
        transitions: int64 [n_states], the transition taken in each state.
        signs: float32 [n_states], 1 in the wrong derivation, -1 in the right one.
        sentence: int64 [n_states], the index of the sentence, ascending.
        margins: float32 [n_sentences], the margin by which the right derivation should score
            higher, for each sentence that occurs in `sentence`, in the same order.
    """

    states: NDArray[np.int32]
    arcs: NDArray[np.int64]
    transitions: NDArray[np.int64]
    signs: NDArray[np.float32]
    sentence: NDArray[np.int64]
    margins: NDArray[np.float32]
