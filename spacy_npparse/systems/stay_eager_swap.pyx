"""Stay-eager SWAP: non-projective parsing (Kohita, Noji and Matsumoto 2017).

Notation: a configuration is (stack, buffer, arcs). `i` is the top of the stack and σ the stack
below it, `j` is the front of the buffer and β the buffer behind it. g(w) is the gold head of w,
A(w) its head so far, ⊥ if it has none. The root is the bottom of the stack.

This module follows the slides of the authors, which define the transitions, the static and the
non-static oracle. They motivate two auxiliary transitions without defining them: Right-Root, which
delays the attachment of a word to the root, and Unshift, which returns a headless word to the empty
buffer. UNSHIFT is defined here. Right-Root is left out, because a word can be shifted without a
head, unshifted at the end, and attached to the root then.
"""

from libcpp.vector cimport vector

from spacy_npparse.transitions.configuration cimport (
    KernelConfiguration, buffer_item, has_head, pop, pop_front, push, push_front, stack_item
)
from spacy_npparse.transitions.system cimport ILLEGAL, KernelSystem, StaticOracle
from spacy_npparse.trees.partial_trees cimport NO_WORD
from spacy_npparse.trees.projectivity cimport dominates

cdef enum:
    SHIFT = 0
    STAY_LEFT = 1
    STAY_RIGHT = 2
    SWAP = 3
    REDUCE = 4
    UNSHIFT = 5


