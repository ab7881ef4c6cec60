"""A pool of configurations that are reused without the GIL."""

from cpython.ref cimport PyObject

from spacy_npparse.transitions.configuration cimport KernelConfiguration
from spacy_npparse.transitions.system cimport KernelSystem


cdef class ConfigurationPool:
    """A pool of configurations of a system. Users take a configuration by its index and give it
    back.

    If all configurations are in use, a new one is made, which takes the GIL.

    Args:
        system: The transition system.
    """

    def __init__(self, KernelSystem system):
        self.system = system
        self.configurations = []

    cdef int take(self) except -1 nogil:
        """Take the index of a configuration that is not in use. Its content is arbitrary."""
        cdef int place
        if self.free.empty():
            with gil:
                self._add()
        place = self.free.back()
        self.free.pop_back()
        return place

    cdef void give_back(self, int place) noexcept nogil:
        """Give a configuration back."""
        self.free.push_back(place)

    cdef void clear(self) noexcept nogil:
        """Give all configurations back."""
        cdef int place
        self.free.clear()
        for place in range(<int>self.at.size() - 1, -1, -1):
            self.free.push_back(place)

    def _add(self):
        cdef KernelConfiguration c = self.system.new_configuration()
        self.configurations.append(c)
        self.free.push_back(<int>self.at.size())
        self.at.push_back(<PyObject*>c)
