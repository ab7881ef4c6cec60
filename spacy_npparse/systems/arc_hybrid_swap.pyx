"""Arc-hybrid with SWAP: non-projective parsing (de Lhoneux, Stymne and Nivre 2017).

Notation as in `arc_hybrid`. PROJ(w) is the rank of w in the projective order of the gold tree,
MPC(w) the root of its maximal projective component.
"""

from libcpp.vector cimport vector

from spacy_npparse.systems.arc_hybrid cimport LEFT_ARC, SHIFT, ArcHybrid, ArcHybridStatic
from spacy_npparse.transitions.configuration cimport (
    KernelConfiguration, buffer_item, has_head, pop, pop_front, push_front, stack_item
)
from spacy_npparse.trees.projectivity cimport in_order_ranks, maximal_components
from spacy_npparse.transitions.system cimport ILLEGAL, KernelOracle, KernelSystem
from spacy_npparse.trees.partial_trees cimport NO_WORD

cdef class ArcHybridSwap(ArcHybrid):
    """Arc-hybrid with SWAP.

    Initial configuration, terminal configurations and the transitions SHIFT, LEFT-ARC and
    RIGHT-ARC are those of `ArcHybrid`; further

        SWAP  (σ|s0, b|β, A) => (σ, b|s0|β, A)      s0 < b in sentence order, b ≠ 0

    Each pair of words is swapped at most once: length 2n + 2·#SWAP, #SWAP ≤ n(n-1)/2.
    Covers all trees; no dead ends.
    """

    names = ArcHybrid.names + ("SWAP",)
    # SWAP leaves s0 behind the front of the buffer: a scorer that cannot see it there would take
    # the configurations before and after for the same.
    position_names = ArcHybrid.position_names + ("b1",)
    projective = False

    def oracle_classes(self):
        # That module builds on this one.
        from spacy_npparse.systems.arc_hybrid_swap_dynamic import FullyDynamic, JointSwap

        return {
            "static": ArcHybridSwapStatic,
            "lazy": ArcHybridSwapLazy,
            "static-dynamic": StaticDynamic,
            "static-dynamic-lazy": StaticDynamicLazy,
            "dynamic": FullyDynamic,
            "joint": JointSwap,
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

    cdef bint is_reordering(self, int t) noexcept nogil:
        return t == SWAP


cdef class ArcHybridSwapStatic(ArcHybridStatic):
    """SWAP if PROJ(s0) > PROJ(b). Otherwise, if s0 has all its gold dependents: LEFT-ARC if
    g(s0) = b, RIGHT-ARC if g(s0) = s1. Otherwise SHIFT. Derives every tree.
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
    """Arcs first, then SWAP where it cannot wait.

    If s0 has all its gold dependents: LEFT-ARC if g(s0) = b, RIGHT-ARC if g(s0) = s1. Otherwise,
    if PROJ(s0) > PROJ(b): SWAP, unless b will be taken by a LEFT-ARC from a later word of its
    own component (g(b) ∈ β, b < g(b), MPC(g(b)) = MPC(b)). Otherwise SHIFT.

    Own rule in the spirit of Nivre, Kuhlmann and Hall 2009. Derives every tree, on treebanks
    with less than half the swaps of `ArcHybridSwapStatic`.
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
    """The static-dynamic oracle (de Lhoneux, Stymne and Nivre 2017, section 3).

    Static for SWAP, dynamic for the rest. SWAP is forced: if PROJ(s0) > PROJ(b) it costs 0 and
    everything else 1, otherwise it costs 1. RDEPS(w) are the gold dependents of w still within
    reach; the other transitions cost the gold arcs they put out of reach:

        LEFT-ARC   |RDEPS(s0)| + [g(s0) ≠ b and s0 ∈ RDEPS(g(s0))]
        RIGHT-ARC  |RDEPS(s0)| + [g(s0) ≠ s1 and s0 ∈ RDEPS(g(s0))]
        SHIFT      0 if b will be swapped back: there is i ∈ β with b < i and PROJ(b) > PROJ(i)
                   otherwise #{d ∈ RDEPS(b): d ∈ stack} + [g(b) ∈ σ below s0 and b ∈ RDEPS(g(b))]

    In the system restricted to forced SWAPs these costs are the exact loss differences.

    The paper updates RDEPS along the derivation. Here it is read off the configuration: a gold
    arc is within reach if its dependent has no head yet and both ends remain, unless both are on
    the stack, the upper one will not be swapped back, and it is the head or has other items
    between itself and its head.
    """

    def __init__(self, KernelSystem system):
        super().__init__(system)
        self.explores = True

    cdef int precompute(self) except -1 nogil:
        self.ranks.resize(self.n + 1)
        in_order_ranks(self.tree, self.n, self.ranks.data())
        return 0

    cdef bint swap_forced(self, KernelConfiguration c) noexcept nogil:
        return inverted(self.ranks, c)

    cdef bint swaps_back(self, KernelConfiguration c, int word) noexcept nogil:
        """Whether a word of the buffer will make the word leave the stack again."""
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
            found.append(d)
        return found

    cdef int shift_cost(self, KernelConfiguration c) noexcept nogil:
        """Gold arcs between b and the stack that are lost when b is shifted."""
        cdef int b = buffer_item(c, 0)
        cdef int i
        cdef int cost = 0
        if self.swaps_back(c, b):
            return 0
        for i in range(c.stack_size):
            cost += self.gold[stack_item(c, i)] == b
            cost += i > 0 and self.gold[b] == stack_item(c, i)
        return cost

    cdef int pop_cost(self, KernelConfiguration c, int head) noexcept nogil:
        """Gold arcs of s0 that are lost when it is attached to `head`."""
        cdef int s0 = stack_item(c, 0)
        cdef bint returns = self.swaps_back(c, s0)
        cdef int i, word
        cdef int cost = 0
        for i in range(c.buffer_size):
            word = c.buffer[i]
            cost += self.gold[word] == s0
            cost += self.gold[s0] == word and word != head
        for i in range(1, c.stack_size):
            word = stack_item(c, i)
            cost += self.gold[word] == s0 and returns
            cost += self.gold[s0] == word and word != head and (returns or i == 1)
        return cost


cdef class StaticDynamicLazy(StaticDynamic):
    """Static-dynamic costs with the SWAP rule of `ArcHybridSwapLazy`.

    Not exact: where no transition costs 0, those of least cost are the right ones.
    """

    cdef vector[int] components

    def derivation_oracle(self):
        return "lazy"

    cdef int precompute(self) except -1 nogil:
        StaticDynamic.precompute(self)
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


cdef bint postponed(KernelOracle oracle, const vector[int]& components, KernelConfiguration c) noexcept nogil:
    """Whether b will be taken by a LEFT-ARC from a later word of its own component."""
    cdef int b = buffer_item(c, 0)
    cdef int head = oracle.tree[b]
    cdef int i
    if head <= b or components[head] != components[b]:
        return False
    for i in range(1, c.buffer_size):
        if buffer_item(c, i) == head:
            return True
    return False
