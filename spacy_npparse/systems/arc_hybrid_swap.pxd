from libcpp.vector cimport vector

from spacy_npparse.systems.arc_hybrid cimport ArcHybrid
from spacy_npparse.transitions.configuration cimport KernelConfiguration
from spacy_npparse.transitions.system cimport KernelOracle

cdef enum:
    SWAP = 3


cdef class ArcHybridSwap(ArcHybrid):
    pass


cdef class StaticDynamic(KernelOracle):
    cdef vector[int] ranks

    cdef bint swap_forced(self, KernelConfiguration c) noexcept nogil
    cdef bint swaps_back(self, KernelConfiguration c, int word) noexcept nogil
    cdef int shift_cost(self, KernelConfiguration c) noexcept nogil
    cdef int pop_cost(self, KernelConfiguration c, int head) noexcept nogil
    cdef bint root_is_lost(self, KernelConfiguration c, int word, bint returns) noexcept nogil
