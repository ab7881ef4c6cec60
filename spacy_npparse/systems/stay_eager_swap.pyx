"""Stay-eager SWAP: non-projective parsing (Kohita, Noji and Matsumoto 2017).

The root is the bottom of the stack. `i` is the top of the stack and `j` the front of the buffer;
σ is the stack below i and β the buffer behind j. A(w) is the head that w has so far, ⊥ if none.
"""

from libcpp.vector cimport vector

from spacy_npparse.transitions.configuration cimport (
    KernelConfiguration, buffer_item, has_head, pop, pop_front, push, push_front, stack_item
)
from spacy_npparse.trees.projectivity cimport dominates
from spacy_npparse.transitions.system cimport ILLEGAL, StaticOracle, KernelSystem
from spacy_npparse.trees.partial_trees cimport NO_WORD

cdef enum:
    SHIFT = 0
    LEFT_ARC = 1
    RIGHT_ARC = 2
    SWAP = 3
    REDUCE = 4
    UNSHIFT = 5


cdef class UnshiftConfiguration(KernelConfiguration):
    """A configuration that remembers which words went back from the stack to the empty buffer.

    unshifted: words that UNSHIFT has moved, ascending.
    """

    cdef vector[char] was_unshifted
    cdef bint any_unshifted

    cdef int reset(self, int n) except -1 nogil:
        KernelConfiguration.reset(self, n)
        self.was_unshifted.assign(n + 1, 0)
        self.any_unshifted = False
        return 0

    cdef int copy(self, KernelConfiguration other) except -1 nogil:
        KernelConfiguration.copy(self, other)
        self.was_unshifted = (<UnshiftConfiguration>other).was_unshifted
        self.any_unshifted = (<UnshiftConfiguration>other).any_unshifted
        return 0

    cpdef dict structures(self):
        cdef dict structures = KernelConfiguration.structures(self)
        structures["unshifted"] = tuple([w for w in range(self.n + 1) if self.was_unshifted[w]])
        return structures

    cpdef load(self, int n, dict structures):
        KernelConfiguration.load(self, n, structures)
        for word in structures["unshifted"]:
            self.was_unshifted[word] = 1
            self.any_unshifted = True


cdef class StayEagerSwap(KernelSystem):
    """Stay-eager SWAP: words stay where they are when an arc is added.

    Initial: ([0], [1..n], ∅). Terminal: ([0], [], A).

        SHIFT      (σ, j|β, A)    => (σ|j, β, A)
        LEFT-ARC   (σ|i, j|β, A)  => (σ|i, j|β, A ∪ {j → i})     i ≠ 0, A(i) = ⊥, no cycle
        RIGHT-ARC  (σ|i, j|β, A)  => (σ|i, j|β, A ∪ {i → j})     A(j) = ⊥, no cycle
        SWAP       (σ|i, j|β, A)  => (σ, j|i|β, A)               0 < i < j in sentence order
        REDUCE     (σ|i, B, A)    => (σ, B, A)                   A(i) ≠ ⊥
        UNSHIFT    (σ|i, [], A)   => (σ, [i], A)                 i ≠ 0, A(i) = ⊥

    The slides leave open how every word gets a head. Here, own rules: a word that was unshifted
    is shifted again only once it has a head, and after the first UNSHIFT there is no SWAP.

    Single root: a dependent of the root is never swapped, and reduced only when stack and buffer
    hold nothing else but the root; so the root is not on top again before.

    Gold derivations have 3n + 2·#SWAP transitions, #SWAP ≤ n(n-1)/2. Covers all trees; no dead
    ends.
    """

    names = ("SHIFT", "LEFT-ARC", "RIGHT-ARC", "SWAP", "REDUCE", "UNSHIFT")
    position_names = ("s1", "s0", "b0", "b1", "head of s0", "head of b0")

    def new_configuration(self):
        return UnshiftConfiguration()

    def oracle_classes(self):
        return {"static": StayEagerSwapStatic, "non-static": StayEagerSwapNonStatic}

    def max_length(self, int n):
        return 3 * n + n * (n - 1) + 2 * n

    cdef bint is_legal(self, KernelConfiguration c, int t) noexcept nogil:
        cdef int i = stack_item(c, 0)
        cdef int j = buffer_item(c, 0)
        if t == REDUCE:
            return i > 0 and has_head(c, i) and not (
                self.single_root and c.heads[i] == 0 and (c.stack_size > 2 or c.buffer_size > 0)
            )
        if t == UNSHIFT:
            return j == NO_WORD and i > 0 and not has_head(c, i)
        if j == NO_WORD:
            return False
        if t == SHIFT:
            return not (<UnshiftConfiguration>c).was_unshifted[j] or has_head(c, j)
        if t == LEFT_ARC:
            return i > 0 and not has_head(c, i) and not dominates(c.heads, i, j)
        if t == RIGHT_ARC:
            return not has_head(c, j) and not dominates(c.heads, j, i)
        if (<UnshiftConfiguration>c).any_unshifted or (self.single_root and c.heads[i] == 0):
            return False
        return 0 < i < j

    cdef void apply(self, KernelConfiguration c, int t) noexcept nogil:
        cdef int j
        if t == SHIFT:
            push(c, pop_front(c))
        elif t == LEFT_ARC:
            c.heads[stack_item(c, 0)] = buffer_item(c, 0)
        elif t == RIGHT_ARC:
            c.heads[buffer_item(c, 0)] = stack_item(c, 0)
        elif t == SWAP:
            j = pop_front(c)
            push_front(c, pop(c))
            push_front(c, j)
        elif t == REDUCE:
            pop(c)
        else:
            j = pop(c)
            push_front(c, j)
            (<UnshiftConfiguration>c).was_unshifted[j] = 1
            (<UnshiftConfiguration>c).any_unshifted = True

    cdef bint is_terminal(self, KernelConfiguration c) noexcept nogil:
        return c.stack_size == 1 and c.buffer_size == 0

    cdef int dependent(self, KernelConfiguration c, int t) noexcept nogil:
        if t == LEFT_ARC:
            return stack_item(c, 0)
        return buffer_item(c, 0) if t == RIGHT_ARC else NO_WORD

    cdef bint is_reordering(self, int t) noexcept nogil:
        return t == SWAP


