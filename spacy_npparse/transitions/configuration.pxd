from spacy_npparse.trees.partial_trees cimport NO_WORD


cdef class KernelConfiguration:
    cdef readonly int n
    cdef int capacity
    cdef int* stack
    cdef int stack_size
    cdef int* buffer
    cdef int buffer_size
    cdef int* heads

    cdef int reserve(self, int n) except -1 nogil
    cdef int reset(self, int n) except -1 nogil
    cdef int copy(self, KernelConfiguration other) except -1 nogil
    cdef bint equals(self, KernelConfiguration other) noexcept nogil
    cpdef dict structures(self)
    cpdef load(self, int n, dict structures)


cdef inline int stack_item(KernelConfiguration c, int depth) noexcept nogil:
    """The item `depth` places below the top of the stack (0 = s0), NO_WORD if there is none."""
    return c.stack[c.stack_size - 1 - depth] if depth < c.stack_size else NO_WORD


cdef inline int buffer_item(KernelConfiguration c, int depth) noexcept nogil:
    """The item `depth` places behind the front of the buffer (0 = b0), NO_WORD if there is none."""
    return c.buffer[c.buffer_size - 1 - depth] if depth < c.buffer_size else NO_WORD


cdef inline bint has_head(KernelConfiguration c, int word) noexcept nogil:
    """A(word) ≠ ⊥."""
    return c.heads[word] != NO_WORD


cdef inline void push(KernelConfiguration c, int word) noexcept nogil:
    """Push a word on the stack."""
    c.stack[c.stack_size] = word
    c.stack_size += 1


cdef inline int pop(KernelConfiguration c) noexcept nogil:
    """Pop the top of the stack."""
    c.stack_size -= 1
    return c.stack[c.stack_size]


cdef inline void push_front(KernelConfiguration c, int word) noexcept nogil:
    """Insert a word at the front of the buffer."""
    c.buffer[c.buffer_size] = word
    c.buffer_size += 1


cdef inline int pop_front(KernelConfiguration c) noexcept nogil:
    """Remove the front of the buffer."""
    c.buffer_size -= 1
    return c.buffer[c.buffer_size]
