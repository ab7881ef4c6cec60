from spacy_npparse.transitions.configuration cimport KernelConfiguration
from spacy_npparse.transitions.system cimport KernelOracle, KernelSystem, StaticOracle

cdef enum:
    SHIFT = 0
    LEFT_ARC = 1
    RIGHT_ARC = 2
    REDUCE = 3


cdef class ArcEager(KernelSystem):
    pass


cdef class ArcEagerStatic(StaticOracle):
    pass


cdef class ArcEagerDynamic(KernelOracle):
    cdef void lost_arcs(self, KernelConfiguration c, int* out) noexcept nogil
    cdef void rule_out_illegal(self, KernelConfiguration c, int* out) noexcept nogil
