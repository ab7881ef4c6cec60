"""Arc-eager: projective parsing (Nivre 2003), with its dynamic oracle (Goldberg and Nivre 2012).

Notation: a configuration is (stack, buffer, arcs). `s` is the top of the stack and σ the stack
below it, `b` is the front of the buffer B and β the buffer behind it. g(w) is the gold head of w,
A(w) its head so far, ⊥ if it has none. The root is the last item of the buffer (Ballesteros and
Nivre 2013). A word on the stack that has a head has its head directly below it.
"""

from libcpp.algorithm cimport binary_search

from spacy_npparse.systems.projective_loss cimport ProjectiveLoss
from spacy_npparse.transitions.configuration cimport (
    KernelConfiguration, buffer_item, has_head, pop, pop_front, push, stack_item
)
from spacy_npparse.transitions.system cimport ILLEGAL, KernelOracle, KernelSystem, StaticOracle
from spacy_npparse.trees.partial_trees cimport NO_WORD
from spacy_npparse.trees.projectivity cimport projective


cdef class ArcEager(KernelSystem):
    """The arc-eager system.

    Initial: ([], [1..n, 0], ∅). Terminal: ([0], [], A). Length 2n + 1.

        SHIFT      (σ, b|β, A)    => (σ|b, β, A)                  b ≠ 0 or σ = []
        LEFT-ARC   (σ|s, b|β, A)  => (σ, b|β, A ∪ {b → s})        A(s) = ⊥
        RIGHT-ARC  (σ|s, b|β, A)  => (σ|s|b, β, A ∪ {s → b})      b ≠ 0
        REDUCE     (σ|s, B, A)    => (σ, B, A)                    A(s) ≠ ⊥

    Single root: LEFT-ARC from the root only if the stack holds one item. To avoid dead ends, REDUCE
    is also legal for a headless word above another item once only the root is left in the buffer.
    That item becomes the head of the word.

    Covers exactly the projective trees.

    Source: Nivre (2003).
    """

    names = ("SHIFT", "LEFT-ARC", "RIGHT-ARC", "REDUCE")
    position_names = ("s1", "s0", "b0", "b1", "head of s0")
    root = "right"
    projective = True

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
            return not has_head(c, s) and (b > 0 or c.stack_size == 1 or not self.single_root)
        if t == RIGHT_ARC:
            return b > 0
        return has_head(c, s) or (self.single_root and b == 0 and c.stack_size > 1)

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