cdef class StayEagerSwapStatic(StaticOracle):
    """The first that holds and is legal:

        LEFT-ARC   if g(i) = j
        RIGHT-ARC  if g(j) = i
        SWAP       if i < j, i has a gold arc to build with a word of β and j one with a word of σ
        REDUCE     if A(i) ≠ ⊥ and i has all its gold dependents
        SHIFT

    Derives every tree. The slides print further conditions for SHIFT, one of which can never
    hold; it needs none.
    """

    cdef int move(self, KernelConfiguration c) noexcept nogil:
        cdef int i = stack_item(c, 0)
        cdef int j = buffer_item(c, 0)
        if j != NO_WORD:
            if i > 0 and self.tree[i] == j and self.system.is_legal(c, LEFT_ARC):
                return LEFT_ARC
            if self.tree[j] == i and self.system.is_legal(c, RIGHT_ARC):
                return RIGHT_ARC
            if self.system.is_legal(c, SWAP) and self.pending_ahead(c, i) and self.pending_below(c, j):
                return SWAP
        if self.reducible(c):
            return REDUCE
        return SHIFT if self.system.is_legal(c, SHIFT) else UNSHIFT

    cdef bint reducible(self, KernelConfiguration c) noexcept nogil:
        """Whether the rule for REDUCE holds."""
        return self.system.is_legal(c, REDUCE) and self.incomplete(c, stack_item(c, 0)) == 0

    cdef bint pending(self, KernelConfiguration c, int v, int w) noexcept nogil:
        """Whether there is a gold arc between v and w that is not built yet."""
        return (w > 0 and self.tree[w] == v and c.heads[w] != v) or (
            v > 0 and self.tree[v] == w and c.heads[v] != w
        )

    cdef bint pending_ahead(self, KernelConfiguration c, int i) noexcept nogil:
        """Whether i has a gold arc to build with a word of β."""
        cdef int place
        for place in range(1, c.buffer_size):
            if self.pending(c, i, buffer_item(c, place)):
                return True
        return False

    cdef bint pending_below(self, KernelConfiguration c, int j) noexcept nogil:
        """Whether j has a gold arc to build with an item of σ."""
        cdef int place
        for place in range(1, c.stack_size):
            if self.pending(c, stack_item(c, place), j):
                return True
        return False


cdef class StayEagerSwapNonStatic(StayEagerSwapStatic):
    """As `StayEagerSwapStatic`, but where REDUCE is due, SHIFT costs nothing either if REDUCE can
    be postponed: j has no gold arc to build with an item of σ.

    Every choice derives the gold tree. The paper's condition is not printed in the slides; this
    one is exact (found by exhaustive search).
    """

    def __init__(self, KernelSystem system):
        super().__init__(system)
        self.postpones = True

    def derivation_oracle(self):
        return "static"

    cdef void costs(self, KernelConfiguration c, int* out) noexcept nogil:
        StayEagerSwapStatic.costs(self, c, out)
        if (
            out[REDUCE] == 0
            and out[SHIFT] != ILLEGAL
            and not self.pending_below(c, buffer_item(c, 0))
        ):
            out[SHIFT] = 0
