"""Arc-hybrid with SWAP: non-projective parsing with a static-dynamic oracle (de Lhoneux, Stymne and
Nivre 2017).

Notation as in `arc_hybrid`. PROJ(w) is the rank of w in the projective order of the gold tree,
MPC(w) the root of its maximal projective component.
"""

from libcpp.vector cimport vector

from spacy_npparse.systems.arc_hybrid cimport LEFT_ARC, SHIFT, ArcHybrid, ArcHybridStatic
from spacy_npparse.transitions.configuration cimport (
    KernelConfiguration, buffer_item, has_head, pop, pop_front, push_front, stack_item
)
from spacy_npparse.transitions.system cimport ILLEGAL, KernelOracle, KernelSystem
from spacy_npparse.trees.partial_trees cimport NO_WORD
from spacy_npparse.trees.projectivity cimport in_order_ranks, maximal_components


cdef class ArcHybridSwap(ArcHybrid):
    """The arc-hybrid system with SWAP.

    Initial and terminal configurations, SHIFT, LEFT-ARC and RIGHT-ARC are those of `ArcHybrid`.
    In addition,

        SWAP  (σ|s0, b|β, A) => (σ, b|s0|β, A)      s0 < b in sentence order, b ≠ 0

    Each pair of words is swapped at most once: length 2n + 2·#SWAP, #SWAP ≤ n(n-1)/2. No dead ends.

    Covers all trees.

    Source: de Lhoneux, Stymne and Nivre (2017, section 2).
    """

    names = ArcHybrid.names + ("SWAP",)
    reordering = ("SWAP",)
    # SWAP moves s0 to b1: without that position, the scorer could not tell what was swapped.
    position_names = ArcHybrid.position_names + ("b1",)
    projective = False

    def oracle_classes(self):
        # At the top, this import would be circular.
        from spacy_npparse.systems.arc_hybrid_swap_dynamic_oracle import (
            ArcHybridSwapDynamic, ArcHybridSwapJoint
        )

        return {
            "static": ArcHybridSwapStatic,
            "lazy": ArcHybridSwapLazy,
            "static-dynamic": StaticDynamic,
            "static-dynamic-lazy": StaticDynamicLazy,
            "dynamic": ArcHybridSwapDynamic,
            "joint": ArcHybridSwapJoint,
        }

    def max_length(self, int n):
        return 2 * n + n * (n - 1)

    cdef bint is_legal(self, KernelConfiguration c, int t) noexcept nogil:
        if t == SWAP:
            return c.stack_size > 0 and c.buffer_size > 1 and stack_item(c, 0) < buffer_item(c, 0)
        return ArcHybrid.is_legal(self, c, t)

    cdef void apply(self, KernelConfiguration c, int t) noexcept nogil:
        cdef int b
        if t == SWAP:
            b = pop_front(c)
            push_front(c, pop(c))
            push_front(c, b)
        else:
            ArcHybrid.apply(self, c, t)


cdef class ArcHybridSwapStatic(ArcHybridStatic):
    """A static oracle that chooses the first of these transitions whose condition holds:

        SWAP       PROJ(s0) > PROJ(b)
        LEFT-ARC   g(s0) = b and s0 is complete
        RIGHT-ARC  g(s0) = s1 and s0 is complete
        SHIFT

    Derives every tree.

    Source: de Lhoneux, Stymne and Nivre (2017, section 3.2), SWAP being eager in the sense of
    Nivre, Kuhlmann and Hall (2009).
    """

    cdef vector[int] ranks

    cdef int precompute(self) except -1 nogil:
        self.ranks.resize(self.n + 1)
        in_order_ranks(self.tree, self.n, self.ranks.data())
        return 0

    cdef int move(self, KernelConfiguration c) noexcept nogil:
        if inverted(self.ranks, c):
            return SWAP
        return ArcHybridStatic.move(self, c)


