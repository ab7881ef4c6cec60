from spacy_npparse.transitions.configuration cimport KernelConfiguration

cdef int head_of_arc(KernelConfiguration c, int t) noexcept nogil
