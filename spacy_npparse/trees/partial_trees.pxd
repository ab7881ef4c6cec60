from libcpp.vector cimport vector

cdef int top(const int* heads, int word) noexcept nogil
cdef int lost_arcs(
    const int* heads, const int* gold, int n, const char* passed, vector[int]& work
) noexcept nogil
