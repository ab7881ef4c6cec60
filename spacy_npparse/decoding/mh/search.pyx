"""Exact search with MH3 and MH4, the multi-headed deduction systems.

An item [h1, …, hm] stands for transition sequences that push h1, …, hm-1 and leave hm at the front
of the buffer, every word in between having its head. The end of the sentence is a node too.

    Axiom     [i, i+1]
    Combine   [h1, …, hm], [hm, …, hp]  =>  [h1, …, hp]     SHIFT of hm
    Link      [h1, …, hm]  =>  [h1, …, hj-1, hj+1, …, hm]   arc to hj from another of the heads
    Goal      [0, n + 1]

MH3 has items of up to three heads, takes O(n³) time and covers the projective trees. MH4 has items
of four heads as well and takes O(n⁴) time; these are linked as soon as they are deduced and not
stored, so that memory is O(n³).

Source: Gómez-Rodríguez, Shi and Lee (2018): the deduction system is section 3.1, the transition
system section 3.2, scoring by s1 section 4.2; marginals by back-propagation Eisner (2016).
"""

import numpy as np

from libc.limits cimport INT_MAX
from libcpp.vector cimport vector

from spacy_npparse.systems.mh4 cimport head_of_arc
from spacy_npparse.transitions.configuration cimport KernelConfiguration, buffer_item, stack_item
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
    cppclass ViterbiChart:
        float fill(const CMHScores& scores, int n, bint four_heads, bint single_root)
        vector[int] derivation()

cdef extern from "outside.h" namespace "npparse" nogil:
    cppclass OutsideChart:
        double fill(const CMHScores& scores, int n, bint four_heads, bint single_root)
        void arc_marginals(float* marginals, int size)


def decode_mh(
    scores, const int[::1] lengths, int n_heads, bint single_root=True, int max_length=INT_MAX
):
    """Find the derivation of highest score of each sentence.

    Args:
        scores: MHScores.
        lengths: int32 [n_sentences], the number of words of each sentence.
        n_heads: The number of heads of the largest items, 3 or 4.
        single_root: Give every sentence exactly one word whose head is the root.
        max_length: Longer sentences, in words, are decoded greedily, in linear time.

    Returns:
        MHDerivations.

    Raises:
        ValueError: If shapes do not fit, or if n_heads is neither 3 nor 4.
    """
    cdef _DerivationWriter writer = _DerivationWriter(scores, lengths, n_heads, single_root)
    cdef ViterbiChart chart
    cdef vector[int] transitions
    cdef int sentence, n, t
    with nogil:
        for sentence in range(<int>lengths.shape[0]):
            n = lengths[sentence]
            writer.start(sentence, n)
            if n > max_length:
                writer.totals[sentence] = writer.decode_greedily()
            else:
                writer.totals[sentence] = chart.fill(writer.scores, n, n_heads == 4, single_root)
                transitions = chart.derivation()
                for t in range(<int>transitions.size()):
                    writer.apply(transitions[t])
            writer.finish()
    return writer.result


def mh_marginals(scores, const int[::1] lengths, int n_heads, bint single_root=True):
    """Compute the marginal probabilities of all arcs under p(derivation) ∝ e^score.

    A derivation is a transition sequence; a tree with several derivations counts several times. The
    probabilities are as good as the scores: training with a margin ranks derivations, but does not
    calibrate their probabilities.

    Inside and outside pass together take about twenty times as long as `decode_mh`.

    Args:
        scores, lengths, n_heads, single_root: As in `decode_mh`.

    Returns:
        ArcMarginals.

    Raises:
        ValueError: As `decode_mh` does.

    Source: Eisner (2016).
    """
    cdef _Scores batch = _Scores(scores, lengths, n_heads)
    cdef OutsideChart chart
    cdef float[:, :, ::1] arcs
    cdef double[::1] log_partition
    cdef int sentence
    result = ArcMarginals(
        np.zeros(scores.arcs.shape, dtype=np.float32), np.zeros(lengths.shape[0])
    )
    arcs, log_partition = result
    with nogil:
        for sentence in range(<int>lengths.shape[0]):
            log_partition[sentence] = chart.fill(
                batch.of_sentence(sentence), lengths[sentence], n_heads == 4, single_root
            )
            chart.arc_marginals(&arcs[sentence, 0, 0], <int>arcs.shape[1])
    return result


