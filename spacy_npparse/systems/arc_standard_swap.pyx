"""Arc-standard with SWAP: non-projective parsing (Nivre 2009), with its lazy oracle (Nivre,
Kuhlmann and Hall 2009).

Notation as in `arc_standard`. PROJ(w) is the rank of w in the projective order of the gold tree,
MPC(w) the root of its maximal projective component.
"""

from libcpp.vector cimport vector

from spacy_npparse.systems.arc_standard cimport SHIFT, ArcStandard, ArcStandardStatic
from spacy_npparse.transitions.configuration cimport (
    KernelConfiguration, buffer_item, pop, push, push_front, stack_item
)
from spacy_npparse.trees.projectivity cimport in_order_ranks, maximal_components

cdef enum:
    SWAP = 3


cdef class ArcStandardSwap(ArcStandard):
    """The arc-standard system with SWAP.

    Initial and terminal configurations, SHIFT, LEFT-ARC and RIGHT-ARC are those of `ArcStandard`.
    In addition,

        SWAP  (σ|i|j, B, A) => (σ|j, i|B, A)      0 < i < j in sentence order

    Each pair of words is swapped at most once: length 2n + 2·#SWAP, #SWAP ≤ n(n-1)/2. No dead ends.

    Covers all trees.

    Source: Nivre (2009).
    """

    names = ArcStandard.names + ("SWAP",)
    reordering = ("SWAP",)
    projective = False

    def oracle_classes(self):
        return {"eager": ArcStandardSwapEager, "lazy": ArcStandardSwapLazy}

    def max_length(self, int n):
        return 2 * n + n * (n - 1)

    cdef bint is_legal(self, KernelConfiguration c, int t) noexcept nogil:
        if t == SWAP:
            return 0 < stack_item(c, 1) < stack_item(c, 0)
        return ArcStandard.is_legal(self, c, t)

    cdef void apply(self, KernelConfiguration c, int t) noexcept nogil:
        cdef int j
        if t == SWAP:
            j = pop(c)
            push_front(c, pop(c))
            push(c, j)
        else:
            ArcStandard.apply(self, c, t)


cdef class ArcStandardSwapEager(ArcStandardStatic):
    """A static oracle that chooses the first of these transitions whose condition holds:

        LEFT-ARC   g(i) = j and i is complete
        RIGHT-ARC  g(j) = i and j is complete
        SWAP       PROJ(j) < PROJ(i)
        SHIFT

    Derives every tree.

    Source: Nivre (2009).
    """

    cdef vector[int] ranks

    cdef int precompute(self) except -1 nogil:
        self.ranks.resize(self.n + 1)
        in_order_ranks(self.tree, self.n, self.ranks.data())
        return 0

    cdef bint swaps(self, KernelConfiguration c) noexcept nogil:
        """Whether the condition of SWAP holds."""
        cdef int j = stack_item(c, 0)
        cdef int i = stack_item(c, 1)
        return 0 < i < j and self.ranks[j] < self.ranks[i]

    cdef int move(self, KernelConfiguration c) noexcept nogil:
        cdef int arc = ArcStandardStatic.move(self, c)
        return SWAP if arc == SHIFT and self.swaps(c) else arc


cdef class ArcStandardSwapLazy(ArcStandardSwapEager):
    """A static oracle with fewer swaps than `ArcStandardSwapEager`.

    Its rules are the same, but SWAP requires in addition that MPC(j) ≠ MPC(b) or that the buffer is
    empty. Derives every tree.

    Source: Nivre, Kuhlmann and Hall (2009).
    """

    cdef vector[int] components

    cdef int precompute(self) except -1 nogil:
        ArcStandardSwapEager.precompute(self)
        self.components.resize(self.n + 1)
        maximal_components(self.tree, self.n, self.components.data())
        return 0

    cdef bint swaps(self, KernelConfiguration c) noexcept nogil:
        return ArcStandardSwapEager.swaps(self, c) and (
            c.buffer_size == 0
            or self.components[stack_item(c, 0)] != self.components[buffer_item(c, 0)]
        )
