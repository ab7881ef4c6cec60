from cpython.ref cimport PyObject
from libcpp.vector cimport vector

from spacy_npparse.transitions.system cimport KernelSystem


cdef class ConfigurationPool:
    cdef KernelSystem system
    cdef list configurations
    # The same, for use without the GIL: <KernelConfiguration>pool.at[place].
    cdef vector[PyObject*] at
    cdef vector[int] free

    cdef int take(self) except -1 nogil
    cdef void give_back(self, int place) noexcept nogil
    cdef void clear(self) noexcept nogil
