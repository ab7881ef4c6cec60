"""The MH4 transition system: non-projective parsing (Gómez-Rodríguez, Shi and Lee 2018).

Notation: a configuration is (stack, buffer, arcs). `s0`, `s1` and `s2` are the top of the stack and
the items below it, `b` is the front of the buffer. g(w) is the gold head of w. A word is complete
when all its gold dependents are attached. The root is the bottom of the stack.
"""

from spacy_npparse.transitions.configuration cimport (
    KernelConfiguration, buffer_item, pop, pop_front, push, stack_item
)
from spacy_npparse.transitions.system cimport KernelSystem, StaticOracle
from spacy_npparse.trees.partial_trees cimport NO_WORD

cdef enum:
    SHIFT = 0
    LEFT_ARC = 1
    RIGHT_ARC = 2
    LEFT_ARC_STACK = 3
    RIGHT_ARC_STACK = 4
    LEFT_ARC_2 = 5
    RIGHT_ARC_2 = 6


cdef class MH4(KernelSystem):
    """The MH4 transition system.

    It interprets the deduction system of Gómez-Rodríguez, Carroll and Weir (2011).

    Initial: ([0], [1..n], ∅). Terminal: ([0], [], A). Length 2n.

        SHIFT        (σ, b|β, A)            => (σ|b, β, A)
        LEFT-ARC     (σ|s0, b|β, A)         => (σ, b|β, A ∪ {b → s0})           s0 ≠ 0
        RIGHT-ARC    (σ|s1|s0, B, A)        => (σ|s1, B, A ∪ {s1 → s0})
        LEFT-ARC'    (σ|s1|s0, B, A)        => (σ|s0, B, A ∪ {s0 → s1})         s1 ≠ 0
        RIGHT-ARC'   (σ|s2|s1|s0, B, A)     => (σ|s2|s0, B, A ∪ {s2 → s1})
        LEFT-ARC-2   (σ|s1|s0, b|β, A)      => (σ|s0, b|β, A ∪ {b → s1})        s1 ≠ 0
        RIGHT-ARC-2  (σ|s2|s1|s0, B, A)     => (σ|s2|s1, B, A ∪ {s2 → s0})

    The names in the paper are sh, la, ra, la', ra', la2 and ra2.

    Single root: an arc from the root only as the last transition. No dead ends.

    Covers all trees of up to three words, 119 of the 125 of four and 1069 of the 1296 of five.
    These are the trees of the deduction system and a few more: not every computation corresponds to
    a deduction.

    Source: Gómez-Rodríguez, Shi and Lee (2018, section 3.2).
    """

    names = (
        "SHIFT", "LEFT-ARC", "RIGHT-ARC", "LEFT-ARC'", "RIGHT-ARC'", "LEFT-ARC-2", "RIGHT-ARC-2"
    )
    position_names = ("s2", "s1", "s0", "b0")

    def oracle_classes(self):
        return {"static": MH4Static}

    def max_length(self, int n):
        return 2 * n

    cdef bint is_legal(self, KernelConfiguration c, int t) noexcept nogil:
        cdef int head, word
        if t == SHIFT:
            return c.buffer_size > 0
        head = head_of_arc(c, t)
        word = self.dependent(c, t)
        return word > 0 and (
            head > 0
            or (
                head == 0
                and (not self.single_root or (c.stack_size == 2 and c.buffer_size == 0))
            )
        )

    cdef void apply(self, KernelConfiguration c, int t) noexcept nogil:
        cdef int s0
        if t == SHIFT:
            push(c, pop_front(c))
            return
        c.heads[self.dependent(c, t)] = head_of_arc(c, t)
        s0 = pop(c)
        if t == LEFT_ARC_STACK or t == RIGHT_ARC_STACK or t == LEFT_ARC_2:
            pop(c)
            push(c, s0)

    cdef bint is_terminal(self, KernelConfiguration c) noexcept nogil:
        return c.stack_size == 1 and c.buffer_size == 0

    cdef int dependent(self, KernelConfiguration c, int t) noexcept nogil:
        if t == LEFT_ARC or t == RIGHT_ARC or t == RIGHT_ARC_2:
            return stack_item(c, 0)
        return NO_WORD if t == SHIFT else stack_item(c, 1)


cdef class MH4Static(StaticOracle):
    """A static oracle that builds each arc as soon as possible.

    It chooses the first of LEFT-ARC, RIGHT-ARC, LEFT-ARC', RIGHT-ARC', LEFT-ARC-2 and RIGHT-ARC-2
    that adds a gold arc to a complete word; otherwise SHIFT. Derives every tree that the system
    covers. The rule is our own.
    """

    cdef int move(self, KernelConfiguration c) noexcept nogil:
        cdef int t, word
        for t in range(1, self.system.n_transitions):
            if self.system.is_legal(c, t):
                word = self.system.dependent(c, t)
                if self.tree[word] == head_of_arc(c, t) and self.incomplete(c, word) == 0:
                    return t
        return SHIFT


cdef int head_of_arc(KernelConfiguration c, int t) noexcept nogil:
    """The head of the arc that t adds, NO_WORD if there is no such item."""
    if t == LEFT_ARC or t == LEFT_ARC_2:
        return buffer_item(c, 0)
    if t == RIGHT_ARC:
        return stack_item(c, 1)
    if t == LEFT_ARC_STACK:
        return stack_item(c, 0)
    return stack_item(c, 2)
