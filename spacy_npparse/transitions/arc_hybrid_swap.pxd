from libcpp.vector cimport vector

from spacy_npparse.transitions.arc_hybrid cimport ArcHybrid
from spacy_npparse.transitions.configuration cimport Configuration
from spacy_npparse.transitions.system cimport Oracle

cdef enum:
    SWAP = 3


cdef class ArcHybridSwap(ArcHybrid):
    pass


cdef class StaticDynamic(Oracle):
    cdef vector[int] ranks

    cdef bint swap_forced(self, Configuration c) noexcept nogil
    cdef bint swaps_back(self, Configuration c, int word) noexcept nogil
    cdef int shift_cost(self, Configuration c) noexcept nogil
    cdef int pop_cost(self, Configuration c, int head) noexcept nogil
