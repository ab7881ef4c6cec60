"""The least loss of arc-hybrid and arc-eager, for any gold tree, with and without the single-root
precondition. Our own, by dynamic programming; the arc-decomposable oracles of the literature are
exact for projective gold trees and without the precondition only.

Notation as in `arc_hybrid`.
"""

from spacy_npparse.transitions.configuration cimport KernelConfiguration, has_head
from spacy_npparse.trees.partial_trees cimport NO_WORD


cdef class ProjectiveLoss:
    """The loss to come of configurations whose root is at the end of the buffer. O(n³) for a gold
    tree and a derivation.

    In both systems, a word that is pushed becomes a dependent of the item below it or of the front
    of the buffer at the time when it is popped. Arc-eager attaches it to the former when it is
    pushed, which matters only for words that are already on the stack.

    b_0..b_m are the nodes in word order, b_m the root; the buffer is b_p..b_m for some p. c(h, d)
    is 1 if d has a gold head other than h, else 0.

    M[p][q] is the least loss of the computations that push b_p alone, from front p to front q, as
    the item [p, q] of Kuhlmann, Gómez-Rodríguez and Satta (2011):

        M[p][p+1] = 0
        M[p][q] = min over p < k < q of M[p][k] + M[k][q] + min(c(b_p, b_k), c(b_q, b_k))

    f[i][p] is the least loss of the derivations that go on from the i lowest stack items, with s on
    top (item i) and s' below it (item i-1), and front p. f[0][m] = 0, otherwise the minimum of

        f[i-1][p] + c(b_p, s)                                 if the front may become the head of s
        f[i-1][p] + c(s', s)                                  if s' may become it, or is it; i > 1
        M[p][q] + min(c(s, b_p), c(b_q, b_p)) + f[i][q]       for any q > p

    where c(s, b_p) needs i > 0. Single root: no c(b_m, ·) while another item remains on the stack;
    with the root as front, s' may become the head of any s.

    M and f[0] depend on the gold tree only. Row i of f depends on the gold tree and the i lowest
    stack items, and is kept as long as they stay.

    Args:
        single_root: Whether the precondition applies.
        to_front: Whether the front of the buffer may become the head of s, for a headless s and for
            one that has a head, which is s'.
        to_below: Whether s' may become it or stay it, for the same.
    """

    def __init__(self, bint single_root, to_front=(True, True), to_below=(True, True)):
        cdef int headed
        self.single_root = single_root
        for headed in range(2):
            self.to_front[headed] = to_front[headed]
            self.to_below[headed] = to_below[headed]

    cdef int position(self, int word) noexcept nogil:
        """The p for which b_p is the word."""
        return self.n if word == 0 else word - 1

    cdef int buffer_word(self, int p) noexcept nogil:
        """b_p."""
        return 0 if p == self.n else p + 1

    cdef int arc_loss(self, int head, int word) noexcept nogil:
        """c(head, word)."""
        return self.gold[word] != NO_WORD and self.gold[word] != head

    cdef int prepare(self, const int* gold, int n) except -1 nogil:
        """Set the gold tree: [n + 1] heads, NO_WORD where missing; they are not copied.

        What depends on it is computed when it is needed first.
        """
        cdef size_t size = n + 1
        self.n = n
        self.gold = gold
        self.gap_loss.resize(size * size)
        self.gap_loss_by_end.resize(size * size)
        self.rows.resize(size * size)
        self.row_items.resize(size)
        self.gold_position.resize(size)
        self.n_rows = 0
        return 0

    cdef void fill_gaps(self) noexcept nogil:
        """Compute M and f[0]."""
        cdef int m = self.n
        cdef size_t size = m + 1
        cdef int p, q, k, least, loss, head, head_p, head_q
        cdef int* M
        cdef int* M_by_end
        cdef int* gold_position
        # The transpose of M makes the memory access of the inner loop sequential.
        M = self.gap_loss.data()
        M_by_end = self.gap_loss_by_end.data()
        gold_position = self.gold_position.data()
        for k in range(m):
            head = self.gold[k + 1]
            gold_position[k] = self.position(head) if head != NO_WORD else NO_WORD
            M[k * size + k + 1] = M_by_end[(k + 1) * size + k] = 0
        for p in range(m - 2, -1, -1):
            for q in range(p + 2, m + 1):
                head_p = p
                head_q = p if q == m and self.single_root else q
                least = 2 * m + 2
                for k in range(p + 1, q):
                    loss = M[p * size + k] + M_by_end[q * size + k]
                    head = gold_position[k]
                    loss += head != NO_WORD and head != head_p and head != head_q
                    least = min(least, loss)
                M[p * size + q] = least
                M_by_end[q * size + p] = least
        self.rows[m] = 0
        self.fill_row(0, NO_WORD, NO_WORD, False)
        self.n_rows = 1

    cdef void look_at(self, KernelConfiguration c) noexcept nogil:
        """Take over the stack of a configuration, whose successors are then asked for."""
        cdef int i
        if self.n_rows == 0:
            self.fill_gaps()
        for i in range(1, c.stack_size + 1):
            self.set_row(c, i, c.stack[i - 1], has_head(c, c.stack[i - 1]))

    cdef int after_push(self, KernelConfiguration c, bint headed) noexcept nogil:
        """The loss to come after the front of the buffer is pushed, as a dependent of the top of
        the stack or without head."""
        cdef int p = self.n + 1 - c.buffer_size
        cdef int i = c.stack_size + 1
        if p == self.n:
            return 0
        self.set_row(c, i, self.buffer_word(p), headed)
        return self.rows[i * (self.n + 1) + p + 1]

    cdef int after_pop(self, KernelConfiguration c, int head) noexcept nogil:
        """The loss of popping the top of the stack as a dependent of `head` and going on."""
        cdef int p = self.n + 1 - c.buffer_size
        cdef int i = c.stack_size
        return self.rows[(i - 1) * (self.n + 1) + p] + self.arc_loss(head, c.stack[i - 1])

    cdef void set_row(self, KernelConfiguration c, int i, int word, bint headed) noexcept nogil:
        """Make row i that of a word on top of the i - 1 lowest stack items, whose rows are set."""
        cdef int item = 2 * word + headed
        if i < self.n_rows and self.row_items[i] == item:
            return
        self.fill_row(i, c.stack[i - 2] if i > 1 else NO_WORD, word, headed)
        self.row_items[i] = item
        self.n_rows = i + 1

    cdef void fill_row(self, int i, int below, int word, bint headed) noexcept nogil:
        """Compute f[i][p] for all p; `word` is the i-th stack item, `below` the one below it."""
        cdef int m = self.n
        cdef size_t size = m + 1
        cdef int* row = self.rows.data() + i * size
        cdef int* previous = row - size
        cdef int* M = self.gap_loss.data()
        cdef int p, q, least, head
        cdef int from_stack = 0
        cdef int start = 0 if i == 0 else self.position(word) + 1
        cdef bint root_is_barred
        for p in range(m if i > 0 else m - 1, start - 1, -1):
            least = 2 * m + 2
            root_is_barred = p == m and i > 1 and self.single_root
            if i > 0 and self.to_front[headed] and not root_is_barred:
                least = min(least, previous[p] + self.arc_loss(self.buffer_word(p), word))
            if i > 1 and (self.to_below[headed] or root_is_barred):
                least = min(least, previous[p] + self.arc_loss(below, word))
            if p < m:
                head = self.gold[p + 1]
                from_stack = head != NO_WORD and (i == 0 or head != word)
                for q in range(p + 1, m + 1):
                    least = min(least, M[p * size + q] + from_stack + row[q])
                if from_stack == 1:
                    q = self.position(head)
                    if q > p and (q < m or i == 0 or not self.single_root):
                        least = min(least, M[p * size + q] + row[q])
            row[p] = least
