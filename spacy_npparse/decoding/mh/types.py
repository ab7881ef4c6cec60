"""Scores, factors of scores, derivations and arc marginals of MH3 and MH4."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

N_LINKS = 6


class MHScores(NamedTuple):
    """Scores of all transitions of MH3 and MH4.

    Nodes are the root 0, the words 1..n, and the end of the sentence n + 1, which is the front of
    an empty buffer. The size exceeds the number of words of the longest sentence by 2 or more.
    Links are the arc transitions of MH4, in the order of their names. The score of a link is the
    sum of `below`, `front` and the score of its arc.

    Attributes:
        shift: float32 [n_sentences, size, size], scores of SHIFT by s0 and b0.
        below: float32 [n_sentences, 6, size, size], scores of links by s1 and s0.
        front: float32 [n_sentences, 6, size, size], scores of links by s0 and b0.
        arcs: float32 [n_sentences, size, size], scores of arcs by head and dependent.

    Source: the features of MH4-hybrid (Gómez-Rodríguez, Shi and Lee 2018, section 4.2); the scores
    of arcs are our own addition.
    """

    shift: NDArray[np.float32]
    below: NDArray[np.float32]
    front: NDArray[np.float32]
    arcs: NDArray[np.float32]

    @classmethod
    def of_arcs(cls, arcs: NDArray[np.float32]) -> MHScores:
        """Scores that are 0 but for those of arcs.

        Args:
            arcs: As in this class.

        Returns:
            The scores.
        """
        zeros = np.zeros((len(arcs), N_LINKS, *arcs.shape[1:]), dtype=np.float32)
        return cls(shift=zeros[:, 0].copy(), below=zeros, front=zeros, arcs=arcs)


class MHFactors(NamedTuple):
    """Vectors whose products are the scores of MHScores, for sentences that are too long for tables
    of these.

    Nodes are those of MHScores, n + 2 for a sentence of n words, sentence by sentence.

    Attributes:
        before_b0: float32 [n_nodes, 7, width], of s0: its products with the vector of b0 are the
            scores of SHIFT and `MHScores.front`.
        b0: float32 [n_nodes, width].
        before_s0: float32 [n_nodes, 6, width], of s1: its products with the vector of s0 are
            `MHScores.below`.
        s0: float32 [n_nodes, width].
        arcs: float32 [n_sentences, size, size], scores of arcs by head and dependent. The size
            exceeds the number of words of the longest sentence.
    """

    before_b0: NDArray[np.float32]
    b0: NDArray[np.float32]
    before_s0: NDArray[np.float32]
    s0: NDArray[np.float32]
    arcs: NDArray[np.float32]


class MHDerivations(NamedTuple):
    """Derivations of a batch of sentences.

    Attributes:
        heads: int32 [n_words], as in `GreedyResult`.
        transitions: int32 [2 * n_words], the derivations, sentence by sentence, in the numbering of
            MH4; the SHIFT of the root is left out.
        nodes: int32 [2 * n_words, 4], s2, s1, s0 and b0 before each transition: -1 where the stack
            is not that deep, n + 1 for b0 if the buffer is empty.
        scores: float64 [n_sentences], the score of each derivation.
    """

    heads: NDArray[np.int32]
    transitions: NDArray[np.int32]
    nodes: NDArray[np.int32]
    scores: NDArray[np.float64]


class ArcMarginals(NamedTuple):
    """Marginal probabilities of arcs under p(derivation) ∝ e^score.

    Attributes:
        arcs: float32 [n_sentences, size, size], by head and dependent; 0 for impossible arcs.
        log_partition: float64 [n_sentences], the log partition function: the log of the sum of
            e^score over all derivations.
    """

    arcs: NDArray[np.float32]
    log_partition: NDArray[np.float64]
