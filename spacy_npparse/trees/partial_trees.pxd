from libcpp.vector cimport vector

# No word: a head that is missing, a place that is empty.
cpdef enum:
    NO_WORD = -1


cdef int top(const int* heads, int word) noexcept nogil
cdef int lost_arcs(
    const int* heads, const int* gold, int n, const char* passed, vector[int]& work
) noexcept nogil