cdef class ArcEagerStatic(StaticOracle):
    """A static oracle that chooses the first of these transitions whose condition holds:

        LEFT-ARC   g(s) = b and A(s) = ⊥
        RIGHT-ARC  g(b) = s
        REDUCE     A(s) ≠ ⊥, and b is the root, or a word of σ is the gold head or a gold
                   dependent of b
        SHIFT

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
    """The dynamic oracle of arc-eager, which is arc-decomposable.

    The cost of a transition is the number of gold arcs that it makes unreachable:

        SHIFT      [g(b) ∈ σ|s] + #{k ∈ σ|s: g(k) = b, A(k) = ⊥}
        LEFT-ARC   #{k ∈ B: g(k) = s} + [g(s) ∈ β, A(s) = ⊥]
        RIGHT-ARC  [g(b) ∈ σ ∪ β] + #{k ∈ σ|s: g(k) = b, A(k) = ⊥}
        REDUCE     #{k ∈ B: g(k) = s} + [g(s) ∈ B, A(s) = ⊥]

    The 2012 paper lacks the conditions A(k) = ⊥ of SHIFT and RIGHT-ARC (Honnibal, Goldberg and
    Johnson 2013, footnote 4). The condition A(s) = ⊥ matters only in extensions of the system, in
    which LEFT-ARC can be legal for words with heads and REDUCE for words without.

    Single root (our own): on the stack, a gold dependent of the root must be the lowest item.
    Otherwise the arc from the root is already unreachable. So SHIFT costs 1 more if g(b) = 0 and
    the stack is not empty, and g(s) = 0 costs nothing if the stack holds another item. At the end,
    REDUCE attaches headless words to the items below them. So SHIFT costs 1 less if g(b) = s and no
    arc that can still be built links the stack with β, because b can then stay until the end.

    These formulas hold for projective gold trees. Under the precondition, they hold for those with
    a single root, unless a headless word lies directly above its gold head. In all other cases,
    costs are differences of the minimal losses of `ProjectiveLoss`.

    Exact for any gold tree, with and without the single-root precondition.

    Source: Goldberg and Nivre (2012).
    """

    def __init__(
        self, KernelSystem system, bint left_arc_replaces=False, bint reduce_attaches=False
    ):
        """left_arc_replaces: whether LEFT-ARC is legal for words with heads; reduce_attaches:
        whether REDUCE always is for words without, above other items."""
        super().__init__(system)
        self.explores = self.honours_single_root = True
        self.left_arc_replaces = left_arc_replaces
        self.reduce_attaches = reduce_attaches
        self.losses = ProjectiveLoss(
            system.single_root, to_front=(True, left_arc_replaces), to_below=(reduce_attaches, True)
        )

    cdef int precompute(self) except -1 nogil:
        self.decomposable = projective(self.tree, self.n) and self.admits_gold()
        return self.losses.prepare(self.gold, self.n)

    cdef void costs(self, KernelConfiguration c, int* out) noexcept nogil:
        cdef int t
        if self.decomposable and not self.last_reduce_may_repair(c):
            self.lost_arcs(c, out)
            for t in range(self.system.n_transitions):
                if not self.system.is_legal(c, t):
                    out[t] = ILLEGAL
        else:
            self.least_losses(c, out)

    cdef void least_losses(self, KernelConfiguration c, int* out) noexcept nogil:
        """Costs as differences of least losses."""
        cdef int t
        for t in range(self.system.n_transitions):
            out[t] = ILLEGAL
        self.losses.look_at(c)
        if self.system.is_legal(c, LEFT_ARC):
            out[LEFT_ARC] = self.losses.after_pop(c, buffer_item(c, 0))
        if self.system.is_legal(c, REDUCE):
            out[REDUCE] = self.losses.after_pop(c, stack_item(c, 1))
        if self.system.is_legal(c, RIGHT_ARC):
            out[RIGHT_ARC] = self.losses.after_push(c, True)
        if self.system.is_legal(c, SHIFT):
            out[SHIFT] = self.losses.after_push(c, False)
        self.subtract_least(out)

    cdef int head_ahead(self, KernelConfiguration c, int word) noexcept nogil:
        """g(word) for a word of the stack, NO_WORD if it is the root and the arc unreachable."""
        if self.gold[word] == 0 and self.system.single_root and word != c.stack[0]:
            return NO_WORD
        return self.gold[word]

    cdef bint last_reduce_may_repair(self, KernelConfiguration c) noexcept nogil:
        """Whether the single-root precondition is what lets REDUCE attach a word of the stack to
        its gold head."""
        cdef int i
        if not self.system.single_root or self.reduce_attaches:
            return False
        for i in range(1, c.stack_size):
            if self.gold[c.stack[i]] == c.stack[i - 1] and not has_head(c, c.stack[i]):
                return True
        return False

    cdef bint linked(self, KernelConfiguration c) noexcept nogil:
        """Whether a gold arc that can still be built links the stack with β."""
        cdef int b = buffer_item(c, 0)
        cdef int i, head, word
        for i in range(c.stack_size):
            word = c.stack[i]
            if self.gold[word] > b and (self.left_arc_replaces or not has_head(c, word)):
                return True
        for i in range(1, c.buffer_size):
            head = self.gold[buffer_item(c, i)]
            # The root ends up above the whole stack; the stack ascends.
            if head == 0 or 0 < head < b and binary_search(c.stack, c.stack + c.stack_size, head):
                return True
        return False

    cdef void lost_arcs(self, KernelConfiguration c, int* out) noexcept nogil:
        """The formulas above, for all transitions, legal or not."""
        cdef bint single_root = self.system.single_root
        cdef int s = stack_item(c, 0)
        cdef int b = buffer_item(c, 0)
        cdef int head = self.head_ahead(c, s) if s != NO_WORD else NO_WORD
        cdef int i, word
        cdef int shift = single_root and s != NO_WORD and self.gold[b] == 0
        cdef int right = 0
        cdef int left = 0
        cdef int reduce = 0
        for i in range(c.stack_size):
            word = stack_item(c, i)
            if self.gold[word] == b and not has_head(c, word):
                shift += 1
                right += 1
            if self.gold[b] == word:
                shift += 1
                right += i > 0
        if single_root and s != NO_WORD and self.gold[b] == s and not self.reduce_attaches:
            shift -= not self.linked(c)
        for i in range(c.buffer_size):
            word = buffer_item(c, i)
            right += i > 0 and self.gold[b] == word
            if s != NO_WORD:
                left += self.gold[word] == s
                reduce += self.gold[word] == s
                if head == word and not has_head(c, s):
                    left += i > 0
                    reduce += 1
        out[SHIFT] = shift
        out[LEFT_ARC] = left
        out[RIGHT_ARC] = right
        out[REDUCE] = reduce
