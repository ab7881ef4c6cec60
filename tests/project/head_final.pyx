"""Head-final parsing: every word but the last one of a sentence depends on a word to its right.

Notation: a configuration is (stack, buffer, arcs). `s` is the top of the stack and σ the stack
below it, `b` is the front of the buffer and β the buffer behind it. g(w) is the gold head of w. The
root is the last item of the buffer.

Source: Sassano (2004).
"""

from spacy_npparse.transitions.configuration cimport (
    KernelConfiguration, buffer_item, pop, pop_front, push, stack_item
)
from spacy_npparse.transitions.system cimport KernelSystem, StaticOracle
from spacy_npparse.trees.partial_trees cimport NO_WORD

cdef enum:
    SHIFT = 0
    LEFT_ARC = 1


cdef class HeadFinal(KernelSystem):
    """Head-final parsing.

    Initial: ([], [1..n, 0], ∅). Terminal: ([], [0], A). Length 2n.

        SHIFT     (σ, b|β, A)    => (σ|b, β, A)            b ≠ 0
        LEFT-ARC  (σ|s, b|β, A)  => (σ, b|β, A ∪ {b → s})

    Single root: SHIFT of the last word only if the stack is empty. No dead ends.

    Covers the projective trees in which every word but the dependents of the root precedes its
    head.

    Source: Sassano (2004), "Linear-time dependency analysis for Japanese".
    """

    names = ("SHIFT", "LEFT-ARC")
    position_names = ("s1", "s0", "b0", "b1")
    root = "right"
    # Not all of them.
    projective = False

    def oracle_classes(self):
        return {"static": HeadFinalStatic}

    def max_length(self, int n):
        return 2 * n

    cdef bint is_legal(self, KernelConfiguration c, int t) noexcept nogil:
        if t == LEFT_ARC:
            return c.stack_size > 0
        return c.buffer_size > 2 or (
            c.buffer_size == 2 and (c.stack_size == 0 or not self.single_root)
        )

    cdef void apply(self, KernelConfiguration c, int t) noexcept nogil:
        if t == SHIFT:
            push(c, pop_front(c))
        else:
            c.heads[pop(c)] = buffer_item(c, 0)

    cdef bint is_terminal(self, KernelConfiguration c) noexcept nogil:
        return c.stack_size == 0 and c.buffer_size == 1

    cdef int dependent(self, KernelConfiguration c, int t) noexcept nogil:
        return stack_item(c, 0) if t == LEFT_ARC else NO_WORD


cdef class HeadFinalStatic(StaticOracle):
    """LEFT-ARC if g(s) = b, otherwise SHIFT.

    Derives every tree that the system covers.
    """

    cdef int move(self, KernelConfiguration c) noexcept nogil:
        cdef int s = stack_item(c, 0)
        return LEFT_ARC if s != NO_WORD and self.tree[s] == buffer_item(c, 0) else SHIFT
