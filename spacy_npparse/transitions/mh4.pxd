from spacy_npparse.transitions.configuration cimport Configuration

cdef int head_of_arc(Configuration c, int t) noexcept nogil
