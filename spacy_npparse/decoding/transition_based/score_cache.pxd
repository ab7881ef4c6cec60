from libcpp.vector cimport vector

from spacy_npparse.decoding.transition_based.scoring cimport Scorer
from spacy_npparse.transitions.configuration cimport KernelConfiguration
from spacy_npparse.transitions.system cimport KernelSystem


cdef class ScoreCache:
    cdef KernelSystem system
    cdef Scorer scorer
    cdef vector[int] rows
    cdef vector[float] scores

    cdef const float* look_up(
        self, KernelConfiguration c, int sentence, int root_row
    ) noexcept nogil
