"""Covington's algorithm as a transition system (Covington 2001; Nivre 2008), with its dynamic
oracle (Gómez-Rodríguez and Fernández-González 2015).

Notation: a configuration is (λ1, λ2, buffer, arcs). `i` is the last word of the list λ1 and `j` the
front of the buffer B; the list λ2 holds the words between them. g(w) is the gold head of w, A(w)
its head so far, ⊥ if it has none. The root is implicit: words that are headless at the end are its
dependents.
"""

from libc.string cimport memcpy

from spacy_npparse.transitions.configuration cimport (
    KernelConfiguration, buffer_item, has_head, pop, pop_front, push_front, stack_item
)
from spacy_npparse.transitions.system cimport KernelSystem, LossOracle, StaticOracle
from spacy_npparse.trees.partial_trees cimport NO_WORD, lost_arcs, tree_root
from spacy_npparse.trees.projectivity cimport check_acyclic


cdef class ListConfiguration(KernelConfiguration):
    """λ1, λ2, buffer and arcs. λ1 is kept as the stack; λ1 and λ2 together are the words before j.

    Attributes:
        lambda1: The words of λ1.
        lambda2: The words of λ2.
    """

    cdef int reset(self, int n) except -1 nogil:
        cdef int word
        KernelConfiguration.reset(self, n)
        # λ1 is always a prefix of 1..n: SHIFT only sets its size.
        for word in range(1, n + 1):
            self.stack[word - 1] = word
        return 0

    cdef int copy(self, KernelConfiguration other) except -1 nogil:
        KernelConfiguration.copy(self, other)
        # What is behind λ1 as well, see `reset`.
        memcpy(self.stack, other.stack, other.n * sizeof(int))
        return 0

    cpdef dict structures(self):
        cdef dict structures = KernelConfiguration.structures(self)
        cdef int j = self.n + 1 - self.buffer_size
        structures["lambda1"] = structures["stack"]
        structures["lambda2"] = tuple(range(self.stack_size + 1, j))
        return structures

    cpdef load(self, int n, dict structures):
        """Load the content that `structures` returned.

        Raises:
            ValueError: λ1, λ2 and the buffer are not the words 1..n, in this order, or the heads
                are no partial tree.
        """
        cdef int word
        words = structures["stack"] + structures["lambda2"] + structures["buffer"]
        if words != tuple(range(1, n + 1)):
            raise ValueError(f"lists and buffer hold {words}, which are not the words 1..{n}")
        self.reset(n)
        for word in range(n, n - <int>len(structures["buffer"]), -1):
            push_front(self, word)
        self.stack_size = len(structures["stack"])
        for word in range(n + 1):
            self.heads[word] = structures["heads"][word]
        check_acyclic(self.heads, n)


