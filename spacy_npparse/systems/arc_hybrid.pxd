from spacy_npparse.systems.arc_hybrid_exact_oracle cimport ArcHybridExact
from spacy_npparse.transitions.system cimport KernelOracle, KernelSystem, StaticOracle

cdef enum:
    SHIFT = 0
    LEFT_ARC = 1
    RIGHT_ARC = 2


cdef class ArcHybrid(KernelSystem):
    pass


cdef class ArcHybridStatic(StaticOracle):
    pass


cdef class ArcHybridDynamic(KernelOracle):
    cdef ArcHybridExact exact
    cdef bint projective_gold
