from libcpp.vector cimport vector

from spacy_npparse.transitions.system cimport KernelOracle, StaticOracle, KernelSystem

cdef enum:
    SHIFT = 0
    LEFT_ARC = 1
    RIGHT_ARC = 2


cdef class ArcHybrid(KernelSystem):
    pass


cdef class ArcHybridStatic(StaticOracle):
    pass


cdef class ArcHybridExact(KernelOracle):
    cdef vector[int] words
    cdef vector[int] gap_loss
    cdef vector[int] split_loss
    cdef vector[int] loss_rows
    cdef vector[int] row_words
    cdef int n_rows

    cdef int position(self, int word) noexcept nogil
    cdef int buffer_word(self, int p) noexcept nogil
    cdef int pop_loss(self, int head, int word) noexcept nogil
    cdef void fill_row(self, int i, int below, int word) noexcept nogil


cdef class ArcHybridDynamic(KernelOracle):
    cdef ArcHybridExact exact
    cdef bint projective_gold
