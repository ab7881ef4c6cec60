"""Non-monotonic arc-eager: projective parsing that repairs attachments (Honnibal, Goldberg and
Johnson 2013).

Notation as in `arc_eager`; `s1` is the item below s.
"""

from spacy_npparse.systems.arc_eager cimport (
    LEFT_ARC, REDUCE, RIGHT_ARC, SHIFT, ArcEager, ArcEagerDynamic
)
from spacy_npparse.systems.arc_eager import ArcEagerStatic
from spacy_npparse.transitions.configuration cimport (
    KernelConfiguration, buffer_item, has_head, stack_item
)
from spacy_npparse.trees.partial_trees cimport NO_WORD


cdef class NonmonotonicArcEager(ArcEager):
    """Arc-eager with non-monotonic LEFT-ARC and REDUCE.

    They revise the head that was, or was not, assigned when the word was pushed:

        LEFT-ARC  also if A(s) ≠ ⊥: replaces the arc to s
        REDUCE    also if A(s) = ⊥ and the stack holds another item s1: adds s1 → s

    Everything else, including the length and the coverage, is as in arc-eager. The paper does not
    say that REDUCE of a headless word needs s1.

    Source: Honnibal, Goldberg and Johnson (2013, section 3).
    """

    # The non-monotonic transitions.
    nonmonotonic = ("LEFT-ARC", "REDUCE")

    cdef bint nonmonotonic_left_arc
    cdef bint nonmonotonic_reduce

    def __init__(self, *, bint single_root=True):
        super().__init__(single_root=single_root)
        self.nonmonotonic_left_arc = "LEFT-ARC" in self.nonmonotonic
        self.nonmonotonic_reduce = "REDUCE" in self.nonmonotonic

    def oracle_classes(self):
        return {
            "static": ArcEagerStatic,
            "dynamic": NonmonotonicArcEagerDynamic,
            "joint": NonmonotonicArcEagerJoint,
        }

    cdef bint is_legal(self, KernelConfiguration c, int t) noexcept nogil:
        if t == LEFT_ARC and self.nonmonotonic_left_arc:
            return c.stack_size > 0 and (
                buffer_item(c, 0) > 0 or c.stack_size == 1 or not self.single_root
            )
        if t == REDUCE and self.nonmonotonic_reduce and c.stack_size > 1:
            return True
        return ArcEager.is_legal(self, c, t)


cdef class NonmonotonicLeftArcEager(NonmonotonicArcEager):
    """Only LEFT-ARC is non-monotonic: NML in the paper."""

    nonmonotonic = ("LEFT-ARC",)


cdef class NonmonotonicReduceArcEager(NonmonotonicArcEager):
    """Only REDUCE is non-monotonic: NMD in the paper."""

    nonmonotonic = ("REDUCE",)


cdef class NonmonotonicArcEagerDynamic(ArcEagerDynamic):
    """The dynamic oracles C_NML, C_NMD and C_NML+D, which are arc-decomposable.

    To the cost of arc-eager, `ArcEagerDynamic`, a non-monotonic LEFT-ARC adds Δ_NML,

        SHIFT      + #{k ∈ σ|s: g(k) = b, A(k) ≠ ⊥}
        LEFT-ARC   + [A(s) = g(s)] + [g(s) ∈ β, A(s) ≠ ⊥]
        RIGHT-ARC  + #{k ∈ σ|s: g(k) = b, A(k) ≠ ⊥} - [g(b) ∈ β]
        REDUCE     + [g(s) ∈ B, A(s) ≠ ⊥]

    and a non-monotonic REDUCE adds Δ_NMD:

        SHIFT      - [g(b) = s]
        LEFT-ARC   + [g(s) = s1, A(s) = ⊥]

    Two conditions differ from what is printed. The cost of LEFT-ARC to which Δ_NML is added counts
    g(s) ∈ β for headless s only, or a wrongly attached s would be counted twice. The cost of REDUCE
    counts g(s) ∈ B for headless s, which arc-eager never reduces and Δ_NMD leaves out.

    Single root: as in `ArcEagerDynamic`, arcs from the root that are unreachable not being counted;
    what REDUCE attaches at the end matters only if it is monotonic before.

    Exact for any gold tree, with and without the single-root precondition.

    Source: Honnibal, Goldberg and Johnson (2013, section 5.2).
    """

    def __init__(self, NonmonotonicArcEager system):
        super().__init__(system, system.nonmonotonic_left_arc, system.nonmonotonic_reduce)

    cdef void lost_arcs(self, KernelConfiguration c, int* out) noexcept nogil:
        ArcEagerDynamic.lost_arcs(self, c, out)
        if self.left_arc_replaces:
            self.add_left_arc_delta(c, out)
        if self.reduce_attaches:
            self.add_reduce_delta(c, out)

    cdef void add_left_arc_delta(self, KernelConfiguration c, int* out) noexcept nogil:
        """Add Δ_NML."""
        cdef int s = stack_item(c, 0)
        cdef int b = buffer_item(c, 0)
        cdef bint s_has_head = s != NO_WORD and has_head(c, s)
        cdef int head = self.head_ahead(c, s) if s_has_head else NO_WORD
        cdef int head_of_b = self.gold[b]
        cdef int i, word
        if head_of_b == 0 and self.system.single_root:
            head_of_b = NO_WORD
        for i in range(c.stack_size):
            word = stack_item(c, i)
            if self.gold[word] == b and has_head(c, word):
                out[SHIFT] += 1
                out[RIGHT_ARC] += 1
        for i in range(c.buffer_size):
            word = buffer_item(c, i)
            if i > 0 and head_of_b == word:
                out[RIGHT_ARC] -= 1
            if head == word:
                out[REDUCE] += 1
                out[LEFT_ARC] += i > 0
        if s_has_head and c.heads[s] == self.gold[s]:
            out[LEFT_ARC] += 1

    cdef void add_reduce_delta(self, KernelConfiguration c, int* out) noexcept nogil:
        """Add Δ_NMD."""
        cdef int s = stack_item(c, 0)
        if s == NO_WORD:
            return
        if self.gold[buffer_item(c, 0)] == s:
            out[SHIFT] -= 1
        if not has_head(c, s) and self.gold[s] != NO_WORD and self.gold[s] == stack_item(c, 1):
            out[LEFT_ARC] += 1


cdef class NonmonotonicArcEagerJoint(NonmonotonicArcEagerDynamic):
    """A combination of the non-monotonic and the monotonic dynamic oracle.

    Among the transitions with cost 0, those that are legal in arc-eager and also cost 0 there are
    preferred, if there are any, and the others get cost 1. All other costs are exact.

    Source: Honnibal, Goldberg and Johnson (2013, section 6).
    """

    cdef ArcEagerDynamic monotonic
    cdef int monotonic_costs[4]

    def __init__(self, NonmonotonicArcEager system):
        super().__init__(system)
        self.monotonic = ArcEagerDynamic(ArcEager(single_root=system.single_root))

    cdef int precompute(self) except -1 nogil:
        NonmonotonicArcEagerDynamic.precompute(self)
        return self.monotonic.prepare(self.gold + 1, self.n)

    cdef void costs(self, KernelConfiguration c, int* out) noexcept nogil:
        NonmonotonicArcEagerDynamic.costs(self, c, out)
        self.monotonic.costs(c, self.monotonic_costs)
        self.prefer(self.monotonic_costs, out)
