"""Exact search with multi-headed items: MH3 and MH4 (Gómez-Rodríguez, Shi and Lee 2018, section 3).

An item [h1, …, hm] stands for h1..hm-1 having been pushed and hm being the front of the buffer, all
words in between being attached. The end of the sentence is a node too.

    Axiom     [i, i+1]
    Combine   [h1, …, hm], [hm, …, hp]  =>  [h1, …, hp]     shifts hm
    Link      [h1, …, hm]  =>  the same without hj, 1 < j < m, whose head is another one of them
    Goal      [0, n + 1]

MH3 has items of two and three heads, takes O(n³) time and covers the projective trees; MH4 has
items of four heads as well and takes O(n⁴). Those are used for their links as soon as they are
found, so that memory is O(n³).
"""

import numpy as np

from libc.limits cimport INT_MAX
from libcpp.vector cimport vector

from spacy_npparse.transitions.configuration cimport KernelConfiguration, buffer_item, stack_item
from spacy_npparse.systems.mh4 cimport head_of_arc
from spacy_npparse.transitions.system cimport KernelSystem

from spacy_npparse.decoding.mh.types import ArcMarginals, MHDerivations
from spacy_npparse.decoding.score_shapes import check_score_shapes
from spacy_npparse.systems.mh4 import MH4


cdef extern from "inside.h" namespace "npparse" nogil:
    const int N_LINKS

    cppclass CMHScores "npparse::MHScores":
        const float* shift
        const float* below
        const float* front
        const float* arcs
        int size

cdef extern from "viterbi.h" namespace "npparse" nogil:
    cppclass BestDerivation:
        float fill(const CMHScores& scores, int n, bint four, bint single_root)
        vector[int] derivation()

cdef extern from "outside.h" namespace "npparse" nogil:
    cppclass Marginals:
        double fill(const CMHScores& scores, int n, bint four, bint single_root)
        void arc_shares(float* shares, int size)


def decode_mh(
    tables, const int[::1] lengths, int n_heads, bint single_root=True, int max_length=INT_MAX
):
    """Find the derivations of highest score.

    tables: a MHScores.
    lengths: [sentences] number of words of each sentence.
    n_heads: heads of the largest items, 3 or 4.
    single_root: give every sentence exactly one word whose head is the root.
    max_length: in sentences of more words the best transition is taken in every configuration
        instead, in linear time.

    Returns a MHDerivations. Raises ValueError if shapes do not fit, or n_heads is another number.
    """
    cdef _Derivations derivations = _Derivations(tables, lengths, n_heads, single_root)
    cdef BestDerivation chart
    cdef vector[int] transitions
    cdef int sentence, n, t
    with nogil:
        for sentence in range(<int>lengths.shape[0]):
            n = lengths[sentence]
            derivations.start(sentence, n)
            if n > max_length:
                derivations.totals[sentence] = derivations.take_greedily()
            else:
                derivations.totals[sentence] = chart.fill(
                    derivations.scores, n, n_heads == 4, single_root
                )
                transitions = chart.derivation()
                for t in range(<int>transitions.size()):
                    derivations.take(transitions[t])
            derivations.finish()
    return derivations.result


def mh_marginals(tables, const int[::1] lengths, int n_heads, bint single_root=True):
    """Find the marginal probabilities of all arcs: how much of the sum of e^score over all
    derivations is theirs that build the arc.

    A derivation is a sequence of transitions. Several can build one tree, which then counts several
    times. The probabilities are as good as the scores: a margin puts derivations in order, but does
    not teach how probable they are.

    tables, lengths, n_heads, single_root: as in `decode_mh`, which is some twenty times as fast.

    Returns ArcMarginals. Raises ValueError as `decode_mh` does.

    Source: Eisner (2016).
    """
    cdef _Tables scores = _Tables(tables, lengths, n_heads)
    cdef Marginals chart
    cdef float[:, :, ::1] arcs
    cdef double[::1] totals
    cdef int sentence
    result = ArcMarginals(
        np.zeros(tables.arcs.shape, dtype=np.float32), np.zeros(lengths.shape[0])
    )
    arcs, totals = result
    with nogil:
        for sentence in range(<int>lengths.shape[0]):
            totals[sentence] = chart.fill(
                scores.of_sentence(sentence), lengths[sentence], n_heads == 4, single_root
            )
            chart.arc_shares(&arcs[sentence, 0, 0], <int>arcs.shape[1])
    return result


