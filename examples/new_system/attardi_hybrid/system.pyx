"""Arc-hybrid with Attardi's arcs: to or from the word behind the one that is next to it.

After Kuhlmann, Gómez-Rodríguez and Satta (2011) and Attardi (2006). `s0`, `s1` and `s2` are the
topmost items of the stack, `b` is the front of the buffer, whose last item is the root.
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
    """Arc-hybrid of degree 2.

    Configurations, SHIFT, LEFT-ARC and RIGHT-ARC are those of arc-hybrid. Further:

        LEFT-ARC-2   (σ|s1|s0, b|β, A)    => (σ|s0, b|β, A ∪ {b → s1})
        RIGHT-ARC-2  (σ|s2|s1|s0, B, A)   => (σ|s2|s1, B, A ∪ {s2 → s0})

    Single root: LEFT-ARC-2 not from the root. No dead ends. Length 2n.
    Covers 15 of 16 trees of three words, 101 of 125 of four and 811 of 1296 of five.
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
    """The first arc of LEFT-ARC, RIGHT-ARC, LEFT-ARC-2 and RIGHT-ARC-2 that is gold and whose
    dependent is complete; otherwise SHIFT. Derives every tree that the system covers."""

    cdef int move(self, KernelConfiguration c) noexcept nogil:
        cdef int s0 = stack_item(c, 0), s1 = stack_item(c, 1), b = buffer_item(c, 0)
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