cdef class UnshiftConfiguration(KernelConfiguration):
    """Stack, buffer, arcs and the words that were unshifted.

    Attributes:
        unshifted: Words that UNSHIFT has moved, ascending.
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

    cdef bint equals(self, KernelConfiguration other) noexcept nogil:
        return (
            KernelConfiguration.equals(self, other)
            and self.was_unshifted == (<UnshiftConfiguration>other).was_unshifted
        )

    cpdef dict structures(self):
        cdef dict structures = KernelConfiguration.structures(self)
        structures["unshifted"] = tuple([w for w in range(self.n + 1) if self.was_unshifted[w]])
        return structures

    cpdef load(self, int n, dict structures):
        KernelConfiguration.load(self, n, structures)
        if not set(structures["unshifted"]) <= set(range(1, n + 1)):
            raise ValueError(f"unshifted words are {structures['unshifted']}, not all in 1..{n}")
        for word in structures["unshifted"]:
            self.was_unshifted[word] = 1
            self.any_unshifted = True


cdef class StayEagerSwap(KernelSystem):
    """Stay-eager SWAP: adding an arc leaves stack and buffer as they are.

    Initial: ([0], [1..n], ∅). Terminal: ([0], [], A).

        SHIFT       (σ, j|β, A)    => (σ|j, β, A)
        STAY-LEFT   (σ|i, j|β, A)  => (σ|i, j|β, A ∪ {j → i})     i ≠ 0, A(i) = ⊥, no cycle
        STAY-RIGHT  (σ|i, j|β, A)  => (σ|i, j|β, A ∪ {i → j})     A(j) = ⊥, no cycle
        SWAP        (σ|i, j|β, A)  => (σ, j|i|β, A)               0 < i < j in sentence order
        REDUCE      (σ|i, B, A)    => (σ, B, A)                   A(i) ≠ ⊥
        UNSHIFT     (σ|i, [], A)   => (σ, [i], A)                 i ≠ 0, A(i) = ⊥

    Two preconditions of our own ensure that every derivation ends in a tree: a word that was
    unshifted is shifted again only when it has a head, and there is no SWAP after the first
    UNSHIFT.

    Single root (our own preconditions): a dependent of the root is never swapped, and it is reduced
    only if nothing but the root remains on the stack and in the buffer. Until then, the root does
    not return to the top of the stack.

    No dead ends. Derivations of the static oracle have length 3n + 2·#SWAP, #SWAP ≤ n(n-1)/2.

    Covers all trees.

    Source: Kohita, Noji and Matsumoto (2017). The other preconditions are our own.
    """

    names = ("SHIFT", "STAY-LEFT", "STAY-RIGHT", "SWAP", "REDUCE", "UNSHIFT")
    reordering = ("SWAP",)
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
        if t == STAY_LEFT:
            return i > 0 and not has_head(c, i) and not dominates(c.heads, i, j)
        if t == STAY_RIGHT:
            return not has_head(c, j) and not dominates(c.heads, j, i)
        if i <= 0 or (<UnshiftConfiguration>c).any_unshifted:
            return False
        return i < j and not (self.single_root and c.heads[i] == 0)

    cdef void apply(self, KernelConfiguration c, int t) noexcept nogil:
        cdef int j
        if t == SHIFT:
            push(c, pop_front(c))
        elif t == STAY_LEFT:
            c.heads[stack_item(c, 0)] = buffer_item(c, 0)
        elif t == STAY_RIGHT:
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
        if t == STAY_LEFT:
            return stack_item(c, 0)
        return buffer_item(c, 0) if t == STAY_RIGHT else NO_WORD


cdef class StayEagerSwapStatic(StaticOracle):
    """A static oracle that chooses the first of these transitions that is legal and applies:

        STAY-LEFT   g(i) = j
        STAY-RIGHT  g(j) = i
        SWAP        isCross(i, j): a gold arc between i and a word of β is not yet built, nor is one
                    between j and a word of σ
        REDUCE      A(i) ≠ ⊥ and all gold dependents of i are attached
        SHIFT

    Derives every tree. The slides print a condition for SHIFT about the right dependents of j. It
    is left out, because it can never hold if j has any, and is not needed for left dependents.

    Source: Kohita, Noji and Matsumoto (2017), appendix of the slides.
    """

    cdef int move(self, KernelConfiguration c) noexcept nogil:
        cdef int i = stack_item(c, 0)
        cdef int j = buffer_item(c, 0)
        if j != NO_WORD:
            if i > 0 and self.tree[i] == j and self.system.is_legal(c, STAY_LEFT):
                return STAY_LEFT
            if self.tree[j] == i and self.system.is_legal(c, STAY_RIGHT):
                return STAY_RIGHT
            if self.system.is_legal(c, SWAP) and self.crosses(c, i, j):
                return SWAP
        if self.reducible(c):
            return REDUCE
        return SHIFT if self.system.is_legal(c, SHIFT) else UNSHIFT

    cdef bint reducible(self, KernelConfiguration c) noexcept nogil:
        """Whether REDUCE applies and is legal."""
        return self.system.is_legal(c, REDUCE) and self.incomplete(c, stack_item(c, 0)) == 0

    cdef bint crosses(self, KernelConfiguration c, int i, int j) noexcept nogil:
        """isCross(i, j)."""
        return self.pending_ahead(c, i) and self.pending_below(c, j)

    cdef bint pending(self, KernelConfiguration c, int v, int w) noexcept nogil:
        """Whether a gold arc between v and w is not yet built."""
        return (w > 0 and self.tree[w] == v and c.heads[w] != v) or (
            v > 0 and self.tree[v] == w and c.heads[v] != w
        )

    cdef bint pending_ahead(self, KernelConfiguration c, int i) noexcept nogil:
        """Whether a gold arc between i and a word of β is not yet built."""
        cdef int place
        for place in range(1, c.buffer_size):
            if self.pending(c, i, buffer_item(c, place)):
                return True
        return False

    cdef bint pending_below(self, KernelConfiguration c, int j) noexcept nogil:
        """Whether a gold arc between j and a word of σ is not yet built."""
        cdef int place
        for place in range(1, c.stack_size):
            if self.pending(c, stack_item(c, place), j):
                return True
        return False


cdef class StayEagerSwapNonStatic(StayEagerSwapStatic):
    """An oracle that allows REDUCE to be postponed.

    Its rules are those of `StayEagerSwapStatic`, but where REDUCE applies, SHIFT also costs 0 if no
    gold arc between j and a word of σ is missing. Every sequence of such choices derives the gold
    tree. The slides do not print the condition, so this one is our own.

    Source: Kohita, Noji and Matsumoto (2017).
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
