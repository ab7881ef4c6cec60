"""Covington's algorithm as a transition system (Covington 2001; Nivre 2008).

`i` is the last word of the list λ1 and `j` the front of the buffer; λ2 holds the words between
them. The root is implicit: words without head at the end are its dependents.
"""

from libcpp.vector cimport vector

from spacy_npparse.trees.partial_trees cimport NO_WORD, lost_arcs, top
from spacy_npparse.transitions.configuration cimport (
    KernelConfiguration, buffer_item, has_head, pop, pop_front, push_front, stack_item
)
from spacy_npparse.trees.projectivity cimport dominates
from spacy_npparse.transitions.system cimport LossOracle, StaticOracle, KernelSystem

cdef enum:
    SHIFT = 0
    NO_ARC = 1
    LEFT_ARC = 2
    RIGHT_ARC = 3


cdef class ListConfiguration(KernelConfiguration):
    """λ1 is kept as the stack. All words left of j are in λ1 or λ2, in their order.

    lambda1, lambda2: words.
    """

    cdef int reset(self, int n) except -1 nogil:
        cdef int word
        KernelConfiguration.reset(self, n)
        # SHIFT puts words back by setting the size of the stack only.
        for word in range(1, n + 1):
            self.stack[word - 1] = word
        return 0

    cpdef dict structures(self):
        cdef dict structures = KernelConfiguration.structures(self)
        cdef int j = self.n + 1 - self.buffer_size
        structures["lambda1"] = structures["stack"]
        structures["lambda2"] = tuple(range(self.stack_size + 1, j))
        return structures

    cpdef load(self, int n, dict structures):
        """Raises ValueError unless the lists and the buffer are 1..n together."""
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


cdef class Covington(KernelSystem):
    """Covington.

    Initial: ([], [], [1..n], ∅). Terminal: (λ1, [], [], A).

        SHIFT      (λ1, λ2, j|β, A)    => (λ1·λ2|j, [], β, A)
        NO-ARC     (λ1|i, λ2, B, A)    => (λ1, i|λ2, B, A)
        LEFT-ARC   (λ1|i, λ2, j|β, A)  => (λ1, i|λ2, j|β, A ∪ {j → i})     A(i) = ⊥, no cycle
        RIGHT-ARC  (λ1|i, λ2, j|β, A)  => (λ1, i|λ2, j|β, A ∪ {i → j})     A(j) = ⊥, no cycle

    Single root: with the last word as j, a transition is legal only if one word without head can
    remain (own rule). No dead ends.
    Length at most n + n(n-1)/2. Covers all trees.
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
        """Whether an arc transition gives a head to a word that has none, without a cycle."""
        cdef int i = stack_item(c, 0)
        cdef int j = buffer_item(c, 0)
        if t == LEFT_ARC:
            return not has_head(c, i) and top(c.heads, j) != i
        if t == RIGHT_ARC:
            return not has_head(c, j) and top(c.heads, i) != j
        return True

    cdef bint can_end_with_one_root(self, KernelConfiguration c, int t) noexcept nogil:
        """Whether after t one word without head can remain; j is the last word.

        Words up to i can still become dependents of j. So at most one word behind i has no head,
        and j must be, or be able to get, below it.
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
            possible = root == NO_WORD or top(c.heads, j) == root
        elif possible and root != NO_WORD:
            possible = False
            for word in range(1, left + 1):
                possible = possible or top(c.heads, word) == root
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


cdef class NonmonotonicCovington(Covington):
    """Covington with arcs that replace earlier ones (Fernández-González and Gómez-Rodríguez 2017).

    LEFT-ARC and RIGHT-ARC are always legal. The dependent loses its old head; if a cycle would
    close, the new head loses its own.
    """

    def oracle_classes(self):
        return {"static": CovingtonStatic, "dynamic": NonmonotonicCovingtonDynamic}

    cdef bint may_attach(self, KernelConfiguration c, int t) noexcept nogil:
        return True

    cdef void attach(self, KernelConfiguration c, int t) noexcept nogil:
        cdef int i = stack_item(c, 0)
        cdef int j = buffer_item(c, 0)
        if t == LEFT_ARC:
            if dominates(c.heads, i, j):
                c.heads[j] = NO_WORD
            c.heads[i] = j
        elif t == RIGHT_ARC:
            if dominates(c.heads, j, i):
                c.heads[i] = NO_WORD
            c.heads[j] = i


cdef class CovingtonStatic(StaticOracle):
    """LEFT-ARC if g(i) = j; RIGHT-ARC if g(j) = i; SHIFT if no word up to i is linked to j in gold;
    otherwise NO-ARC. Derives every tree.
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
    """The dynamic oracle of Gómez-Rodríguez and Fernández-González (2015).

    The loss of a configuration is the number of gold arcs that are lost, cycles of arcs within
    reach included (see `components`); an arc's words have been passed if the later one is left of
    j, or is j and the other is in λ2. O(n).
    Exact without the single-root precondition.
    """

    cdef vector[char] passed
    cdef vector[int] work

    cdef int precompute(self) except -1 nogil:
        self.passed.resize(self.n + 1)
        return 0

    cdef int loss(self, KernelConfiguration c) noexcept nogil:
        cdef int j = self.n + 1 - c.buffer_size
        cdef int d, later, earlier
        for d in range(1, self.n + 1):
            later = max(d, self.gold[d])
            earlier = min(d, self.gold[d])
            self.passed[d] = later < j or (later == j and earlier > c.stack_size)
        return self.count(c)

    cdef int count(self, KernelConfiguration c) noexcept nogil:
        """The loss, with `passed` set."""
        return lost_arcs(c.heads, self.gold, self.n, self.passed.data(), self.work)


cdef class NonmonotonicCovingtonDynamic(CovingtonDynamic):
    """Approximate costs for the non-monotonic system (Fernández-González and Gómez-Rodríguez 2017).

    The gold arcs that are not built and whose words have been passed: a lower bound of the loss in
    the paper. Arcs from the root whose dependent has another head are counted too, which is right
    more often, but no bound: such a word may lose its head again.
    """

    cdef int count(self, KernelConfiguration c) noexcept nogil:
        cdef int d
        cdef int lost = 0
        for d in range(1, self.n + 1):
            if self.gold[d] == 0:
                lost += c.heads[d] > 0
            elif self.gold[d] > 0 and c.heads[d] != self.gold[d]:
                lost += self.passed[d]
        return lost
