"""A fully dynamic oracle for arc-hybrid with SWAP, which de Lhoneux, Stymne and Nivre (2017) leave
open: SWAP too costs what it really loses.

Own work. What a configuration still has to lose depends on stack and buffer alone. It is found by
A* search (Hart, Nilsson and Raphael 1968) between a lower and an upper bound; no polynomial
algorithm is known.
"""

from libcpp.vector cimport vector

from spacy_npparse.systems.arc_hybrid cimport LEFT_ARC, RIGHT_ARC
from spacy_npparse.systems.arc_hybrid_swap cimport StaticDynamic
from spacy_npparse.transitions.configuration cimport (
    KernelConfiguration, buffer_item, stack_item
)
from spacy_npparse.transitions.system cimport ILLEGAL, KernelOracle, KernelSystem
from spacy_npparse.trees.partial_trees cimport NO_WORD

# States that a search may expand after one transition.
BUDGET = 500


cdef extern from "least_loss.h" namespace "npparse" nogil:
    cppclass State:
        void clear()
        void push_back(int)

    cppclass LeastLoss:
        void prepare(const int* heads, int n)
        int loss_of_pop(const State& state)
        int lower_bound(const State& state)
        int greedy_loss(State state, int limit)
        bint search(State start, int budget, int* upper)


cdef class FullyDynamic(KernelOracle):
    """Exact costs of all transitions where they can be proven, else those of `StaticDynamic`.

    A gold arc is pending while both its words remain. Popping s0 loses its pending dependents, and
    its pending head unless that is b or s1; nothing else loses anything. It is always right to
    pop s0 if that loses nothing.

    Lower bound: pending arcs from a word of the stack to one below it, if no word of the buffer can
    make the upper one return. Upper bounds: what is lost by the least costs of `StaticDynamic`, and
    by the moves that keep the lower bound low. If they differ, A* decides, unless it expands too
    many states.

    Exact without the single-root precondition.
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
        self.explores = self.explores_reordering = True
        self.budget = BUDGET
        self.restricted = StaticDynamic(system)
        self.scratch = KernelConfiguration()
        self.restricted_costs.resize(system.n_transitions)

    cdef int precompute(self) except -1 nogil:
        self.restricted.prepare(self.gold + 1, self.n)
        self.least_loss.prepare(self.gold, self.n)
        self.scratch.reset(self.n)
        return 0

    cdef void costs(self, KernelConfiguration c, int* out) noexcept nogil:
        cdef int t
        self.proven = True
        for t in range(self.system.n_transitions):
            out[t] = ILLEGAL
            if self.system.is_legal(c, t) and not self.loss_after(c, t, self.scratch, &out[t]):
                self.proven = False
                self.restricted.costs(c, out)
                break
        # Where SWAPs were wrong, the least cost of `StaticDynamic` can be more than 0.
        self.subtract_least(out)

    cdef bint loss_after(
        self, KernelConfiguration c, int t, KernelConfiguration after, int* loss
    ) noexcept nogil:
        """Find what t and the best that can follow it lose; False if it cannot be proven."""
        cdef int lost = 0
        cdef int lowest, highest
        if t == LEFT_ARC or t == RIGHT_ARC:
            read_state(c, &self.state)
            lost = self.least_loss.loss_of_pop(self.state)
            lost += self.wrong_of_two(c, t)
        after.copy(c)
        self.system.apply(after, t)
        read_state(after, &self.start)
        lowest = self.least_loss.lower_bound(self.start)
        highest = self.restricted_loss(after)
        if lowest < highest:
            highest = min(highest, self.least_loss.greedy_loss(self.start, self.budget))
        if lowest < highest and not self.least_loss.search(self.start, self.budget, &highest):
            return False
        loss[0] = lost + highest
        return True

    cdef int wrong_of_two(self, KernelConfiguration c, int t) noexcept nogil:
        """1 if s0 gets the wrong one of b and s1, where the other is its gold head."""
        cdef int head = self.gold[stack_item(c, 0)]
        cdef int given = buffer_item(c, 0) if t == LEFT_ARC else stack_item(c, 1)
        return head != NO_WORD and head != given and (
            head == buffer_item(c, 0) or head == stack_item(c, 1)
        )

    cdef int restricted_loss(self, KernelConfiguration c) noexcept nogil:
        """What is lost from c, which is used up, by moves of least static-dynamic cost."""
        cdef int t, move
        cdef int lost = 0
        while not self.system.is_terminal(c):
            self.restricted.costs(c, self.restricted_costs.data())
            move = 0
            for t in range(1, self.system.n_transitions):
                if self.restricted_costs[t] < self.restricted_costs[move]:
                    move = t
            if move == LEFT_ARC or move == RIGHT_ARC:
                read_state(c, &self.state)
                lost += self.least_loss.loss_of_pop(self.state) + self.wrong_of_two(c, move)
            self.system.apply(c, move)
        return lost


cdef class JointSwap(FullyDynamic):
    """The fully dynamic oracle with preference for what is right by `StaticDynamic`.

    Among the transitions of cost 0, those that cost nothing by `StaticDynamic` too; if there are
    none, all of cost 0. The others of cost 0 cost 1. The rule is that of Honnibal, Goldberg and
    Johnson (2013, section 5) for another system: nearly every SWAP loses nothing, because words can
    be swapped again, and from that alone a parser learns to swap at random.
    """

    cdef void costs(self, KernelConfiguration c, int* out) noexcept nogil:
        FullyDynamic.costs(self, c, out)
        self.restricted.costs(c, self.restricted_costs.data())
        self.prefer(self.restricted_costs.data(), out)


cdef void read_state(KernelConfiguration c, State* state) noexcept nogil:
    cdef int i
    state.clear()
    state.push_back(c.stack_size)
    for i in range(c.stack_size):
        state.push_back(c.stack[i])
    for i in range(c.buffer_size):
        state.push_back(buffer_item(c, i))