cdef class ArcHybridSwapLazy(ArcHybridSwapStatic):
    """A static oracle that chooses the first of these transitions whose condition holds:

        LEFT-ARC   g(s0) = b and s0 is complete
        RIGHT-ARC  g(s0) = s1 and s0 is complete
        SWAP       PROJ(s0) > PROJ(b), unless a LEFT-ARC of its own component will attach b:
                   g(b) ∈ β, b < g(b) and MPC(g(b)) = MPC(b)
        SHIFT

    Derives every tree, on treebanks with less than half the swaps of `ArcHybridSwapStatic`. The
    rule is our own, lazy in the sense of Nivre, Kuhlmann and Hall (2009).
    """

    cdef vector[int] components

    cdef int precompute(self) except -1 nogil:
        ArcHybridSwapStatic.precompute(self)
        self.components.resize(self.n + 1)
        maximal_components(self.tree, self.n, self.components.data())
        return 0

    cdef int move(self, KernelConfiguration c) noexcept nogil:
        cdef int arc = ArcHybridStatic.move(self, c)
        if arc == SHIFT and inverted(self.ranks, c) and not postponed(self, self.components, c):
            return SWAP
        return arc


cdef class StaticDynamic(KernelOracle):
    """The static-dynamic oracle: static for SWAP, dynamic for the other transitions.

    SWAP is forced if PROJ(s0) > PROJ(b): it costs 0 and everything else 1. Otherwise SWAP costs 1,
    and the other transitions cost the number of gold arcs that they make unreachable, RDEPS(w)
    being the reachable gold dependents of w:

        LEFT-ARC   |RDEPS(s0)| + [g(s0) ≠ b and s0 ∈ RDEPS(g(s0))]
        RIGHT-ARC  |RDEPS(s0)| + [g(s0) ≠ s1 and s0 ∈ RDEPS(g(s0))]
        SHIFT      0 if b will be swapped back: b < i and PROJ(b) > PROJ(i) for some i ∈ β;
                   otherwise #{d ∈ RDEPS(b): d ∈ σ|s0} + [g(b) ∈ σ and b ∈ RDEPS(g(b))]

    Single root (our own): on the stack, a gold dependent of the root must be the lowest item or be
    swapped back, or the arc from the root is unreachable already. So SHIFT costs 1 more if
    g(b) = 0, b will not be swapped back and the stack is not empty.

    Exact in the system whose SWAP is legal if and only if it is forced, and then the only legal
    transition; with the single-root precondition, for gold trees with a single root.

    The paper updates RDEPS along the derivation, but it is a function of the configuration: a gold
    arc is reachable if its dependent is headless and both its ends are on the stack or in the
    buffer, except that, where both are on the stack and the upper one will not be swapped back, the
    upper one must be the dependent and lie directly above its head.

    Source: de Lhoneux, Stymne and Nivre (2017, section 3).
    """

    def __init__(self, KernelSystem system):
        super().__init__(system)
        self.explores = self.honours_single_root = True

    cdef int precompute(self) except -1 nogil:
        self.ranks.resize(self.n + 1)
        in_order_ranks(self.tree, self.n, self.ranks.data())
        self.proven = self.admits_gold()
        return 0

    cdef bint swap_forced(self, KernelConfiguration c) noexcept nogil:
        return inverted(self.ranks, c)

    cdef bint swaps_back(self, KernelConfiguration c, int word) noexcept nogil:
        """Whether a word of the buffer will be swapped with this one, once it is on the stack."""
        cdef int i
        for i in range(c.buffer_size):
            if word < c.buffer[i] and self.ranks[word] > self.ranks[c.buffer[i]]:
                return True
        return False

    cdef void costs(self, KernelConfiguration c, int* out) noexcept nogil:
        cdef int t, head
        cdef bint forced = self.swap_forced(c)
        for t in range(self.system.n_transitions):
            if not self.system.is_legal(c, t):
                out[t] = ILLEGAL
            elif forced or t == SWAP:
                out[t] = 0 if forced and t == SWAP else 1
            elif t == SHIFT:
                out[t] = self.shift_cost(c)
            else:
                head = buffer_item(c, 0) if t == LEFT_ARC else stack_item(c, 1)
                out[t] = self.pop_cost(c, head)

    def reachable(self, KernelConfiguration c):
        cdef int d, head
        depths = {stack_item(c, i): i for i in range(c.stack_size)}
        ahead = {c.buffer[i] for i in range(c.buffer_size)}
        present = ahead.union(depths)
        found = []
        for d in range(1, self.n + 1):
            head = self.gold[d]
            if has_head(c, d) or not {d, head} <= present:
                continue
            if d not in ahead and head not in ahead and depths[d] + 1 != depths[head]:
                if not self.swaps_back(c, min(d, head, key=depths.__getitem__)):
                    continue
            if head == 0 and d in depths and self.root_is_lost(c, d, self.swaps_back(c, d)):
                continue
            found.append(d)
        return found

    cdef int shift_cost(self, KernelConfiguration c) noexcept nogil:
        """The number of gold arcs between b and the stack that SHIFT makes unreachable."""
        cdef int b = buffer_item(c, 0)
        cdef int i
        cdef int cost = 0
        if self.swaps_back(c, b):
            return 0
        if self.gold[b] == 0 and self.system.single_root and c.stack_size > 0:
            cost += 1
        for i in range(c.stack_size):
            cost += self.gold[stack_item(c, i)] == b
            cost += i > 0 and self.gold[b] == stack_item(c, i)
        return cost

    cdef bint root_is_lost(self, KernelConfiguration c, int word, bint returns) noexcept nogil:
        """Whether the single-root precondition keeps a word of the stack from the root."""
        return self.system.single_root and not returns and word != c.stack[0]

    cdef int pop_cost(self, KernelConfiguration c, int head) noexcept nogil:
        """The number of gold arcs of s0 that attaching it to `head` makes unreachable."""
        cdef int s0 = stack_item(c, 0)
        cdef bint returns = self.swaps_back(c, s0)
        cdef int gold_head = self.gold[s0]
        cdef int i, word
        cdef int cost = 0
        if gold_head == 0 and self.root_is_lost(c, s0, returns):
            gold_head = NO_WORD
        for i in range(c.buffer_size):
            word = c.buffer[i]
            cost += self.gold[word] == s0
            cost += gold_head == word and word != head
        for i in range(1, c.stack_size):
            word = stack_item(c, i)
            cost += self.gold[word] == s0 and returns
            cost += gold_head == word and word != head and (returns or i == 1)
        return cost


