cdef int check_acyclic(const int* heads, int n) except -1 nogil
cdef int complete(const int* heads, int n, int* out) except -1 nogil
cdef bint dominates(const int* heads, int ancestor, int word) noexcept nogil
cdef int in_order_ranks(const int* heads, int n, int* ranks) except -1 nogil
cdef int maximal_components(const int* heads, int n, int* components) except -1 nogil
cdef bint projective(const int* heads, int n) except -1 nogil
