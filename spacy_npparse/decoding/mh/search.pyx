"""Exact search with MH3 and MH4, the multi-headed deduction systems.

An item [h1, …, hm] stands for transition sequences that push h1, …, hm-1 and leave hm at the front
of the buffer, after which every word in between has its head. The end of the sentence is also a
node.

    Axiom     [i, i+1]
    Combine   [h1, …, hm], [hm, …, hp]  =>  [h1, …, hp]     SHIFT of hm
    Link      [h1, …, hm]  =>  [h1, …, hj-1, hj+1, …, hm]   arc to hj from another of the heads
    Goal      [0, n + 1]

MH3 has items of up to three heads, takes O(n³) time and covers the projective trees. MH4 also has
items of four heads and takes O(n⁴) time. The largest items are linked as soon as they are deduced
and are not stored, so that memory is O(n²) and O(n³).

Scores are clamped to plus or minus `SCORE_LIMIT`, and NaN counts as the lowest score, so that a
tree is always found.

Source: Gómez-Rodríguez, Shi and Lee (2018), section 3.1 for the deduction system, section 3.2 for
the transition system, and section 4.2 for scores by s1; Eisner (2016) for marginals by
back-propagation.
"""

import numpy as np

from libcpp.vector cimport vector

from spacy_npparse.systems.mh4 cimport head_of_arc
from spacy_npparse.transitions.configuration cimport KernelConfiguration, buffer_item, stack_item
from spacy_npparse.transitions.system cimport KernelSystem

from spacy_npparse.decoding.mh.types import ArcMarginals, MHDerivations
from spacy_npparse.decoding.score_shapes import check_arc_shapes, check_score_shapes
from spacy_npparse.systems.mh4 import MH4


cdef extern from "../score_range.h" namespace "npparse" nogil:
    float clamped(float score)

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
        float fill(const CMHScores& scores, int n, bint four_heads, bint single_root) except +
        vector[int] derivation() except +

cdef extern from "outside.h" namespace "npparse" nogil:
    cppclass OutsideChart:
        double fill(const CMHScores& scores, int n, bint four_heads, bint single_root) except +
        void arc_marginals(float* marginals, int size) except +


def decode_mh(scores, const int[::1] lengths, int n_heads, bint single_root=True):
    """Find the derivation with the highest score for each sentence.

    Args:
        scores: The scores of transitions, MHScores.
        lengths: int32 [n_sentences], the number of words of each sentence.
        n_heads: The maximum number of heads in an item, 3 or 4.
        single_root: Whether exactly one word of each sentence has the root as its head.

    Returns:
        The derivations, MHDerivations.

    Raises:
        ValueError: The shapes do not fit, or n_heads is neither 3 nor 4.
        MemoryError: A sentence is too long.
    """
    cdef _Tables tables = _Tables(scores, lengths)
    cdef _DerivationWriter writer = _DerivationWriter(lengths, n_heads, single_root)
    cdef ViterbiChart chart
    cdef vector[int] transitions
    cdef int sentence, n, t
    with nogil:
        for sentence in range(<int>lengths.shape[0]):
            n = lengths[sentence]
            tables.start(sentence)
            writer.start(n)
            writer.totals[sentence] = chart.fill(tables.scores, n, n_heads == 4, single_root)
            transitions = chart.derivation()
            for t in range(<int>transitions.size()):
                writer.apply(transitions[t])
            writer.finish()
    return writer.result


def decode_mh_greedily(factors, const int[::1] lengths, int n_heads, bint single_root=True):
    """Derive each sentence greedily, in linear time and memory except for `arcs`.

    Args:
        factors: The factors of scores, MHFactors.
        lengths, n_heads, single_root: The arguments of `decode_mh`.

    Returns:
        The derivations, MHDerivations.

    Raises:
        ValueError: The shapes do not fit, or n_heads is neither 3 nor 4.
    """
    cdef _Factors pairs = _Factors(factors, lengths)
    cdef _DerivationWriter writer = _DerivationWriter(lengths, n_heads, single_root)
    cdef int sentence
    with nogil:
        for sentence in range(<int>lengths.shape[0]):
            pairs.start(sentence, lengths[sentence])
            writer.start(lengths[sentence])
            writer.totals[sentence] = writer.decode_greedily(pairs)
            writer.finish()
    return writer.result


def mh_marginals(scores, const int[::1] lengths, int n_heads, bint single_root=True):
    """Compute the marginal probabilities of all arcs under p(derivation) ∝ e^score.

    A derivation is a transition sequence, and a tree counts once for each of its derivations. The
    probabilities are only as good as the scores: training with a margin ranks derivations, but does
    not calibrate their probabilities.

    The inside and the outside pass together take about twenty times as long as `decode_mh`.

    Args:
        scores, lengths, n_heads, single_root: The arguments of `decode_mh`.

    Returns:
        The probabilities, ArcMarginals.

    Raises:
        ValueError, MemoryError: The arguments are wrong, or memory runs out, as in `decode_mh`.

    Source: Eisner (2016).
    """
    cdef _Tables tables = _Tables(scores, lengths)
    cdef OutsideChart chart
    cdef float[:, :, ::1] arcs
    cdef double[::1] log_partition
    cdef int sentence
    _check_heads(n_heads)
    result = ArcMarginals(
        np.zeros(scores.arcs.shape, dtype=np.float32), np.zeros(lengths.shape[0])
    )
    arcs, log_partition = result
    with nogil:
        for sentence in range(<int>lengths.shape[0]):
            tables.start(sentence)
            log_partition[sentence] = chart.fill(
                tables.scores, lengths[sentence], n_heads == 4, single_root
            )
            chart.arc_marginals(&arcs[sentence, 0, 0], <int>arcs.shape[1])
    return result


