"""Arc-standard with SWAP: non-projective parsing (Nivre 2009; Nivre, Kuhlmann and Hall 2009).

The root is the bottom of the stack. `j` is the top of the stack and `i` the item below it.
PROJ(w) is the rank of w in the projective order of the gold tree, MPC(w) the root of its maximal
projective component. A word is complete when all its gold dependents are attached.
"""

from libcpp.vector cimport vector

from spacy_npparse.transitions.configuration cimport (
    Configuration, buffer_item, pop, pop_front, push, push_front, stack_item
)
from spacy_npparse.transitions.projectivity cimport in_order_ranks, maximal_components
from spacy_npparse.transitions.system cimport StaticOracle, TransitionSystem

cdef enum:
    SHIFT = 0
    LEFT_ARC = 1
    RIGHT_ARC = 2
    SWAP = 3


cdef class ArcStandardSwap(TransitionSystem):
    """Arc-standard with SWAP.

    Initial: ([0], [1..n], ∅). Terminal: ([0], [], A).

        SHIFT      (σ, b|β, A)   => (σ|b, β, A)
        LEFT-ARC   (σ|i|j, B, A) => (σ|j, B, A ∪ {j → i})      i ≠ 0
        RIGHT-ARC  (σ|i|j, B, A) => (σ|i, B, A ∪ {i → j})
        SWAP       (σ|i|j, B, A) => (σ|j, i|B, A)              0 < i < j

    Single root: RIGHT-ARC from the root only if the buffer is empty. No dead ends.
    Each pair of words is swapped at most once: length 2n + 2·#SWAP, #SWAP ≤ n(n-1)/2.
    Covers all trees.
    """

    def __init__(self, *, bint single_root=True):
        super().__init__(
            ("SHIFT", "LEFT-ARC", "RIGHT-ARC", "SWAP"), ("s2", "s1", "s0", "b0"), single_root
        )

    def oracle_classes(self):
        return {"eager": ArcStandardSwapEager, "lazy": ArcStandardSwapLazy}

    def max_length(self, int n):
        return 2 * n + n * (n - 1)

    cdef int initialise(self, Configuration c, int n) except -1 nogil:
        cdef int word
        c.reset(n)
        push(c, 0)
        for word in range(n, 0, -1):
            push_front(c, word)
        return 0

    cdef bint is_legal(self, Configuration c, int t) noexcept nogil:
        cdef int i = stack_item(c, 1)
        if t == SHIFT:
            return c.buffer_size > 0
        if t == LEFT_ARC:
            return i > 0
        if t == RIGHT_ARC:
            return i > 0 or (i == 0 and (c.buffer_size == 0 or not self.single_root))
        if t == SWAP:
            return 0 < i < stack_item(c, 0)
        return False

    cdef void apply(self, Configuration c, int t) noexcept nogil:
        cdef int i, j
        if t == SHIFT:
            push(c, pop_front(c))
        elif t == RIGHT_ARC:
            j = pop(c)
            c.heads[j] = stack_item(c, 0)
        else:
            j = pop(c)
            i = pop(c)
            push(c, j)
            if t == LEFT_ARC:
                c.heads[i] = j
            else:
                push_front(c, i)

    cdef bint is_terminal(self, Configuration c) noexcept nogil:
        return c.stack_size == 1 and c.buffer_size == 0

    cdef void positions(self, Configuration c, int* out) noexcept nogil:
        out[0] = stack_item(c, 2)
        out[1] = stack_item(c, 1)
        out[2] = stack_item(c, 0)
        out[3] = buffer_item(c, 0)

    cdef int dependent(self, Configuration c, int t) noexcept nogil:
        if t == LEFT_ARC:
            return stack_item(c, 1)
        return stack_item(c, 0) if t == RIGHT_ARC else -1

    cdef bint is_reordering(self, int t) noexcept nogil:
        return t == SWAP


cdef class ArcStandardSwapEager(StaticOracle):
    """LEFT-ARC if g(i) = j and i is complete; else RIGHT-ARC if g(j) = i and j is complete; else
    SWAP if PROJ(j) < PROJ(i); else SHIFT (Nivre 2009, section 4). Derives every tree.
    """

    cdef vector[int] ranks

    cdef int precompute(self) except -1 nogil:
        self.ranks.resize(self.n + 1)
        in_order_ranks(self.tree, self.n, self.ranks.data())
        return 0

    cdef bint swaps(self, Configuration c, int i, int j) noexcept nogil:
        """Whether SWAP is due for i and j."""
        return 0 < i < j and self.ranks[j] < self.ranks[i]

    cdef int move(self, Configuration c) noexcept nogil:
        cdef int j = stack_item(c, 0)
        cdef int i = stack_item(c, 1)
        if i > 0 and self.tree[i] == j and self.incomplete(c, i) == 0:
            return LEFT_ARC
        if i != -1 and self.tree[j] == i and self.incomplete(c, j) == 0:
            return RIGHT_ARC
        if self.swaps(c, i, j):
            return SWAP
        return SHIFT


cdef class ArcStandardSwapLazy(ArcStandardSwapEager):
    """As `ArcStandardSwapEager`, but SWAP only if further MPC(j) ≠ MPC(b) for the front b of the
    buffer, or the buffer is empty (Nivre, Kuhlmann and Hall 2009, section 4). Derives every tree.
    """

    cdef vector[int] components

    cdef int precompute(self) except -1 nogil:
        ArcStandardSwapEager.precompute(self)
        self.components.resize(self.n + 1)
        maximal_components(self.tree, self.n, self.components.data())
        return 0

    cdef bint swaps(self, Configuration c, int i, int j) noexcept nogil:
        return ArcStandardSwapEager.swaps(self, c, i, j) and (
            c.buffer_size == 0 or self.components[j] != self.components[buffer_item(c, 0)]
        )
