from libcpp.vector cimport vector

from spacy_npparse.transitions.configuration cimport KernelConfiguration
from spacy_npparse.transitions.system cimport KernelSystem, LossOracle, StaticOracle

cdef enum:
    SHIFT = 0
    NO_ARC = 1
    LEFT_ARC = 2
    RIGHT_ARC = 3


cdef class ListConfiguration(KernelConfiguration):
    pass


cdef class Covington(KernelSystem):
    cdef bint may_attach(self, KernelConfiguration c, int t) noexcept nogil
    cdef bint can_end_with_one_root(self, KernelConfiguration c, int t) noexcept nogil
    cdef void attach(self, KernelConfiguration c, int t) noexcept nogil


cdef class CovingtonStatic(StaticOracle):
    pass


cdef class CovingtonDynamic(LossOracle):
    cdef vector[char] passed
    cdef vector[int] work

    cdef int unreachable(self, KernelConfiguration c) noexcept nogil
