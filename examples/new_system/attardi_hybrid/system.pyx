"""Attardi-hybrid: arc-hybrid with Attardi's arcs between words that are not adjacent.

Notation: a configuration is (stack, buffer, arcs). `s0`, `s1` and `s2` are the top of the stack and
the items below it, `b` is the front of the buffer. g(w) is the gold head of w. A word is complete
when all its gold dependents are attached. The root is the last item of the buffer.

Source: after Kuhlmann, Gómez-Rodríguez and Satta (2011) and Attardi (2006).
"""

from spacy_npparse.systems.arc_hybrid cimport ArcHybrid
from spacy_npparse.transitions.configuration cimport (
    KernelConfiguration, buffer_item, pop, push, stack_item
)
from spacy_npparse.transitions.system cimport StaticOracle
from spacy_npparse.trees.partial_trees cimport NO_WORD

cdef enum:
    SHIFT = 0
    LEFT_ARC = 1
    RIGHT_ARC = 2
    LEFT_ARC_2 = 3
    RIGHT_ARC_2 = 4


cdef class AttardiHybrid(ArcHybrid):
    """Attardi-hybrid of degree 2.

    Initial and terminal configurations, SHIFT, LEFT-ARC and RIGHT-ARC are those of `ArcHybrid`. In
    addition,

        LEFT-ARC-2   (σ|s1|s0, b|β, A)    => (σ|s0, b|β, A ∪ {b → s1})
        RIGHT-ARC-2  (σ|s2|s1|s0, B, A)   => (σ|s2|s1, B, A ∪ {s2 → s0})

    Single root: no LEFT-ARC-2 from the root. No dead ends. Length 2n.

    Covers 15 of the 16 trees of three words, 101 of the 125 of four and 811 of the 1296 of five.
    """

    names = ("SHIFT", "LEFT-ARC", "RIGHT-ARC", "LEFT-ARC-2", "RIGHT-ARC-2")
    projective = False

    def oracle_classes(self):
        return {"static": AttardiHybridStatic}

    cdef bint is_legal(self, KernelConfiguration c, int t) noexcept nogil:
        if t == LEFT_ARC_2:
            return c.stack_size > 1 and (c.buffer_size > 1 or not self.single_root)
        if t == RIGHT_ARC_2:
            return c.stack_size > 2
        return ArcHybrid.is_legal(self, c, t)

    cdef void apply(self, KernelConfiguration c, int t) noexcept nogil:
        cdef int s0, s1
        if t == LEFT_ARC_2:
            s0 = pop(c)
            s1 = pop(c)
            c.heads[s1] = buffer_item(c, 0)
            push(c, s0)
        elif t == RIGHT_ARC_2:
            s0 = pop(c)
            c.heads[s0] = stack_item(c, 1)
        else:
            ArcHybrid.apply(self, c, t)

    cdef int dependent(self, KernelConfiguration c, int t) noexcept nogil:
        if t == SHIFT:
            return NO_WORD
        return stack_item(c, 1 if t == LEFT_ARC_2 else 0)


cdef class AttardiHybridStatic(StaticOracle):
    """The first of LEFT-ARC, RIGHT-ARC, LEFT-ARC-2 and RIGHT-ARC-2 that adds a gold arc to a
    complete word; otherwise SHIFT.

    Derives every tree that the system covers.
    """

    cdef int move(self, KernelConfiguration c) noexcept nogil:
        cdef int s0 = stack_item(c, 0)
        cdef int s1 = stack_item(c, 1)
        cdef int b = buffer_item(c, 0)
        if s0 != NO_WORD and self.incomplete(c, s0) == 0:
            if self.tree[s0] == b:
                return LEFT_ARC
            if self.tree[s0] == s1:
                return RIGHT_ARC
        if s1 != NO_WORD and self.tree[s1] == b and self.incomplete(c, s1) == 0:
            if self.system.is_legal(c, LEFT_ARC_2):
                return LEFT_ARC_2
        if s0 != NO_WORD and self.tree[s0] == stack_item(c, 2) and self.incomplete(c, s0) == 0:
            return RIGHT_ARC_2
        return SHIFT
