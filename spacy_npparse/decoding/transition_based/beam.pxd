from libcpp.vector cimport vector

from spacy_npparse.decoding.transition_based.configuration_pool cimport ConfigurationPool
from spacy_npparse.decoding.transition_based.hypotheses cimport Extension, Hypothesis, Step
from spacy_npparse.decoding.transition_based.score_cache cimport ScoreCache
from spacy_npparse.decoding.transition_based.scoring cimport Scorer
from spacy_npparse.transitions.configuration cimport KernelConfiguration
from spacy_npparse.transitions.system cimport KernelOracle, KernelSystem


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