def _check_heads(int n_heads):
    if n_heads not in (3, 4):
        raise ValueError(f"items can have up to 3 or 4 heads, not {n_heads}")


cdef class _Tables:
    """The scores of an MHScores, one sentence at a time."""

    cdef const float[:, :, ::1] shift_scores
    cdef const float[:, :, :, ::1] below
    cdef const float[:, :, :, ::1] front
    cdef const float[:, :, ::1] arcs
    cdef CMHScores scores

    def __init__(self, scores, const int[::1] lengths):
        n_links = {"below": N_LINKS, "front": N_LINKS}
        check_score_shapes(scores, np.asarray(lengths), ["a root", "an end"], n_links)
        self.shift_scores, self.below, self.front, self.arcs = scores

    cdef void start(self, int sentence) noexcept nogil:
        self.scores.shift = &self.shift_scores[sentence, 0, 0]
        self.scores.below = &self.below[sentence, 0, 0, 0]
        self.scores.front = &self.front[sentence, 0, 0, 0]
        self.scores.arcs = &self.arcs[sentence, 0, 0]
        self.scores.size = <int>self.arcs.shape[1]


cdef class _Factors:
    """The scores that an MHFactors factors, one sentence at a time. Links are numbered from 0."""

    cdef const float[:, :, ::1] before_b0
    cdef const float[:, ::1] b0
    cdef const float[:, :, ::1] before_s0
    cdef const float[:, ::1] s0
    cdef const float[:, :, :] arcs
    cdef int sentence
    cdef size_t first_node, next_node

    def __init__(self, factors, const int[::1] lengths):
        words = np.asarray(lengths)
        n_nodes = int((words + 2).sum())
        check_arc_shapes(factors.arcs, words)
        for name, n_scores, other in (
            ("before_b0", 1 + N_LINKS, factors.b0), ("before_s0", N_LINKS, factors.s0)
        ):
            array = getattr(factors, name)
            expected = (n_nodes, n_scores, other.shape[1])
            if array.shape != expected or len(other) != n_nodes:
                raise ValueError(
                    f"{name} vectors have the shape {list(array.shape)} for {len(other)} others, "
                    f"but should have {list(expected)}"
                )
        self.before_b0, self.b0, self.before_s0, self.s0, self.arcs = factors
        self.next_node = 0

    cdef void start(self, int sentence, int n) noexcept nogil:
        """Move to a sentence of n words, after all previous ones."""
        self.sentence = sentence
        self.first_node = self.next_node
        self.next_node += n + 2

    cdef float shift(self, size_t s0, size_t b0) noexcept nogil:
        return product(self.before_b0[self.first_node + s0, 0], self.b0[self.first_node + b0])

    cdef float link(self, size_t link, size_t s1, size_t s0, size_t b0) noexcept nogil:
        """Compute the score of a link without that of its arc."""
        cdef float below = product(
            self.before_s0[self.first_node + s1, link], self.s0[self.first_node + s0]
        )
        return below + product(
            self.before_b0[self.first_node + s0, 1 + link], self.b0[self.first_node + b0]
        )

    cdef float arc(self, size_t head, size_t dependent) noexcept nogil:
        return clamped(self.arcs[self.sentence, head, dependent])


cdef float product(const float[::1] left, const float[::1] right) noexcept nogil:
    cdef float total = 0.0
    cdef Py_ssize_t i
    for i in range(left.shape[0]):
        total += left[i] * right[i]
    return clamped(total)


cdef class _DerivationWriter:
    """Replays the derivations of a batch, and writes them to an MHDerivations."""

    cdef KernelSystem system
    cdef KernelConfiguration configuration
    cdef object result
    cdef int[::1] heads
    cdef int[::1] transitions
    cdef int[:, ::1] nodes
    cdef double[::1] totals
    cdef int n_transitions, n, first_word, step

    def __init__(self, const int[::1] lengths, int n_heads, bint single_root):
        _check_heads(n_heads)
        n_words = int(np.asarray(lengths).sum())
        self.system = MH4(single_root=single_root)
        # MH3 is arc-hybrid, whose SHIFT, LEFT-ARC and RIGHT-ARC are the first transitions of MH4.
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

    cdef int start(self, int n) except -1 nogil:
        self.n = n
        self.system.initialise(self.configuration, n)
        return 0

    cdef int b0(self) noexcept nogil:
        """Find the front of the buffer, which is the end of the sentence if the buffer is empty."""
        cdef int word = buffer_item(self.configuration, 0)
        return self.n + 1 if word == -1 else word

    cdef float score(self, _Factors pairs, int t) noexcept nogil:
        """Compute the score of a legal transition."""
        cdef size_t s0 = stack_item(self.configuration, 0)
        cdef size_t b0 = self.b0()
        if t == 0:
            return pairs.shift(s0, b0)
        return pairs.link(t - 1, stack_item(self.configuration, 1), s0, b0) + pairs.arc(
            head_of_arc(self.configuration, t), self.system.dependent(self.configuration, t)
        )

    cdef double decode_greedily(self, _Factors pairs) noexcept nogil:
        """Apply the best legal transition until the configuration is terminal. Returns the score of
        the derivation."""
        cdef int t, best
        cdef float score, best_score
        cdef double total = 0.0
        while not self.system.is_terminal(self.configuration):
            best = -1
            best_score = 0.0
            for t in range(self.n_transitions):
                if self.system.is_legal(self.configuration, t):
                    score = self.score(pairs, t)
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
