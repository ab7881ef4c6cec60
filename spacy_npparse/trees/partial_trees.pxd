from libcpp.vector cimport vector

# No word: a missing head, an empty place.
cdef enum:
    NO_WORD = -1

cdef int tree_root(const int* heads, int word) noexcept nogil
cdef int lost_arcs(
    const int* heads, const int* gold, int n, const char* passed, vector[int]& work
) noexcept nogil
