"""Attardi's system: arcs between words that are not adjacent on the stack (Attardi 2006), in the
form of Cohen, Gómez-Rodríguez and Satta (2011), with all arcs on the stack.

Notation as in `arc_standard`, but `s0` is the top of the stack and `s_q` the item q below it.
"""

from spacy_npparse.systems.arc_standard cimport SHIFT, ArcStandard
from spacy_npparse.transitions.configuration cimport KernelConfiguration, pop, push, stack_item
from spacy_npparse.transitions.system cimport StaticOracle
from spacy_npparse.trees.partial_trees cimport NO_WORD


cdef class Attardi(ArcStandard):
    """Attardi's system of degree 2.

    Initial and terminal configurations and SHIFT are those of `ArcStandard`. There are two arc
    transitions for each q with 1 <= q <= degree:

        LEFT-ARC-q   (σ|s_q|…|s0, B, A) => (σ|…|s0, B, A ∪ {s0 → s_q})     s_q ≠ 0
        RIGHT-ARC-q  (σ|s_q|…|s0, B, A) => (σ|s_q|…, B, A ∪ {s_q → s0})

    For q = 1, they are called LEFT-ARC and RIGHT-ARC. Length 2n.

    Single root: RIGHT-ARC-q from the root only if q = 1 and the buffer is empty. No dead ends.

    Covers all trees of up to three words, 117 of the 125 of four and 1011 of the 1296 of five.

    Source: Attardi (2006); Cohen, Gómez-Rodríguez and Satta (2011).
    """

    names = ArcStandard.names + ("LEFT-ARC-2", "RIGHT-ARC-2")
    projective = False

    def oracle_classes(self):
        return {"static": AttardiStatic}

    cdef bint is_legal(self, KernelConfiguration c, int t) noexcept nogil:
        cdef int head
        if t < 3:
            return ArcStandard.is_legal(self, c, t)
        head = stack_item(c, degree(t))
        return head > 0 or (head == 0 and t % 2 == 0 and not self.single_root)

    cdef void apply(self, KernelConfiguration c, int t) noexcept nogil:
        cdef int s0, q, place
        if t == SHIFT:
            ArcStandard.apply(self, c, t)
            return
        q = degree(t)
        s0 = pop(c)
        if t % 2 == 0:
            c.heads[s0] = stack_item(c, q - 1)
            return
        place = c.stack_size - q
        c.heads[c.stack[place]] = s0
        for place in range(place, c.stack_size - 1):
            c.stack[place] = c.stack[place + 1]
        pop(c)
        push(c, s0)

    cdef int dependent(self, KernelConfiguration c, int t) noexcept nogil:
        if t == SHIFT:
            return NO_WORD
        return stack_item(c, 0) if t % 2 == 0 else stack_item(c, degree(t))


cdef class AttardiDegree3(Attardi):
    """Attardi's system of degree 3.

    Covers all trees of up to three words, 123 of the 125 of four and 1218 of the 1296 of five.
    """

    names = Attardi.names + ("LEFT-ARC-3", "RIGHT-ARC-3")
    position_names = ("s3",) + Attardi.position_names


cdef class AttardiStatic(StaticOracle):
    """A static oracle that builds each arc as soon as possible.

    It chooses the first of LEFT-ARC, RIGHT-ARC, LEFT-ARC-2, RIGHT-ARC-2, … that adds a gold arc to
    a complete word; otherwise SHIFT. Derives every tree that the system covers.
    """

    cdef int move(self, KernelConfiguration c) noexcept nogil:
        cdef int s0 = stack_item(c, 0)
        cdef int t, other
        for t in range(1, self.system.n_transitions):
            other = stack_item(c, degree(t))
            if other == NO_WORD or not self.system.is_legal(c, t):
                continue
            if t % 2 == 0:
                if self.tree[s0] == other and self.incomplete(c, s0) == 0:
                    return t
            elif self.tree[other] == s0 and self.incomplete(c, other) == 0:
                return t
        return SHIFT


cdef inline int degree(int t) noexcept nogil:
    """The q of an arc transition."""
    return (t + 1) // 2
