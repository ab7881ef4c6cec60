from spacy_npparse.transitions.system cimport TransitionSystem


cdef class MH4(TransitionSystem):
    pass