cdef class StaticDynamicLazy(StaticDynamic):
    """The static-dynamic oracle with the SWAP rule of `ArcHybridSwapLazy`; our own.

    Not exact: in a few configurations no transition costs 0, and the least cost counts as 0.
    """

    cdef vector[int] components

    def derivation_oracle(self):
        return "lazy"

    cdef int precompute(self) except -1 nogil:
        StaticDynamic.precompute(self)
        self.proven = False
        self.components.resize(self.n + 1)
        maximal_components(self.tree, self.n, self.components.data())
        return 0

    cdef bint swap_forced(self, KernelConfiguration c) noexcept nogil:
        cdef int s0 = stack_item(c, 0)
        if not inverted(self.ranks, c) or postponed(self, self.components, c):
            return False
        if self.gold[s0] != NO_WORD and (
            self.gold[s0] == buffer_item(c, 0) or self.gold[s0] == stack_item(c, 1)
        ):
            return self.pop_cost(c, self.gold[s0]) > 0
        return True

    cdef int shift_cost(self, KernelConfiguration c) noexcept nogil:
        if inverted(self.ranks, c) and postponed(self, self.components, c):
            return 0
        return StaticDynamic.shift_cost(self, c)


cdef bint inverted(const vector[int]& ranks, KernelConfiguration c) noexcept nogil:
    """Whether SWAP is legal and PROJ(s0) > PROJ(b)."""
    return (
        c.stack_size > 0
        and c.buffer_size > 1
        and stack_item(c, 0) < buffer_item(c, 0)
        and ranks[stack_item(c, 0)] > ranks[buffer_item(c, 0)]
    )


cdef bint postponed(
    KernelOracle oracle, const vector[int]& components, KernelConfiguration c
) noexcept nogil:
    """Whether a LEFT-ARC from a later word of its own component will attach b."""
    cdef int b = buffer_item(c, 0)
    cdef int head = oracle.tree[b]
    cdef int i
    if head <= b or components[head] != components[b]:
        return False
    for i in range(1, c.buffer_size):
        if buffer_item(c, i) == head:
            return True
    return False
