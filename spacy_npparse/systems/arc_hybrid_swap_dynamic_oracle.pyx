"""A dynamic oracle for arc-hybrid with SWAP that is dynamic for SWAP too: an open question of de
Lhoneux, Stymne and Nivre (2017, section 5).

Our own. The loss that is still to come is a function of stack and buffer. It is found by A* search
(Hart, Nilsson and Raphael 1968); no polynomial algorithm is known.

Notation as in `arc_hybrid`.
"""

from libcpp.vector cimport vector

from spacy_npparse.systems.arc_hybrid cimport LEFT_ARC, RIGHT_ARC
from spacy_npparse.systems.arc_hybrid_swap cimport StaticDynamic
from spacy_npparse.transitions.configuration cimport KernelConfiguration, buffer_item, stack_item
from spacy_npparse.transitions.system cimport ILLEGAL, KernelOracle, KernelSystem

# The maximum number of states that one A* search expands.
BUDGET = 500


cdef extern from "least_loss.h" namespace "npparse" nogil:
    cppclass State:
        void clear()
        void push_back(int)

    cppclass LeastLoss:
        void prepare(const int* heads, int n, bint single_root)
        int loss_of_pop(const State& state, int head)
        int lower_bound(const State& state)
        int greedy_loss(State state, int limit)
        void search(State start, int budget, int* lowest, int* highest)


cdef class ArcHybridSwapDynamic(KernelOracle):
    """A dynamic oracle that also computes the true costs of SWAP, within a budget for its search.

    A gold arc is pending while both its ends are on the stack or in the buffer. Popping s0 loses
    its pending dependents, and its pending head unless that is b or s1. SHIFT and SWAP themselves
    lose nothing. Popping s0 is optimal if it loses nothing.

    Lower bound of the loss to come: the pending arcs from a word of the stack to one below it, if
    no word of the buffer can be swapped with the upper one. Upper bounds: the loss of following the
    least costs of `StaticDynamic`, and the loss of greedily minimising the lower bound. If the
    bounds differ, A* search decides. If it exceeds its budget, the upper bound is used.

    Exact for any gold tree wherever the bounds meet or the search ends, with and without the
    single-root precondition.
    """

    cdef int budget
    cdef StaticDynamic restricted
    cdef KernelConfiguration scratch
    cdef LeastLoss least_loss
    cdef State state
    cdef State start
    cdef vector[int] restricted_costs

    def __init__(self, KernelSystem system):
        super().__init__(system)
        self.explores = self.explores_reordering = self.honours_single_root = True
        self.budget = BUDGET
        self.restricted = StaticDynamic(system)
        self.scratch = KernelConfiguration()
        self.restricted_costs.resize(system.n_transitions)

    cdef int precompute(self) except -1 nogil:
        self.restricted.prepare(self.gold + 1, self.n)
        self.least_loss.prepare(self.gold, self.n, self.system.single_root)
        self.scratch.reset(self.n)
        return 0

    cdef void costs(self, KernelConfiguration c, int* out) noexcept nogil:
        cdef int t
        cdef int lowest, highest
        self.proven = True
        for t in range(self.system.n_transitions):
            out[t] = ILLEGAL
            if self.system.is_legal(c, t):
                self.bound_loss_after(c, t, &lowest, &highest)
                self.proven = self.proven and lowest == highest
                out[t] = highest
        self.subtract_least(out)

    cdef void bound_loss_after(
        self, KernelConfiguration c, int t, int* lowest, int* highest
    ) noexcept nogil:
        """Compute bounds of the least loss after transition t. They are equal if it is proven."""
        cdef int lost = self.loss_of(c, t)
        self.scratch.copy(c)
        self.system.apply(self.scratch, t)
        read_state(self.scratch, &self.start)
        lowest[0] = self.least_loss.lower_bound(self.start)
        highest[0] = self.restricted_loss(self.scratch)
        if lowest[0] < highest[0]:
            highest[0] = min(highest[0], self.least_loss.greedy_loss(self.start, self.budget))
        if lowest[0] < highest[0]:
            self.least_loss.search(self.start, self.budget, lowest, highest)
        lowest[0] += lost
        highest[0] += lost

    cdef int loss_of(self, KernelConfiguration c, int t) noexcept nogil:
        """Count the pending arcs that t loses."""
        if t == LEFT_ARC or t == RIGHT_ARC:
            read_state(c, &self.state)
            return self.least_loss.loss_of_pop(
                self.state, buffer_item(c, 0) if t == LEFT_ARC else stack_item(c, 1)
            )
        return 0

    cdef int restricted_loss(self, KernelConfiguration c) noexcept nogil:
        """Compute the loss of the derivation from c with the least static-dynamic costs. c is
        overwritten."""
        cdef int t, move
        cdef int lost = 0
        while not self.system.is_terminal(c):
            self.restricted.costs(c, self.restricted_costs.data())
            move = 0
            for t in range(1, self.system.n_transitions):
                if self.restricted_costs[t] < self.restricted_costs[move]:
                    move = t
            lost += self.loss_of(c, move)
            self.system.apply(c, move)
        return lost


cdef class ArcHybridSwapJoint(ArcHybridSwapDynamic):
    """A combination of the dynamic and the static-dynamic oracle.

    Among the transitions with cost 0, those that also cost 0 by `StaticDynamic` are preferred, if
    there are any, and the others get cost 1. Nearly every SWAP has cost 0, because words can be
    swapped later, so a parser trained with these costs alone would swap at random.

    Source: the rule of Honnibal, Goldberg and Johnson (2013, section 6).
    """

    cdef void costs(self, KernelConfiguration c, int* out) noexcept nogil:
        ArcHybridSwapDynamic.costs(self, c, out)
        self.restricted.costs(c, self.restricted_costs.data())
        self.prefer(self.restricted_costs.data(), out)


cdef void read_state(KernelConfiguration c, State* state) noexcept nogil:
    """The stack and the buffer of a configuration, as `LeastLoss` takes them."""
    cdef int i
    state.clear()
    state.push_back(c.stack_size)
    for i in range(c.stack_size):
        state.push_back(c.stack[i])
    for i in range(c.buffer_size):
        state.push_back(buffer_item(c, i))