cdef class Covington(KernelSystem):
    """Covington's algorithm as a transition system.

    Initial: ([], [], [1..n], ∅). Terminal: (λ1, [], [], A). Length at most n + n(n-1)/2.

        SHIFT      (λ1, λ2, j|β, A)    => (λ1·λ2|j, [], β, A)
        NO-ARC     (λ1|i, λ2, B, A)    => (λ1, i|λ2, B, A)
        LEFT-ARC   (λ1|i, λ2, j|β, A)  => (λ1, i|λ2, j|β, A ∪ {j → i})     A(i) = ⊥, no cycle
        RIGHT-ARC  (λ1|i, λ2, j|β, A)  => (λ1, i|λ2, j|β, A ∪ {i → j})     A(j) = ⊥, no cycle

    Single root (our own precondition): with the last word as j, a transition is legal only if
    exactly one headless word can remain. No dead ends.

    Covers all trees.

    Source: Covington (2001), as a transition system Nivre (2008).
    """

    names = ("SHIFT", "NO-ARC", "LEFT-ARC", "RIGHT-ARC")
    position_names = ("s1", "s0", "b0", "head of s0", "head of b0")
    root = "implicit"
    structure_names = {"lambda1": "λ1", "lambda2": "λ2", "buffer": "buffer"}

    def new_configuration(self):
        return ListConfiguration()

    def oracle_classes(self):
        return {"static": CovingtonStatic, "dynamic": CovingtonDynamic}

    def max_length(self, int n):
        return n + n * (n - 1) // 2

    cdef bint is_legal(self, KernelConfiguration c, int t) noexcept nogil:
        if t != SHIFT and c.stack_size == 0:
            return False
        if not self.may_attach(c, t):
            return False
        return not self.single_root or c.buffer_size > 1 or self.can_end_with_one_root(c, t)

    cdef bint may_attach(self, KernelConfiguration c, int t) noexcept nogil:
        """Whether the arc of t gives a head to a headless word and creates no cycle."""
        cdef int i = stack_item(c, 0)
        cdef int j = buffer_item(c, 0)
        if t == LEFT_ARC:
            return not has_head(c, i) and tree_root(c.heads, j) != i
        if t == RIGHT_ARC:
            return not has_head(c, j) and tree_root(c.heads, i) != j
        return True

    cdef bint can_end_with_one_root(self, KernelConfiguration c, int t) noexcept nogil:
        """Whether exactly one headless word can remain after t; j is the last word.

        The words of λ1 can still become dependents of j. So at most one word behind λ1 may be
        headless, and j must be a descendant of it, or be able to become one.
        """
        cdef int i = stack_item(c, 0)
        cdef int j = c.n
        cdef int head_of_i = c.heads[i] if i != NO_WORD else NO_WORD
        cdef int head_of_j = c.heads[j]
        cdef int left = 0 if t == SHIFT else i - 1
        cdef int root = NO_WORD
        cdef int word
        cdef bint possible = True
        self.attach(c, t)
        for word in range(left + 1, j):
            if not has_head(c, word):
                possible = possible and root == NO_WORD
                root = word
        if possible and has_head(c, j):
            possible = root == NO_WORD or tree_root(c.heads, j) == root
        elif possible and root != NO_WORD:
            possible = False
            for word in range(1, left + 1):
                possible = possible or tree_root(c.heads, word) == root
        if i != NO_WORD:
            c.heads[i] = head_of_i
        c.heads[j] = head_of_j
        return possible

    cdef void attach(self, KernelConfiguration c, int t) noexcept nogil:
        """Add the arc of t, if it is an arc transition."""
        if t == LEFT_ARC:
            c.heads[stack_item(c, 0)] = buffer_item(c, 0)
        elif t == RIGHT_ARC:
            c.heads[buffer_item(c, 0)] = stack_item(c, 0)

    cdef void apply(self, KernelConfiguration c, int t) noexcept nogil:
        cdef int word
        if t == SHIFT:
            c.stack_size = pop_front(c)
            if c.buffer_size == 0:
                for word in range(1, c.n + 1):
                    c.heads[word] = max(c.heads[word], 0)
        else:
            self.attach(c, t)
            pop(c)

    cdef bint is_terminal(self, KernelConfiguration c) noexcept nogil:
        return c.buffer_size == 0

    cdef int dependent(self, KernelConfiguration c, int t) noexcept nogil:
        if t == LEFT_ARC:
            return stack_item(c, 0)
        return buffer_item(c, 0) if t == RIGHT_ARC else NO_WORD


cdef class CovingtonStatic(StaticOracle):
    """A static oracle that chooses the first of these transitions whose condition holds:

        LEFT-ARC   g(i) = j
        RIGHT-ARC  g(j) = i
        NO-ARC     another word of λ1 is the gold head or a gold dependent of j
        SHIFT

    Derives every tree.
    """

    cdef int move(self, KernelConfiguration c) noexcept nogil:
        cdef int i = stack_item(c, 0)
        cdef int j = buffer_item(c, 0)
        cdef int word
        if i == NO_WORD:
            return SHIFT
        if self.tree[i] == j:
            return LEFT_ARC
        if self.tree[j] == i:
            return RIGHT_ARC
        for word in range(1, i):
            if self.tree[word] == j or self.tree[j] == word:
                return NO_ARC
        return SHIFT


cdef class CovingtonDynamic(LossOracle):
    """The dynamic oracle, by the loss of configurations. O(n).

    The loss is the number of unreachable gold arcs plus the number of cycles among the arcs built
    and the reachable gold arcs; see `lost_arcs`. The system is not arc-decomposable: in such a
    cycle every arc is reachable, but not all of them together. The pair of words of an arc has been
    passed if its right end is before j, or is j while its left end is in λ2.

    Exact for any gold tree without the single-root precondition.

    Source: Gómez-Rodríguez and Fernández-González (2015).
    """

    def __init__(self, KernelSystem system):
        super().__init__(system)
        self.proven = not system.single_root

    cdef int precompute(self) except -1 nogil:
        self.passed.resize(self.n + 1)
        return 0

    cdef int loss(self, KernelConfiguration c) noexcept nogil:
        cdef int j = self.n + 1 - c.buffer_size
        cdef int d, left, right
        for d in range(1, self.n + 1):
            left = min(d, self.gold[d])
            right = max(d, self.gold[d])
            self.passed[d] = right < j or (right == j and left > c.stack_size)
        return self.unreachable(c)

    cdef int unreachable(self, KernelConfiguration c) noexcept nogil:
        """The loss, once `passed` is set for the gold arc to each word."""
        return lost_arcs(c.heads, self.gold, self.n, self.passed.data(), self.work)
