from spacy_npparse.systems.projective_loss cimport ProjectiveLoss
from spacy_npparse.transitions.system cimport KernelOracle, KernelSystem, StaticOracle

cdef enum:
    SHIFT = 0
    LEFT_ARC = 1
    RIGHT_ARC = 2


cdef class ArcHybrid(KernelSystem):
    pass


cdef class ArcHybridStatic(StaticOracle):
    pass


cdef class ArcHybridExact(KernelOracle):
    cdef ProjectiveLoss losses


cdef class ArcHybridDynamic(ArcHybridExact):
    cdef bint decomposable
