"""The configurations of the kernel: the states that a derivation passes through."""

from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memcpy

from spacy_npparse.trees.partial_trees cimport NO_WORD
from spacy_npparse.trees.projectivity cimport check_acyclic


cdef class KernelConfiguration:
    """The stack, the buffer and the arcs of a configuration, for a sentence of n words.

    Words are 1..n and 0 is the root. `heads[d]` is the head of d, NO_WORD until it has one. The
    buffer is stored back to front, so that a word can return to its front in constant time.

    An object is reused for any number of sentences, and its memory grows to the longest one. A
    system with further structures subclasses this class, overrides `reset`, `copy`, `equals`,
    `structures` and `load`, and returns the subclass from `KernelSystem.new_configuration`.
    """

    def __cinit__(self):
        self.capacity = 0
        self.n = 0
        self.stack = self.buffer = self.heads = NULL
        self.stack_size = self.buffer_size = 0

    def __dealloc__(self):
        free(self.stack)
        free(self.buffer)
        free(self.heads)

    def __eq__(self, other):
        return type(self) is type(other) and self.equals(other)

    cdef int reserve(self, int n) except -1 nogil:
        """Make room for n words. The content is lost. Raises MemoryError."""
        if n + 1 > self.capacity:
            free(self.stack)
            free(self.buffer)
            free(self.heads)
            self.stack = <int*>malloc((n + 1) * sizeof(int))
            self.buffer = <int*>malloc((n + 1) * sizeof(int))
            self.heads = <int*>malloc((n + 1) * sizeof(int))
            if self.stack == NULL or self.buffer == NULL or self.heads == NULL:
                self.capacity = 0
                with gil:
                    raise MemoryError(f"no memory for a configuration of {n} words")
            self.capacity = n + 1
        self.n = n
        return 0

    cdef int reset(self, int n) except -1 nogil:
        """Empty every structure and make room for n words. Raises MemoryError."""
        cdef int word
        self.reserve(n)
        self.stack_size = 0
        self.buffer_size = 0
        for word in range(n + 1):
            self.heads[word] = NO_WORD
        return 0

    cdef int copy(self, KernelConfiguration other) except -1 nogil:
        """Copy another configuration of the same system."""
        self.reserve(other.n)
        self.stack_size = other.stack_size
        self.buffer_size = other.buffer_size
        memcpy(self.stack, other.stack, other.stack_size * sizeof(int))
        memcpy(self.buffer, other.buffer, other.buffer_size * sizeof(int))
        memcpy(self.heads, other.heads, (other.n + 1) * sizeof(int))
        return 0

    cdef bint equals(self, KernelConfiguration other) noexcept nogil:
        """Check whether another configuration of the same system has the same content, so that the
        same transitions can follow."""
        return (
            self.n == other.n
            and self.stack_size == other.stack_size
            and self.buffer_size == other.buffer_size
            and memcmp(self.stack, other.stack, self.stack_size * sizeof(int)) == 0
            and memcmp(self.heads, other.heads, (self.n + 1) * sizeof(int)) == 0
            # Buffers are compared last, because those of the same size rarely differ.
            and memcmp(self.buffer, other.buffer, self.buffer_size * sizeof(int)) == 0
        )

    cpdef dict structures(self):
        """The content by name: stack (with the top last), buffer (with the front first), heads.

        Subclasses add their own structures. `load` is the inverse.

        Returns:
            A tuple of integers for each structure.
        """
        cdef int i
        return {
            "stack": tuple([self.stack[i] for i in range(self.stack_size)]),
            "buffer": tuple([buffer_item(self, i) for i in range(self.buffer_size)]),
            "heads": tuple([self.heads[i] for i in range(self.n + 1)]),
        }

    cpdef load(self, int n, dict structures):
        """Load the content that `structures` returned.

        Args:
            n: The number of words in the sentence.
            structures: A tuple of integers for each structure.

        Raises:
            ValueError: Stack and buffer do not contain the root and words of the sentence, each at
                most once, or the heads are no partial tree.
        """
        cdef int i
        nodes = sorted(structures["stack"] + structures["buffer"])
        if nodes[:1] != [0] or max(nodes) > n or len(set(nodes)) < len(nodes):
            raise ValueError(
                f"stack {structures['stack']} and buffer {structures['buffer']} do not share out "
                f"the root 0 and words of 1..{n}, each at most once"
            )
        self.reset(n)
        for word in structures["stack"]:
            push(self, word)
        for word in reversed(structures["buffer"]):
            push_front(self, word)
        for i in range(n + 1):
            self.heads[i] = structures["heads"][i]
        check_acyclic(self.heads, n)
