from libcpp.vector cimport vector

from spacy_npparse.transitions.configuration cimport KernelConfiguration


cdef class ProjectiveLoss:
    cdef bint single_root
    # Indexed by whether the item has a head.
    cdef bint to_front[2]
    cdef bint to_below[2]
    cdef int n
    cdef const int* gold
    cdef vector[int] gold_position
    cdef vector[int] gap_loss
    cdef vector[int] gap_loss_by_end
    cdef vector[int] rows
    cdef vector[int] row_items
    cdef int n_rows

    cdef int prepare(self, const int* gold, int n) except -1 nogil
    cdef void look_at(self, KernelConfiguration c) noexcept nogil
    cdef int after_push(self, KernelConfiguration c, bint headed) noexcept nogil
    cdef int after_pop(self, KernelConfiguration c, int head) noexcept nogil
    cdef void fill_gaps(self) noexcept nogil
    cdef int position(self, int word) noexcept nogil
    cdef int buffer_word(self, int p) noexcept nogil
    cdef int arc_loss(self, int head, int word) noexcept nogil
    cdef void set_row(self, KernelConfiguration c, int i, int word, bint headed) noexcept nogil
    cdef void fill_row(self, int i, int below, int word, bint headed) noexcept nogil
