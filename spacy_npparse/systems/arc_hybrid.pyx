"""Arc-hybrid: projective parsing (Kuhlmann, Gómez-Rodríguez and Satta 2011), with its dynamic
oracle (Goldberg and Nivre 2013).

Notation: a configuration is (stack, buffer, arcs). `s0` and `s1` are the top of the stack and the
item below it, σ is the stack below s0; `b` is the front of the buffer B and β the buffer behind it.
g(w) is the gold head of w. A word is complete when all its gold dependents are attached. The root
is the last item of the buffer.
"""

from spacy_npparse.systems.projective_loss cimport ProjectiveLoss
from spacy_npparse.transitions.configuration cimport (
    KernelConfiguration, buffer_item, pop, pop_front, push, stack_item
)
from spacy_npparse.transitions.system cimport ILLEGAL, KernelOracle, KernelSystem, StaticOracle
from spacy_npparse.trees.partial_trees cimport NO_WORD
from spacy_npparse.trees.projectivity cimport projective


cdef class ArcHybrid(KernelSystem):
    """The arc-hybrid system.

    Initial: ([], [1..n, 0], ∅). Terminal: ([], [0], A). Length 2n.

        SHIFT      (σ, b|β, A)     => (σ|b, β, A)               b ≠ 0
        LEFT-ARC   (σ|s0, b|β, A)  => (σ, b|β, A ∪ {b → s0})
        RIGHT-ARC  (σ|s1|s0, B, A) => (σ|s1, B, A ∪ {s1 → s0})

    Single root: LEFT-ARC from the root only if the stack holds one item. No dead ends.

    Covers exactly the projective trees.

    Source: Kuhlmann, Gómez-Rodríguez and Satta (2011).
    """

    names = ("SHIFT", "LEFT-ARC", "RIGHT-ARC")
    position_names = ("s2", "s1", "s0", "b0")
    root = "right"
    projective = True

    def oracle_classes(self):
        return {
            "static": ArcHybridStatic,
            "dynamic": ArcHybridDynamic,
            "exact": ArcHybridExact,
        }

    def max_length(self, int n):
        return 2 * n

    cdef bint is_legal(self, KernelConfiguration c, int t) noexcept nogil:
        if t == SHIFT:
            return c.buffer_size > 1
        if t == LEFT_ARC:
            return c.stack_size == 1 or (
                c.stack_size > 1 and (c.buffer_size > 1 or not self.single_root)
            )
        if t == RIGHT_ARC:
            return c.stack_size > 1
        return False

    cdef void apply(self, KernelConfiguration c, int t) noexcept nogil:
        cdef int s0
        if t == SHIFT:
            push(c, pop_front(c))
        elif t == LEFT_ARC:
            s0 = pop(c)
            c.heads[s0] = buffer_item(c, 0)
        else:
            s0 = pop(c)
            c.heads[s0] = stack_item(c, 0)

    cdef bint is_terminal(self, KernelConfiguration c) noexcept nogil:
        return c.stack_size == 0 and c.buffer_size == 1

    cdef int dependent(self, KernelConfiguration c, int t) noexcept nogil:
        return stack_item(c, 0) if t == LEFT_ARC or t == RIGHT_ARC else NO_WORD


cdef class ArcHybridStatic(StaticOracle):
    """A static oracle that chooses the first of these transitions whose condition holds:

        LEFT-ARC   g(s0) = b and s0 is complete
        RIGHT-ARC  g(s0) = s1 and s0 is complete
        SHIFT

    Derives exactly the projective trees.
    """

    cdef int move(self, KernelConfiguration c) noexcept nogil:
        cdef int s0 = stack_item(c, 0)
        if s0 != NO_WORD and self.incomplete(c, s0) == 0:
            if self.tree[s0] == buffer_item(c, 0):
                return LEFT_ARC
            if self.tree[s0] == stack_item(c, 1):
                return RIGHT_ARC
        return SHIFT


cdef class ArcHybridExact(KernelOracle):
    """Costs as differences of the least losses of `ProjectiveLoss`; our own.

    Exact for any gold tree, with and without the single-root precondition.
    """

    def __init__(self, KernelSystem system):
        super().__init__(system)
        self.explores = self.honours_single_root = True
        self.losses = ProjectiveLoss(system.single_root)

    cdef int precompute(self) except -1 nogil:
        return self.losses.prepare(self.gold, self.n)

    cdef void costs(self, KernelConfiguration c, int* out) noexcept nogil:
        cdef int t
        for t in range(self.system.n_transitions):
            out[t] = ILLEGAL
        self.losses.look_at(c)
        if self.system.is_legal(c, SHIFT):
            out[SHIFT] = self.losses.after_push(c, False)
        if self.system.is_legal(c, LEFT_ARC):
            out[LEFT_ARC] = self.losses.after_pop(c, buffer_item(c, 0))
        if self.system.is_legal(c, RIGHT_ARC):
            out[RIGHT_ARC] = self.losses.after_pop(c, stack_item(c, 1))
        self.subtract_least(out)


cdef class ArcHybridDynamic(ArcHybridExact):
    """The dynamic oracle of arc-hybrid, which is arc-decomposable.

    The cost of a transition is the number of gold arcs that it makes unreachable:

        SHIFT      [g(b) ∈ σ] + #{d ∈ σ|s0: g(d) = b}
        LEFT-ARC   [g(s0) ∈ {s1} ∪ β] + #{d ∈ B: g(d) = s0}
        RIGHT-ARC  [g(s0) ∈ B] + #{d ∈ B: g(d) = s0}

    Single root (our own): on the stack, a gold dependent of the root must be the lowest item, or
    the arc from the root is unreachable already. So SHIFT costs 1 more if g(b) = 0 and the stack is
    not empty, and g(s0) = 0 costs nothing if there is s1.

    These formulas hold for projective gold trees; under the precondition, for those with a single
    root. Other gold trees get the costs of `ArcHybridExact`.

    Exact for any gold tree, with and without the single-root precondition.

    Source: Goldberg and Nivre (2013).
    """

    cdef int precompute(self) except -1 nogil:
        self.decomposable = projective(self.tree, self.n) and self.admits_gold()
        return ArcHybridExact.precompute(self)

    cdef void costs(self, KernelConfiguration c, int* out) noexcept nogil:
        cdef bint single_root = self.system.single_root
        cdef int s0 = stack_item(c, 0)
        cdef int s1 = stack_item(c, 1)
        cdef int b = buffer_item(c, 0)
        cdef int t, i, word, head
        cdef int left = 0
        cdef int right = 0
        cdef int shift = single_root and s0 != NO_WORD and self.gold[b] == 0
        if not self.decomposable:
            ArcHybridExact.costs(self, c, out)
            return
        if s0 != NO_WORD:
            head = self.gold[s0]
            if head == 0 and s1 != NO_WORD and single_root:
                head = NO_WORD
            left += head != NO_WORD and head == s1
            for i in range(c.buffer_size):
                word = buffer_item(c, i)
                left += (head == word and i > 0) + (self.gold[word] == s0)
                right += (head == word) + (self.gold[word] == s0)
        for i in range(c.stack_size):
            word = stack_item(c, i)
            shift += (self.gold[b] == word and i > 0) + (self.gold[word] == b)
        for t in range(self.system.n_transitions):
            out[t] = ILLEGAL
        if self.system.is_legal(c, SHIFT):
            out[SHIFT] = shift
        if self.system.is_legal(c, LEFT_ARC):
            out[LEFT_ARC] = left
        if self.system.is_legal(c, RIGHT_ARC):
            out[RIGHT_ARC] = right
