from libcpp.vector cimport vector

from spacy_npparse.transitions.system cimport KernelSystem, LossOracle, StaticOracle

cdef enum:
    SHIFT = 0
    LEFT_ARC = 1
    RIGHT_ARC = 2


cdef class ArcStandard(KernelSystem):
    pass


cdef class ArcStandardStatic(StaticOracle):
    pass


cdef class ArcStandardDynamic(LossOracle):
    cdef vector[int] left
    cdef vector[int] right
    cdef vector[int] left_arc
    cdef vector[int] tops
    cdef vector[int] over
    cdef vector[int] under
    cdef vector[int] stack

    cdef bint wrong(self, int head, int dependent) noexcept nogil
    cdef int remaining(self, int depth, int first) noexcept nogil
    cdef int under_one_root(self, int depth, int first) noexcept nogil
