"""Scores, factors of scores, derivations and arc marginals of MH3 and MH4."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

N_LINKS = 6


class MHScores(NamedTuple):
    """The scores of all transitions of MH3 and MH4.

    Nodes are the root 0, the words 1..n, and the end of the sentence n + 1, which is the front of
    an empty buffer. The size exceeds the number of words of the longest sentence by at least 2.
    Links are the arc transitions of MH4, in the order of their names. The score of a link is the
    sum of `below`, `front` and the score of its arc.

    Attributes:
        shift: float32 [n_sentences, size, size], the scores of SHIFT by s0 and b0.
        below: float32 [n_sentences, 6, size, size], the scores of links by s1 and s0.
        front: float32 [n_sentences, 6, size, size], the scores of links by s0 and b0.
        arcs: float32 [n_sentences, size, size], the scores of arcs by head and dependent.

    Source: Gómez-Rodríguez, Shi and Lee (2018, section 4.2), the features of MH4-hybrid. The scores
    of arcs are our addition.
    """

    shift: NDArray[np.float32]
    below: NDArray[np.float32]
    front: NDArray[np.float32]
    arcs: NDArray[np.float32]

    @classmethod
    def of_arcs(cls, arcs: NDArray[np.float32]) -> MHScores:
        """Make scores that are 0 except for those of arcs.

        Args:
            arcs: float32 [n_sentences, size, size], the scores of arcs by head and dependent.

        Returns:
            The scores.
        """
        zeros = np.zeros((len(arcs), N_LINKS, *arcs.shape[1:]), dtype=np.float32)
        return cls(shift=zeros[:, 0].copy(), below=zeros, front=zeros, arcs=arcs)


class MHFactors(NamedTuple):
    """Factors whose products are the scores of MHScores, for sentences that are too long for tables
    of these.

    The nodes are those of MHScores, n + 2 for a sentence of n words, one sentence after another.

    Attributes:
        before_b0: float32 [n_nodes, 7, width], the factors of s0. Their products with `b0` are the
            scores of SHIFT and `MHScores.front`.
        b0: float32 [n_nodes, width], the factors of b0.
        before_s0: float32 [n_nodes, 6, width], the factors of s1. Their products with `s0` are
            `MHScores.below`.
        s0: float32 [n_nodes, width], the factors of s0.
        arcs: float32 [n_sentences, size, size], the scores of arcs by head and dependent. The size
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
        heads: int32 [n_words], the head of each word in its sentence, 0 for the root.
        transitions: int32 [2 * n_words], the derivations, one sentence after another, in the
            numbering of MH4, without the SHIFT of the root.
        nodes: int32 [2 * n_words, 4], the nodes s2, s1, s0 and b0 before each transition: -1 where
            the stack has no such item, n + 1 for b0 if the buffer is empty.
        scores: float64 [n_sentences], the score of each derivation.
    """

    heads: NDArray[np.int32]
    transitions: NDArray[np.int32]
    nodes: NDArray[np.int32]
    scores: NDArray[np.float64]


class ArcMarginals(NamedTuple):
    """Marginal probabilities of arcs under p(derivation) ∝ e^score.

    Attributes:
        arcs: float32 [n_sentences, size, size], the probabilities by head and dependent; 0 for
            impossible arcs.
        log_partition: float64 [n_sentences], the logarithm of the partition function, the sum of
            e^score over all derivations.
    """

    arcs: NDArray[np.float32]
    log_partition: NDArray[np.float64]