cdef class _Scores:
    """The scores of a batch, for C++."""

    cdef const float[:, :, ::1] shift
    cdef const float[:, :, :, ::1] below
    cdef const float[:, :, :, ::1] front
    cdef const float[:, :, ::1] arcs

    def __init__(self, scores, const int[::1] lengths, int n_heads):
        if n_heads not in (3, 4):
            raise ValueError(f"items can have up to 3 or 4 heads, not {n_heads}")
        n_links = {"below": N_LINKS, "front": N_LINKS}
        check_score_shapes(scores, np.asarray(lengths), ["a root", "an end"], n_links)
        self.shift, self.below, self.front, self.arcs = scores

    cdef CMHScores of_sentence(self, int sentence) noexcept nogil:
        cdef CMHScores scores
        scores.shift = &self.shift[sentence, 0, 0]
        scores.below = &self.below[sentence, 0, 0, 0]
        scores.front = &self.front[sentence, 0, 0, 0]
        scores.arcs = &self.arcs[sentence, 0, 0]
        scores.size = <int>self.shift.shape[1]
        return scores


cdef class _DerivationWriter:
    """Replays the derivations of a batch and writes them to an MHDerivations."""

    cdef KernelSystem system
    cdef KernelConfiguration configuration
    cdef _Scores batch
    cdef CMHScores scores
    cdef object result
    cdef int[::1] heads
    cdef int[::1] transitions
    cdef int[:, ::1] nodes
    cdef double[::1] totals
    cdef int n_transitions, n, first_word, step

    def __init__(self, scores, const int[::1] lengths, int n_heads, bint single_root):
        self.batch = _Scores(scores, lengths, n_heads)
        n_words = int(np.asarray(lengths).sum())
        self.system = MH4(single_root=single_root)
        # MH3 is arc-hybrid: SHIFT, LEFT-ARC and RIGHT-ARC, the first transitions of MH4.
        self.n_transitions = self.system.n_transitions if n_heads == 4 else 3
        self.configuration = self.system.new_configuration()
        self.result = MHDerivations(
            np.empty(n_words, dtype=np.int32),
            np.empty(2 * n_words, dtype=np.int32),
            np.empty((2 * n_words, 4), dtype=np.int32),
            np.zeros(lengths.shape[0]),
        )
        self.heads, self.transitions, self.nodes, self.totals = self.result
        self.first_word = self.step = 0

    cdef void start(self, int sentence, int n) noexcept nogil:
        self.n = n
        self.scores = self.batch.of_sentence(sentence)
        self.system.initialise(self.configuration, n)

    cdef int b0(self) noexcept nogil:
        """The front of the buffer, the end of the sentence if it is empty."""
        cdef int word = buffer_item(self.configuration, 0)
        return self.n + 1 if word == -1 else word

    cdef float score(self, int t) noexcept nogil:
        """The score of a legal transition."""
        cdef size_t size = self.scores.size
        cdef size_t s0 = stack_item(self.configuration, 0)
        cdef size_t b0 = self.b0()
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

    cdef double decode_greedily(self) noexcept nogil:
        """Apply the best legal transition until the configuration is terminal; return the score of
        the derivation."""
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
            self.apply(best)
        return total

    cdef void apply(self, int t) noexcept nogil:
        """Write and apply a transition."""
        cdef int depth
        for depth in range(3):
            self.nodes[self.step, 2 - depth] = stack_item(self.configuration, depth)
        self.nodes[self.step, 3] = self.b0()
        self.transitions[self.step] = t
        self.step += 1
        self.system.apply(self.configuration, t)

    cdef void finish(self) noexcept nogil:
        """Write the tree of a terminal configuration."""
        cdef int word
        for word in range(self.n):
            self.heads[self.first_word + word] = self.configuration.heads[word + 1]
        self.first_word += self.n
