"""Hypotheses of a beam, their extensions, and the order of both."""

from libc.math cimport exp, log1p
from libc.string cimport memcmp
from libcpp.vector cimport vector

from spacy_npparse.transitions.configuration cimport KernelConfiguration


# A configuration with the best of its derivations.
cdef struct Hypothesis:
    # Its place in the pool.
    int configuration
    # The place of the last transition of the derivation in `Beam.steps`, NO_STEP at the start.
    int last_step
    # The number of words that have left the buffer at least once; the number of words + 1 if the
    # configuration is terminal.
    int frontier
    # Whether a transition was not of minimal cost.
    bint wrong
    # The score of the derivation, cost-augmented if the beam has a margin.
    double score
    # The score of all derivations to this configuration that were on the beam.
    double joint_score


# A transition, and the step before it.
cdef struct Step:
    int before
    int transition


# A hypothesis and a transition that is legal in it.
cdef struct Extension:
    # Its place in `Beam.waiting`.
    int parent
    int transition
    bint wrong
    # The score of the transition, and the total score including it.
    double gain
    double score


cdef inline bint is_worse(const Extension& one, const Extension& other) noexcept nogil:
    """Check whether an extension ranks below another: by its score, then by the rank of its parent,
    then by the number of its transition."""
    if one.score != other.score:
        return one.score < other.score
    if one.parent != other.parent:
        return one.parent > other.parent
    return one.transition > other.transition


cdef inline bint is_same(
    KernelConfiguration one, KernelConfiguration other, bint terminal
) noexcept nogil:
    """Whether what follows from two configurations is the same; of terminal ones, the tree."""
    if terminal:
        return memcmp(one.heads, other.heads, (one.n + 1) * sizeof(int)) == 0
    return (
        one.stack_size == other.stack_size
        and one.buffer_size == other.buffer_size
        and one.equals(other)
    )


cdef inline void move_up(vector[Hypothesis]& hypotheses, size_t place) noexcept nogil:
    """Move a hypothesis to its place in the order of scores, behind equal ones."""
    cdef Hypothesis moved = hypotheses[place]
    while place > 0 and moved.score > hypotheses[place - 1].score:
        hypotheses[place] = hypotheses[place - 1]
        place -= 1
    hypotheses[place] = moved


cdef inline double log_add(double one, double other) noexcept nogil:
    """The logarithm of the sum of two numbers that are given by their logarithms."""
    return max(one, other) + log1p(exp(min(one, other) - max(one, other)))
