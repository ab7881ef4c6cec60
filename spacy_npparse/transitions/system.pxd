from libcpp.vector cimport vector

from spacy_npparse.transitions.configuration cimport Configuration


cdef struct Place:
    bint in_buffer
    int depth
    bint head_of


cdef class TransitionSystem:
    cdef readonly tuple candidate_arcs
    cdef readonly int n_transitions
    cdef readonly int n_positions
    cdef readonly int n_candidate_arcs
    cdef readonly bint single_root
    cdef bint root_on_stack
    cdef bint root_in_buffer
    cdef vector[Place] places

    cdef int initialise(self, Configuration c, int n) except -1 nogil
    cdef bint is_legal(self, Configuration c, int t) noexcept nogil
    cdef int mark_legal(self, Configuration c, char* legal) noexcept nogil
    cdef void apply(self, Configuration c, int t) noexcept nogil
    cdef bint is_terminal(self, Configuration c) noexcept nogil
    cdef void positions(self, Configuration c, int* out) noexcept nogil
    cdef int dependent(self, Configuration c, int t) noexcept nogil
    cdef bint is_reordering(self, int t) noexcept nogil


cdef class Oracle:
    cdef readonly TransitionSystem system
    cdef readonly bint explores
    cdef readonly bint honours_single_root
    cdef readonly bint postpones
    cdef readonly bint proven
    cdef readonly bint explores_reordering
    cdef int n
    cdef int capacity
    cdef int* gold
    cdef int* tree

    cdef int prepare(self, const int* heads, int n) except -1 nogil
    cdef int precompute(self) except -1 nogil
    cdef void costs(self, Configuration c, int* out) noexcept nogil
    cdef void subtract_least(self, int* costs) noexcept nogil
    cdef void prefer(self, const int* preferred, int* costs) noexcept nogil


cdef class LossOracle(Oracle):
    cdef Configuration after

    cdef int loss(self, Configuration c) noexcept nogil


cdef class StaticOracle(Oracle):
    cdef int move(self, Configuration c) noexcept nogil
    cdef int incomplete(self, Configuration c, int word) noexcept nogil
    cdef bint derives(self, Configuration c) noexcept nogil
