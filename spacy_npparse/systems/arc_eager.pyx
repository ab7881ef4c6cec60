"""Arc-eager (Nivre 2003) and its non-monotonic variants (Honnibal, Goldberg and Johnson 2013).

The root is the last item of the buffer. `s` is the top of the stack and `s1` the item below it,
`b` is the front of the buffer and β the buffer behind it. A(w) is the head that w has so far, ⊥ if
none. On the stack, a word with a head has its head directly below.
"""

from spacy_npparse.transitions.configuration cimport (
    KernelConfiguration, buffer_item, has_head, pop, pop_front, push, stack_item
)
from spacy_npparse.transitions.system cimport ILLEGAL, KernelOracle, StaticOracle, KernelSystem
from spacy_npparse.trees.partial_trees cimport NO_WORD

cdef enum:
    SHIFT = 0
    LEFT_ARC = 1
    RIGHT_ARC = 2
    REDUCE = 3


cdef class ArcEager(KernelSystem):
    """Arc-eager.

    Initial: ([], [1..n, 0], ∅). Terminal: ([0], [], A). Length 2n + 1.

        SHIFT      (σ, b|β, A)    => (σ|b, β, A)                  b ≠ 0 or σ = []
        LEFT-ARC   (σ|s, b|β, A)  => (σ, b|β, A ∪ {b → s})        A(s) = ⊥
        RIGHT-ARC  (σ|s, b|β, A)  => (σ|s|b, β, A ∪ {s → b})      b ≠ 0
        REDUCE     (σ|s, B, A)    => (σ, B, A)                    A(s) ≠ ⊥

    Single root: LEFT-ARC from the root only if the stack holds one item. By itself that would
    make dead ends; so, when the root alone is left in the buffer, REDUCE is legal for a word
    without head too, if there is an item below, which becomes its head.
    Covers exactly the projective trees.
    """

    names = ("SHIFT", "LEFT-ARC", "RIGHT-ARC", "REDUCE")
    position_names = ("s1", "s0", "b0", "b1", "head of s0")
    root = "right"
    projective = True
    # Which transitions may revise what was done: see `NonmonotonicArcEager`.
    nonmonotonic = ()

    cdef bint left_revises
    cdef bint reduce_revises

    def __init__(self, *, bint single_root=True):
        super().__init__(single_root=single_root)
        self.left_revises = "LEFT-ARC" in self.nonmonotonic
        self.reduce_revises = "REDUCE" in self.nonmonotonic

    def oracle_classes(self):
        return {"static": ArcEagerStatic, "dynamic": ArcEagerDynamic}

    def max_length(self, int n):
        return 2 * n + 1

    cdef bint is_legal(self, KernelConfiguration c, int t) noexcept nogil:
        cdef int s = stack_item(c, 0)
        cdef int b = buffer_item(c, 0)
        if t == SHIFT:
            return b > 0 or (b == 0 and s == NO_WORD)
        if s == NO_WORD:
            return False
        if t == LEFT_ARC:
            return (not has_head(c, s) or self.left_revises) and (
                b > 0 or c.stack_size == 1 or not self.single_root
            )
        if t == RIGHT_ARC:
            return b > 0
        return has_head(c, s) or (
            c.stack_size > 1 and (self.reduce_revises or (self.single_root and b == 0))
        )

    cdef void apply(self, KernelConfiguration c, int t) noexcept nogil:
        cdef int s
        if t == SHIFT:
            push(c, pop_front(c))
        elif t == RIGHT_ARC:
            c.heads[buffer_item(c, 0)] = stack_item(c, 0)
            push(c, pop_front(c))
        else:
            s = pop(c)
            if t == LEFT_ARC:
                c.heads[s] = buffer_item(c, 0)
            elif not has_head(c, s):
                c.heads[s] = stack_item(c, 0)

    cdef bint is_terminal(self, KernelConfiguration c) noexcept nogil:
        return c.buffer_size == 0

    cdef int dependent(self, KernelConfiguration c, int t) noexcept nogil:
        cdef int s = stack_item(c, 0)
        if t == RIGHT_ARC:
            return buffer_item(c, 0)
        if t == LEFT_ARC or (t == REDUCE and not has_head(c, s)):
            return s
        return NO_WORD


cdef class NonmonotonicArcEager(ArcEager):
    """Arc-eager in which LEFT-ARC and REDUCE may revise what was done.

        LEFT-ARC  legal also if A(s) ≠ ⊥: the old head is overwritten
        REDUCE    legal also if A(s) = ⊥ and there is an item s1 below: adds s1 → s

    The paper does not state that REDUCE needs s1. `NonmonotonicLeftArcEager` and
    `NonmonotonicReduceArcEager` have only one of the two.
    """

    nonmonotonic = ("LEFT-ARC", "REDUCE")

    def oracle_classes(self):
        return {"static": ArcEagerStatic, "dynamic": ArcEagerDynamic, "joint": JointArcEager}


cdef class NonmonotonicLeftArcEager(NonmonotonicArcEager):
    """Arc-eager in which only LEFT-ARC is non-monotonic ("NML")."""

    nonmonotonic = ("LEFT-ARC",)


