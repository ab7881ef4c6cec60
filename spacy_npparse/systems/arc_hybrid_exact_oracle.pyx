"""An exact oracle for arc-hybrid: any gold tree, with and without the single-root precondition. Our
own, by dynamic programming; the arc-decomposable oracle of Goldberg and Nivre (2013), in
`arc_hybrid`, is exact for projective gold trees and without the precondition only.

Notation as in `arc_hybrid`.
"""

from spacy_npparse.systems.arc_hybrid cimport LEFT_ARC, RIGHT_ARC, SHIFT
from spacy_npparse.transitions.configuration cimport KernelConfiguration, buffer_item, stack_item
from spacy_npparse.transitions.system cimport ILLEGAL, KernelOracle, KernelSystem
from spacy_npparse.trees.partial_trees cimport NO_WORD


cdef class ArcHybridExact(KernelOracle):
    """Costs as differences of exact losses. O(n³) for a gold tree.

    b_0..b_m are the nodes in word order, b_m the root; the buffer is b_p..b_m for some p. c(h, d)
    is 1 if d has a gold head other than h, else 0.

    M[p][q] is the least loss of the computations that push b_p alone, from front p to front q, as
    the item [p, q] of Kuhlmann, Gómez-Rodríguez and Satta (2011):

        M[p][p+1] = 0
        M[p][q] = min over p < k < q of M[p][k] + M[k][q] + min(c(b_p, b_k), c(b_q, b_k))

    f[i][p] is the least loss of the derivations that go on from the i lowest stack items, with s on
    top (item i) and s' below it (item i-1), and front p. f[0][m] = 0, otherwise the minimum of

        LEFT-ARC   f[i-1][p] + c(b_p, s)
        RIGHT-ARC  f[i-1][p] + c(s', s)                                     if i > 1
        SHIFT      M[p][q] + min(c(s, b_p), c(b_q, b_p)) + f[i][q]          for any q > p

    where c(s, b_p) needs i > 0. Single root: no c(b_m, ·) while another item remains on the stack.

    M and f[0] depend on the gold tree only. Row i of f depends on the gold tree and the i lowest
    stack items, and is kept as long as they stay.
    """

    def __init__(self, KernelSystem system):
        super().__init__(system)
        self.explores = True
        self.honours_single_root = True

    cdef int position(self, int word) noexcept nogil:
        """The p for which b_p is the word."""
        return self.n if word == 0 else word - 1

    cdef int arc_loss(self, int head, int word) noexcept nogil:
        """c(head, word)."""
        return self.gold[word] != NO_WORD and self.gold[word] != head

    cdef int precompute(self) except -1 nogil:
        cdef int m = self.n
        cdef size_t size = m + 1
        cdef int p, q, k, least, loss, head, head_p, head_q
        cdef int* M
        cdef int* M_by_end
        cdef int* gold_position
        self.gap_loss.assign(size * size, 0)
        self.gap_loss_by_end.assign(size * size, 0)
        self.loss_rows.resize(size * size)
        self.row_words.assign(size, NO_WORD)
        self.gold_position.resize(size)
        # The transpose of M makes the memory access of the inner loop sequential.
        M = self.gap_loss.data()
        M_by_end = self.gap_loss_by_end.data()
        gold_position = self.gold_position.data()
        for k in range(m):
            head = self.gold[k + 1]
            gold_position[k] = self.position(head) if head != NO_WORD else NO_WORD
        for p in range(m - 2, -1, -1):
            for q in range(p + 2, m + 1):
                head_p = p
                head_q = p if q == m and self.system.single_root else q
                least = 2 * m + 2
                for k in range(p + 1, q):
                    loss = M[p * size + k] + M_by_end[q * size + k]
                    head = gold_position[k]
                    loss += head != NO_WORD and head != head_p and head != head_q
                    least = min(least, loss)
                M[p * size + q] = least
                M_by_end[q * size + p] = least
        self.loss_rows[m] = 0
        self.fill_row(0, NO_WORD, NO_WORD)
        self.n_rows = 1
        return 0

    cdef void fill_row(self, int i, int below, int word) noexcept nogil:
        """Compute f[i][p] for all p; `word` is the i-th stack item, `below` the one below it."""
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
                least = min(least, previous[p] + self.arc_loss(self.buffer_word(p), word))
            if i > 1:
                least = min(least, previous[p] + self.arc_loss(below, word))
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
                self.loss_rows[(depth - 1) * size + p] + self.arc_loss(buffer_item(c, 0), s0)
            )
        if self.system.is_legal(c, RIGHT_ARC):
            out[RIGHT_ARC] = (
                self.loss_rows[(depth - 1) * size + p] + self.arc_loss(stack_item(c, 1), s0)
            )
        self.subtract_least(out)
