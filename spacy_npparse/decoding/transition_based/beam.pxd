from libcpp.vector cimport vector

from spacy_npparse.decoding.transition_based.configuration_pool cimport ConfigurationPool
from spacy_npparse.decoding.transition_based.score_cache cimport ScoreCache
from spacy_npparse.decoding.transition_based.scoring cimport Scorer
from spacy_npparse.transitions.configuration cimport KernelConfiguration
from spacy_npparse.transitions.system cimport KernelOracle, KernelSystem


# A configuration with the best of its derivations.
cdef struct Hypothesis:
    # Its place in the pool.
    int configuration
    # The place of the last transition of the derivation in `Beam.steps`, NO_STEP at the start.
    int last_step
    # The number of transitions.
    int length
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
    # What the transition adds to the score, and the score with it.
    double gain
    double score


cdef enum:
    NO_STEP = -1


cdef class Beam:
    cdef KernelSystem system
    cdef ConfigurationPool pool
    cdef ScoreCache cache
    cdef KernelOracle oracle
    cdef KernelConfiguration next
    cdef size_t width
    cdef bint normalised
    cdef bint right_only
    cdef double margin
    cdef int n
    cdef int sentence
    cdef int root_row
    # The hypotheses at the same frontier, the best first.
    cdef vector[Hypothesis] hypotheses
    cdef vector[Step] steps
    # Working memory of `advance`.
    cdef vector[Hypothesis] waiting
    cdef vector[Hypothesis] extended
    cdef vector[Extension] extensions
    cdef vector[int] costs
    cdef vector[char] legal
    cdef vector[double] gains

    cdef int start(self, int n, int sentence, int root_row) except -1 nogil
    cdef int advance(self, int frontier) except -1 nogil
    cdef int search(self, int n, int sentence, int root_row) except -1 nogil
    cdef void extend(self, int parent, KernelConfiguration c) noexcept nogil
    cdef void rate_transitions(self, KernelConfiguration c) noexcept nogil
    cdef int wrong_arcs_of(self, KernelConfiguration c, int t) noexcept nogil
    cdef bint add(self, const Extension& extension, int frontier) except -1 nogil
    cdef Hypothesis applied(
        self, const Extension& extension, KernelConfiguration before, KernelConfiguration c
    ) noexcept nogil
    cdef bint merge(
        self, vector[Hypothesis]& hypotheses, const Hypothesis& other, KernelConfiguration c
    ) noexcept nogil
    cdef bint is_hopeless(self, double score) noexcept nogil
    cdef list transitions(self, int last_step)


cdef int wrong_arcs(KernelOracle oracle, KernelConfiguration c) noexcept nogil
