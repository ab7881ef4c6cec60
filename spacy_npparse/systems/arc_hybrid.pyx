"""Arc-hybrid: projective parsing (Kuhlmann, Gómez-Rodríguez and Satta 2011).

The root is the last item of the buffer. `s0` and `s1` are the top of the stack and the item
below it, `b` is the front of the buffer and β the buffer behind it.
"""

from spacy_npparse.transitions.configuration cimport (
    KernelConfiguration, buffer_item, pop, pop_front, push, stack_item
)
from spacy_npparse.trees.projectivity cimport projective
from spacy_npparse.transitions.system cimport ILLEGAL, KernelOracle, StaticOracle, KernelSystem
from spacy_npparse.trees.partial_trees cimport NO_WORD


cdef class ArcHybrid(KernelSystem):
    """Arc-hybrid.

    Initial: ([], [1..n, 0], ∅). Terminal: ([], [0], A). Length 2n.

        SHIFT      (σ, b|β, A)     => (σ|b, β, A)               b ≠ 0
        LEFT-ARC   (σ|s0, b|β, A)  => (σ, b|β, A ∪ {b → s0})
        RIGHT-ARC  (σ|s1|s0, B, A) => (σ|s1, B, A ∪ {s1 → s0})

    Single root: LEFT-ARC from the root only if the stack holds one item. No dead ends.
    Covers exactly the projective trees.
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
    """If s0 has all its gold dependents: LEFT-ARC if g(s0) = b, RIGHT-ARC if g(s0) = s1.

    Otherwise SHIFT. Derives exactly the projective trees.
    """

    cdef int move(self, KernelConfiguration c) noexcept nogil:
        cdef int s0 = stack_item(c, 0)
        if s0 != NO_WORD and self.incomplete(c, s0) == 0:
            if self.tree[s0] == buffer_item(c, 0):
                return LEFT_ARC
            if self.tree[s0] == stack_item(c, 1):
                return RIGHT_ARC
        return SHIFT


cdef class ArcHybridDynamic(KernelOracle):
    """The arc-decomposable oracle (Goldberg and Nivre 2013, section 4).

    The cost of a transition is the number of gold arcs that it puts out of reach:

        LEFT-ARC   [g(s0) ∈ {s1} ∪ β] + #{d ∈ B: g(d) = s0}
        RIGHT-ARC  [g(s0) ∈ B] + #{d ∈ B: g(d) = s0}
        SHIFT      [g(b) ∈ σ below s0] + #{d ∈ stack: g(d) = b}

    This is the exact loss difference for projective gold trees without the single-root
    precondition. For non-projective gold trees it over-estimates, so those get the costs of
    `ArcHybridExact`. A word without gold head costs nothing wherever it is attached.
    """

    def __init__(self, KernelSystem system):
        super().__init__(system)
        self.explores = True
        self.exact = ArcHybridExact(system)

    cdef int precompute(self) except -1 nogil:
        self.projective_gold = projective(self.tree, self.n)
        if not self.projective_gold:
            self.exact.prepare(self.gold + 1, self.n)
        return 0

    cdef void costs(self, KernelConfiguration c, int* out) noexcept nogil:
        cdef int s0 = stack_item(c, 0)
        cdef int s1 = stack_item(c, 1)
        cdef int b = buffer_item(c, 0)
        cdef int t, i, word, head
        cdef int left = 0
        cdef int right = 0
        cdef int shift = 0
        if not self.projective_gold:
            self.exact.costs(c, out)
            return
        if s0 != NO_WORD:
            head = self.gold[s0]
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


cdef class ArcHybridExact(KernelOracle):
    """Exact loss for any gold tree, with or without the single-root precondition. O(n³).

    Own derivation. b_0..b_m are the words in their order, b_m the root; the buffer is always
    b_p..b_m for some p. c(h, d) is 1 if d has a gold head other than h, else 0.

    M[p][q] is the least loss of going from front p to front q with b_p alone added to the stack:

        M[p][p+1] = 0
        M[p][q] = min over p < k < q of M[p][k] + M[k][q] + min(c(b_p, b_k), c(b_q, b_k))

    f[i][p] is the least loss of finishing from the i lowest stack items, top s (item i) above s'
    (item i-1), and front p: f[0][m] = 0, otherwise the minimum of

        LEFT-ARC   f[i-1][p] + c(b_p, s)
        RIGHT-ARC  f[i-1][p] + c(s', s)                                     if i > 1
        SHIFT      M[p][q] + min(c(s, b_p), c(b_q, b_p)) + f[i][q]          for any q > p

    where c(s, b_p) needs i > 0. Single root: no c(b_m, ·) while an item remains below.

    The cost of a transition is the difference of f. M and f[0] depend on the gold tree only;
    row i of f depends on the i lowest stack items only and is kept while they stay.
    """

    def __init__(self, KernelSystem system):
        super().__init__(system)
        self.explores = True
        self.honours_single_root = True

    cdef int position(self, int word) noexcept nogil:
        """p such that b_p is the word."""
        return self.n if word == 0 else word - 1

    cdef int pop_loss(self, int head, int word) noexcept nogil:
        """c(head, word)."""
        return self.gold[word] != NO_WORD and self.gold[word] != head

    cdef int precompute(self) except -1 nogil:
        cdef int m = self.n
        cdef size_t size = m + 1
        cdef int p, q, k, least, loss, head_p, head_q
        cdef int* M
        cdef int* M_by_end
        cdef int* gold_at
        self.gap_loss.assign(size * size, 0)
        self.split_loss.assign(size * size, 0)
        self.loss_rows.resize(size * size)
        self.row_words.assign(size, NO_WORD)
        self.words.resize(size)
        # M is kept by start and by end, so that the inner loop walks both in memory order.
        M = self.gap_loss.data()
        M_by_end = self.split_loss.data()
        gold_at = self.words.data()
        for k in range(m):
            gold_at[k] = self.position(self.gold[k + 1]) if self.gold[k + 1] != NO_WORD else NO_WORD
        for p in range(m - 2, -1, -1):
            for q in range(p + 2, m + 1):
                head_p = p
                head_q = p if q == m and self.system.single_root else q
                least = 2 * m + 2
                for k in range(p + 1, q):
                    loss = M[p * size + k] + M_by_end[q * size + k]
                    loss += gold_at[k] != NO_WORD and gold_at[k] != head_p and gold_at[k] != head_q
                    least = min(least, loss)
                M[p * size + q] = least
                M_by_end[q * size + p] = least
        self.loss_rows[m] = 0
        self.fill_row(0, NO_WORD, NO_WORD)
        self.n_rows = 1
        return 0

    cdef void fill_row(self, int i, int below, int word) noexcept nogil:
        """f[i][p] for every front p that can follow, with `word` the i-th stack item."""
        cdef int m = self.n
        cdef size_t size = m + 1
        cdef int* row = self.loss_rows.data() + i * size
        cdef int* previous = row - size
        cdef int* M = self.gap_loss.data()
        cdef int p, q, least, head
        cdef int from_stack = 0
        cdef int start = 0 if i == 0 else self.position(word) + 1
        for p in range(m if i > 0 else m - 1, start - 1, -1):
            least = 2 * m + 2
            if i > 0 and (p < m or i == 1 or not self.system.single_root):
                least = min(least, previous[p] + self.pop_loss(self.buffer_word(p), word))
            if i > 1:
                least = min(least, previous[p] + self.pop_loss(below, word))
            if p < m:
                head = self.gold[p + 1]
                from_stack = head != NO_WORD and (i == 0 or head != word)
                for q in range(p + 1, m + 1):
                    least = min(least, M[p * size + q] + from_stack + row[q])
                if from_stack == 1:
                    q = self.position(head)
                    if q > p and (q < m or i == 0 or not self.system.single_root):
                        least = min(least, M[p * size + q] + row[q])
            row[p] = least

    cdef int buffer_word(self, int p) noexcept nogil:
        """b_p."""
        return 0 if p == self.n else p + 1

    cdef void costs(self, KernelConfiguration c, int* out) noexcept nogil:
        cdef int depth = c.stack_size
        cdef size_t size = self.n + 1
        cdef int p = self.n + 1 - c.buffer_size
        cdef int s0 = stack_item(c, 0)
        cdef int i, t
        cdef int known = 1
        while (
            known < self.n_rows and known <= depth and self.row_words[known] == c.stack[known - 1]
        ):
            known += 1
        for i in range(known, depth + 1):
            self.fill_row(i, c.stack[i - 2] if i > 1 else NO_WORD, c.stack[i - 1])
            self.row_words[i] = c.stack[i - 1]
        for t in range(self.system.n_transitions):
            out[t] = ILLEGAL
        if self.system.is_legal(c, SHIFT):
            i = depth + 1
            if i >= self.n_rows or known <= depth or self.row_words[i] != buffer_item(c, 0):
                self.fill_row(i, s0, buffer_item(c, 0))
                self.row_words[i] = buffer_item(c, 0)
                self.n_rows = i + 1
            out[SHIFT] = self.loss_rows[i * size + p + 1]
        elif known <= depth:
            self.n_rows = depth + 1
        if self.system.is_legal(c, LEFT_ARC):
            out[LEFT_ARC] = (
                self.loss_rows[(depth - 1) * size + p] + self.pop_loss(buffer_item(c, 0), s0)
            )
        if self.system.is_legal(c, RIGHT_ARC):
            out[RIGHT_ARC] = (
                self.loss_rows[(depth - 1) * size + p] + self.pop_loss(stack_item(c, 1), s0)
            )
        self.subtract_least(out)
