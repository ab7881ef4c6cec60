from libcpp.vector cimport vector

from spacy_npparse.transitions.configuration cimport KernelConfiguration

# The cost of an illegal transition, greater than that of any legal one.
cpdef enum:
    ILLEGAL = 0x7FFFFFFF

cdef enum Region:
    ON_STACK
    IN_BUFFER
    ELSEWHERE

cdef struct Place:
    Region region
    int depth
    bint head_of


cdef class KernelSystem:
    # An instance can have other `positions` than its class.
    cdef dict __dict__
    cdef readonly tuple candidate_arcs
    cdef readonly int n_transitions
    cdef readonly int n_positions
    cdef readonly int n_candidate_arcs
    cdef readonly bint single_root
    cdef bint root_on_stack
    cdef bint root_in_buffer
    cdef vector[Place] places
    # [n_transitions], whether a transition only changes the word order.
    cdef vector[char] is_reordering

    cdef int initialise(self, KernelConfiguration c, int n) except -1 nogil
    cdef bint is_legal(self, KernelConfiguration c, int t) noexcept nogil
    cdef int mark_legal(self, KernelConfiguration c, char* legal) noexcept nogil
    cdef void apply(self, KernelConfiguration c, int t) noexcept nogil
    cdef bint is_terminal(self, KernelConfiguration c) noexcept nogil
    cdef void positions(self, KernelConfiguration c, int* out) noexcept nogil
    cdef int dependent(self, KernelConfiguration c, int t) noexcept nogil


cdef class KernelOracle:
    cdef readonly KernelSystem system
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
    cdef bint admits_gold(self) noexcept nogil
    cdef void costs(self, KernelConfiguration c, int* out) noexcept nogil
    cdef void subtract_least(self, int* costs) noexcept nogil
    cdef void prefer(self, const int* preferred, int* costs) noexcept nogil


cdef class LossOracle(KernelOracle):
    cdef KernelConfiguration after

    cdef int loss(self, KernelConfiguration c) noexcept nogil


cdef class StaticOracle(KernelOracle):
    cdef int move(self, KernelConfiguration c) noexcept nogil
    cdef int incomplete(self, KernelConfiguration c, int word) noexcept nogil
    cdef bint derives(self, KernelConfiguration c) noexcept nogil
