from libcpp.vector cimport vector

from spacy_npparse.transitions.system cimport KernelOracle


cdef class ArcHybridExact(KernelOracle):
    cdef vector[int] gold_position
    cdef vector[int] gap_loss
    cdef vector[int] gap_loss_by_end
    cdef vector[int] loss_rows
    cdef vector[int] row_words
    cdef int n_rows

    cdef int position(self, int word) noexcept nogil
    cdef int buffer_word(self, int p) noexcept nogil
    cdef int arc_loss(self, int head, int word) noexcept nogil
    cdef void fill_row(self, int i, int below, int word) noexcept nogil