cdef class NonmonotonicReduceArcEager(NonmonotonicArcEager):
    """Arc-eager in which only REDUCE is non-monotonic ("NMD")."""

    nonmonotonic = ("REDUCE",)


cdef class ArcEagerStatic(StaticOracle):
    """LEFT-ARC if g(s) = b; RIGHT-ARC if g(b) = s; REDUCE if s has a head and either an item below
    it is the gold head or a gold dependent of b, or b is the root; otherwise SHIFT.

    Derives exactly the projective trees.
    """

    cdef int move(self, KernelConfiguration c) noexcept nogil:
        cdef int s = stack_item(c, 0)
        cdef int b = buffer_item(c, 0)
        cdef int i, word
        if s == NO_WORD:
            return SHIFT
        if self.tree[s] == b and not has_head(c, s):
            return LEFT_ARC
        if b > 0 and self.tree[b] == s:
            return RIGHT_ARC
        if has_head(c, s):
            if b == 0:
                return REDUCE
            for i in range(1, c.stack_size):
                word = stack_item(c, i)
                if self.tree[b] == word or self.tree[word] == b:
                    return REDUCE
        return SHIFT


cdef class ArcEagerDynamic(KernelOracle):
    """The arc-decomposable oracle of arc-eager (Goldberg and Nivre 2012) and of its non-monotonic
    variants (Honnibal, Goldberg and Johnson 2013, section 4).

    The cost of a transition is the number of gold arcs that it puts out of reach. With [l] if
    LEFT-ARC may overwrite heads and [d] if REDUCE may add arcs, a word is free if it has no head
    or [l]:

        SHIFT      [g(b) in σ below s, or g(b) = s without d] + #{k in stack: g(k) = b, k free}
        RIGHT-ARC  [g(b) in σ below s] + [g(b) ∈ β, without l] + #{k in stack: g(k) = b, k free}
        LEFT-ARC   #{k ∈ B: g(k) = s} + [g(s) ∈ β, s free] + [A(s) = g(s)]
                   + [d, A(s) = ⊥ and g(s) = s1]
        REDUCE     #{k ∈ B: g(k) = s} + [g(s) ∈ B, s free]

    Exact for projective gold trees without the single-root precondition. For non-projective gold
    the same counts over-estimate: two arcs that cross are each within reach, not both.

    The papers differ: the 2012 paper lacks "k free", as footnote 4 of the 2013 paper says; that
    one prints no cost for REDUCE alone being non-monotonic where g(s) ∈ B, and counts g(s) ∈ β
    twice for LEFT-ARC where s has a wrong head.
    """

    cdef bint l
    cdef bint d

    def __init__(self, KernelSystem system):
        super().__init__(system)
        self.explores = True
        self.l = (<ArcEager>system).left_revises
        self.d = (<ArcEager>system).reduce_revises

    cdef void costs(self, KernelConfiguration c, int* out) noexcept nogil:
        self.count_lost(c, out, self.l, self.d)

    cdef void count_lost(self, KernelConfiguration c, int* out, bint l, bint d) noexcept nogil:
        """The costs with the given non-monotonic transitions."""
        cdef int s = stack_item(c, 0)
        cdef int b = buffer_item(c, 0)
        cdef int i, t, word
        cdef int shift = 0
        cdef int right = 0
        cdef int left = 0
        cdef int reduce = 0
        for i in range(c.stack_size):
            word = stack_item(c, i)
            if self.gold[word] == b and (l or not has_head(c, word)):
                shift += 1
                right += 1
            if b > 0 and self.gold[b] == word:
                right += i > 0
                shift += i > 0 or not d
        for i in range(c.buffer_size):
            word = buffer_item(c, i)
            right += i > 0 and b > 0 and self.gold[b] == word and not l
            if s > 0:
                left += self.gold[word] == s
                reduce += self.gold[word] == s
                if self.gold[s] == word and (l or not has_head(c, s)):
                    left += i > 0
                    reduce += 1
        if s > 0 and self.gold[s] != NO_WORD:
            left += c.heads[s] == self.gold[s]
            left += d and not has_head(c, s) and self.gold[s] == stack_item(c, 1)
        out[SHIFT] = shift
        out[LEFT_ARC] = left
        out[RIGHT_ARC] = right
        out[REDUCE] = reduce
        for t in range(self.system.n_transitions):
            if not self.system.is_legal(c, t):
                out[t] = ILLEGAL


cdef class JointArcEager(ArcEagerDynamic):
    """The dynamic oracle with preference for what is right monotonically (Honnibal, Goldberg and
    Johnson 2013, section 5).

    Among the transitions of cost 0, those that are legal and cost nothing in the monotonic system
    too; if there are none, all of cost 0. The others of cost 0 cost 1.
    """

    cdef int monotonic[4]

    cdef void costs(self, KernelConfiguration c, int* out) noexcept nogil:
        cdef bint headless = c.stack_size > 0 and not has_head(c, stack_item(c, 0))
        self.count_lost(c, out, self.l, self.d)
        self.count_lost(c, self.monotonic, False, False)
        self.monotonic[REDUCE if headless else LEFT_ARC] = ILLEGAL
        self.prefer(self.monotonic, out)
