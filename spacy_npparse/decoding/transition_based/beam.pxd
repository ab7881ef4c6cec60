from libcpp.vector cimport vector

from spacy_npparse.decoding.transition_based.scoring cimport Scorer
from spacy_npparse.transitions.configuration cimport KernelConfiguration
from spacy_npparse.transitions.system cimport KernelOracle, KernelSystem


cdef class Hypothesis:
    cdef KernelConfiguration configuration
    cdef readonly double score
    cdef tuple derivation
    cdef int frontier
    cdef int length
    cdef bint wrong


cdef class Beam:
    cdef list hypotheses
    cdef KernelSystem system
    cdef Scorer scorer
    cdef KernelOracle oracle
    cdef KernelConfiguration next
    cdef double margin
    cdef bint normalised
    cdef bint right_only
    cdef int n
    cdef int sentence
    cdef int root_row
    cdef int width
    cdef vector[int] costs
    cdef vector[char] legal

    cdef int advance(self, int frontier) except -1
    cdef int extend(self, list steps, Hypothesis hypothesis) except -1
    cdef double value(self, int t, double offset) noexcept nogil
    cdef int wrong_arcs_of(self, KernelConfiguration c, int t) noexcept nogil
    cdef Hypothesis applied(self, Hypothesis parent, double score, int t, bint wrong)


cdef int wrong_arcs(KernelOracle oracle, KernelConfiguration c) noexcept nogil
cdef list transitions_of(Hypothesis hypothesis)
