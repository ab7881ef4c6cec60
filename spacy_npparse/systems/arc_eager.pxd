from spacy_npparse.systems.projective_loss cimport ProjectiveLoss
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
    cdef ProjectiveLoss losses
    cdef bint decomposable
    cdef bint left_arc_replaces
    cdef bint reduce_attaches

    cdef void lost_arcs(self, KernelConfiguration c, int* out) noexcept nogil
    cdef void least_losses(self, KernelConfiguration c, int* out) noexcept nogil
    cdef int head_ahead(self, KernelConfiguration c, int word) noexcept nogil
    cdef bint last_reduce_may_repair(self, KernelConfiguration c) noexcept nogil
    cdef bint linked(self, KernelConfiguration c) noexcept nogil