cdef class _Tables:
    """The scores of a batch."""

    cdef const float[:, :, ::1] shift
    cdef const float[:, :, :, ::1] below
    cdef const float[:, :, :, ::1] front
    cdef const float[:, :, ::1] arcs

    def __init__(self, tables, const int[::1] lengths, int n_heads):
        if n_heads not in (3, 4):
            raise ValueError(f"items can have up to 3 or 4 heads, not {n_heads}")
        links = {"below": N_LINKS, "front": N_LINKS}
        check_score_shapes(tables, lengths, ["a root", "an end"], links)
        self.shift, self.below, self.front, self.arcs = tables

    cdef CMHScores of_sentence(self, int sentence) noexcept nogil:
        cdef CMHScores scores
        scores.shift = &self.shift[sentence, 0, 0]
        scores.below = &self.below[sentence, 0, 0, 0]
        scores.front = &self.front[sentence, 0, 0, 0]
        scores.arcs = &self.arcs[sentence, 0, 0]
        scores.size = <int>self.shift.shape[1]
        return scores


cdef class _Derivations:
    """The derivations of the sentences of a batch, while they are taken down."""

    cdef KernelSystem system
    cdef KernelConfiguration configuration
    cdef _Tables tables
    cdef CMHScores scores
    cdef object result
    cdef int[::1] heads
    cdef int[::1] steps
    cdef int[:, ::1] nodes
    cdef double[::1] totals
    cdef int n_transitions, n, first_word, step

    def __init__(self, tables, const int[::1] lengths, int n_heads, bint single_root):
        self.tables = _Tables(tables, lengths, n_heads)
        n_words = int(np.asarray(lengths).sum())
        self.system = MH4(single_root=single_root)
        # With items of three heads it is arc-hybrid: SHIFT, LEFT-ARC and RIGHT-ARC.
        self.n_transitions = self.system.n_transitions if n_heads == 4 else 3
        self.configuration = self.system.new_configuration()
        self.result = MHDerivations(
            np.empty(n_words, dtype=np.int32),
            np.empty(2 * n_words, dtype=np.int32),
            np.empty((2 * n_words, 4), dtype=np.int32),
            np.zeros(lengths.shape[0]),
        )
        self.heads, self.steps, self.nodes, self.totals = self.result
        self.first_word = self.step = 0

    cdef void start(self, int sentence, int n) noexcept nogil:
        self.n = n
        self.scores = self.tables.of_sentence(sentence)
        self.system.initialise(self.configuration, n)

    cdef int front_node(self) noexcept nogil:
        cdef int b0 = buffer_item(self.configuration, 0)
        return self.n + 1 if b0 == -1 else b0

    cdef float score(self, int t) noexcept nogil:
        """Of a legal transition."""
        cdef size_t size = self.scores.size
        cdef size_t s0 = stack_item(self.configuration, 0)
        cdef size_t b0 = self.front_node()
        cdef size_t s1, link
        if t == 0:
            return self.scores.shift[s0 * size + b0]
        s1 = stack_item(self.configuration, 1)
        link = (t - 1) * size
        return (
            self.scores.below[(link + s1) * size + s0]
            + self.scores.front[(link + s0) * size + b0]
            + self.scores.arcs[
                head_of_arc(self.configuration, t) * size
                + self.system.dependent(self.configuration, t)
            ]
        )

    cdef double take_greedily(self) noexcept nogil:
        """To the end; returns the sum of the scores."""
        cdef int t, best
        cdef float score, best_score
        cdef double total = 0.0
        while not self.system.is_terminal(self.configuration):
            best = -1
            best_score = 0.0
            for t in range(self.n_transitions):
                if self.system.is_legal(self.configuration, t):
                    score = self.score(t)
                    if best == -1 or score > best_score:
                        best = t
                        best_score = score
            total += best_score
            self.take(best)
        return total

    cdef void take(self, int t) noexcept nogil:
        cdef int depth
        for depth in range(3):
            self.nodes[self.step, 2 - depth] = stack_item(self.configuration, depth)
        self.nodes[self.step, 3] = self.front_node()
        self.steps[self.step] = t
        self.step += 1
        self.system.apply(self.configuration, t)

    cdef void finish(self) noexcept nogil:
        cdef int word
        for word in range(self.n):
            self.heads[self.first_word + word] = self.configuration.heads[word + 1]
        self.first_word += self.n
