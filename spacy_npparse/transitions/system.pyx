"""What every transition system and every oracle has in common.

A new system is one file: a `KernelSystem` subclass that states its transitions, and one
`KernelOracle` subclass per oracle; plus one line in `registry.py`.
"""

import re

from libc.stdlib cimport free, malloc
from libcpp.vector cimport vector

from spacy_npparse.transitions.configuration cimport (
    buffer_item, has_head, push, push_front, stack_item
)
from spacy_npparse.trees.partial_trees cimport NO_WORD
from spacy_npparse.trees.projectivity cimport check_acyclic, complete

# Arcs that the transitions of stack-based systems build, and their reverses.
ARCS = (("s0", "b0"), ("b0", "s0"), ("s0", "s1"), ("s1", "s0"))


cdef class KernelSystem:
    """A transition system: configurations, transitions and their preconditions.

    single_root: give every sentence exactly one word whose head is the root. False is the
        paper's unconstrained system.

    Subclasses state as class attributes:

    names: of the transitions, which are numbered in this order.
    position_names: the places of a configuration that the scorer looks at: "s0" for the top of the
        stack, "b0" for the front of the buffer and so on, "head of s0" for the head of that word.
        Others are for `positions` to fill in.
    root: where the root is at the start: "left", the bottom of the stack, "right", the end of the
        buffer, or "implicit", nowhere.
    projective: whether it builds projective trees only.
    structure_names: the structures of a configuration that words move through, in the order they
        are read: their names there and the names that readers know.

    `candidate_arcs` are those of `ARCS` between the positions, as (dependent, head), whose scores
    the scorer looks at.
    """

    names = ()
    position_names = ()
    root = "left"
    projective = False
    structure_names = {"stack": "stack", "buffer": "buffer"}

    def __init__(self, *, bint single_root=True):
        self.n_transitions = len(self.names)
        self.n_positions = len(self.position_names)
        self.candidate_arcs = tuple([arc for arc in ARCS if set(arc) <= set(self.position_names)])
        self.n_candidate_arcs = len(self.candidate_arcs)
        self.single_root = single_root
        self.root_on_stack = self.root == "left"
        self.root_in_buffer = self.root == "right"
        for name in self.position_names:
            self.places.push_back(_place(name))

    def with_single_root(self, bint single_root):
        """The same system with or without the single-root precondition."""
        return type(self)(single_root=single_root)

    def new_configuration(self):
        """An empty configuration of the kind this system works on."""
        return KernelConfiguration()

    def oracle_classes(self):
        """KernelOracle classes by name, the plainest static one first."""
        raise NotImplementedError

    def oracle(self, str name):
        """A new oracle for this system, to be prepared with a gold tree.

        Raises ValueError if the system has no oracle of that name.
        """
        classes = self.oracle_classes()
        if name not in classes:
            raise ValueError(
                f"{type(self).__name__} has no oracle {name!r}; choose one of: {', '.join(classes)}"
            )
        return classes[name](self)

    def training_oracle(self, str name):
        """An oracle to train with, of the system without the single-root precondition unless it
        takes that into account: the precondition belongs to prediction."""
        oracle = self.oracle(name)
        if self.single_root and not oracle.honours_single_root:
            return self.with_single_root(False).oracle(name)
        return oracle

    def max_length(self, int n):
        """The longest derivation of a sentence of n words, in transitions."""
        raise NotImplementedError

    cdef int initialise(self, KernelConfiguration c, int n) except -1 nogil:
        """Make c the initial configuration of a sentence of n words."""
        cdef int word
        c.reset(n)
        if self.root_on_stack:
            push(c, 0)
        if self.root_in_buffer:
            push_front(c, 0)
        for word in range(n, 0, -1):
            push_front(c, word)
        return 0

    cdef bint is_legal(self, KernelConfiguration c, int t) noexcept nogil:
        """The precondition of transition t, in a configuration that is not terminal."""
        return False

    cdef int mark_legal(self, KernelConfiguration c, char* legal) noexcept nogil:
        """Mark the legal transitions in a configuration that is not terminal, and count them."""
        cdef int t
        cdef int n_legal = 0
        for t in range(self.n_transitions):
            legal[t] = self.is_legal(c, t)
            n_legal += legal[t]
        return n_legal

    cdef void apply(self, KernelConfiguration c, int t) noexcept nogil:
        """Take the legal transition t."""

    cdef bint is_terminal(self, KernelConfiguration c) noexcept nogil:
        return True

    cdef void positions(self, KernelConfiguration c, int* out) noexcept nogil:
        """Write the word at each position, NO_WORD where there is none."""
        cdef int i, word
        for i in range(self.n_positions):
            if self.places[i].region == IN_BUFFER:
                word = buffer_item(c, self.places[i].depth)
            elif self.places[i].region == ON_STACK:
                word = stack_item(c, self.places[i].depth)
            else:
                word = NO_WORD
            out[i] = c.heads[word] if self.places[i].head_of and word != NO_WORD else word

    cdef int dependent(self, KernelConfiguration c, int t) noexcept nogil:
        """The word to which the legal transition t gives a head, NO_WORD if it adds no arc."""
        return NO_WORD

    cdef bint is_reordering(self, int t) noexcept nogil:
        """Whether t only changes the word order."""
        return False

    def legal_transitions(self, KernelConfiguration c):
        """Numbers of the legal transitions, ascending; empty in a terminal configuration."""
        cdef int t
        if self.is_terminal(c):
            return []
        return [t for t in range(self.n_transitions) if self.is_legal(c, t)]

    def start(self, KernelConfiguration c, int n):
        """`initialise` for Python callers."""
        self.initialise(c, n)

    def take(self, KernelConfiguration c, int t):
        """`apply` for Python callers, who check that t is legal."""
        self.apply(c, t)

    def finished(self, KernelConfiguration c):
        """`is_terminal` for Python callers."""
        return self.is_terminal(c)

    def looked_at(self, KernelConfiguration c):
        """`positions` for Python callers: a list of words, NO_WORD where there is none."""
        cdef vector[int] out
        out.resize(self.n_positions)
        self.positions(c, out.data())
        return list(out)

    def attached(self, KernelConfiguration c, int t):
        """`dependent` for Python callers."""
        return self.dependent(c, t)

    def reorders(self, int t):
        """`is_reordering` for Python callers."""
        return self.is_reordering(t)


cdef class KernelOracle:
    """Costs of transitions with respect to a gold tree.

    An oracle is a function of configuration and gold tree alone; one object serves any number
    of sentences, one `prepare` each.

    Missing gold heads (-1) are in `gold`; `tree` is the gold tree with each of them attached
    harmlessly, for what needs a whole tree (word orders, static derivations).

    explores: costs are meaningful off the gold derivation too.
    explores_reordering: the same of derivations with wrong reorderings; without it, roll-outs never
        reorder words by mistake.
    honours_single_root: costs take the system's single-root precondition into account. Other
        oracles are exact without it, so training uses them without it.
    proven: whether the costs asked for last are those that the oracle promises; some fall back
        where that would take too long.
    postpones: a static oracle with several transitions of cost 0 where one of them can wait;
        roll-outs choose among them by chance.
    """

    def __cinit__(self):
        self.capacity = 0
        self.n = 0
        self.gold = self.tree = NULL

    def __init__(self, KernelSystem system):
        self.system = system
        self.explores = False
        self.honours_single_root = False
        self.postpones = False
        self.proven = True
        self.explores_reordering = False

    def __dealloc__(self):
        free(self.gold)
        free(self.tree)

    cdef int prepare(self, const int* heads, int n) except -1 nogil:
        """Set the gold tree: heads[0..n-1] are the heads of words 1..n, -1 where missing.

        Raises ValueError on a cycle or a head that is no word of the sentence.
        """
        cdef int d
        if n + 1 > self.capacity:
            free(self.gold)
            free(self.tree)
            self.gold = <int*>malloc((n + 1) * sizeof(int))
            self.tree = <int*>malloc((n + 1) * sizeof(int))
            if self.gold == NULL or self.tree == NULL:
                self.capacity = 0
                with gil:
                    raise MemoryError(f"no memory for a gold tree of {n} words")
            self.capacity = n + 1
        self.n = n
        self.gold[0] = NO_WORD
        for d in range(1, n + 1):
            self.gold[d] = heads[d - 1]
        check_acyclic(self.gold, n)
        complete(self.gold, n, self.tree)
        return self.precompute()

    cdef int precompute(self) except -1 nogil:
        """Compute what depends on the gold tree only. For subclasses."""
        return 0

    cdef void costs(self, KernelConfiguration c, int* out) noexcept nogil:
        """Write the cost of every transition, ILLEGAL for the illegal ones, in a configuration that
        is not terminal."""

    cdef void subtract_least(self, int* costs) noexcept nogil:
        """Turn losses into costs: the least one becomes 0."""
        cdef int t
        cdef int least = ILLEGAL
        for t in range(self.system.n_transitions):
            least = min(least, costs[t])
        for t in range(self.system.n_transitions):
            if costs[t] != ILLEGAL:
                costs[t] -= least

    cdef void prefer(self, const int* preferred, int* costs) noexcept nogil:
        """Of the transitions of cost 0, let those cost 1 that cost more than 0 by `preferred`,
        unless all of them do."""
        cdef int t
        cdef bint any_preferred = False
        for t in range(self.system.n_transitions):
            any_preferred = any_preferred or (costs[t] == 0 and preferred[t] == 0)
        for t in range(self.system.n_transitions):
            if any_preferred and costs[t] == 0 and preferred[t] != 0:
                costs[t] = 1

    def set_gold(self, heads):
        """`prepare` for Python callers. heads: n + 1 ints, heads[0] ignored, -1 = missing."""
        cdef vector[int] words
        if len(heads) < 1:
            raise ValueError("heads must hold n + 1 numbers; heads[0] is ignored")
        for head in heads[1:]:
            words.push_back(head)
        self.prepare(words.data(), <int>words.size())

    def derivation_oracle(self):
        """Name of the static oracle that spells out the gold derivation."""
        return next(iter(self.system.oracle_classes()))

    def completed_heads(self):
        """The gold heads with the missing ones filled in: n + 1 ints, the first is -1."""
        cdef int d
        return [self.tree[d] for d in range(self.n + 1)]

    def fill_costs(self, list configurations, int[:, ::1] out):
        """`costs` of many configurations, ILLEGAL in terminal ones.

        out: [configurations, transitions].
        """
        cdef int i, t
        for i in range(out.shape[0]):
            for t in range(self.system.n_transitions):
                out[i, t] = ILLEGAL
            if not self.system.is_terminal(configurations[i]):
                self.costs(configurations[i], &out[i, 0])

    def reachable(self, KernelConfiguration c):
        """RDEPS: the dependents of the gold arcs that can still be built, ascending; None if the
        oracle keeps no account of them."""
        return None

    def cost_list(self, KernelConfiguration c):
        """`costs` for Python callers; ILLEGAL in a terminal configuration."""
        cdef vector[int] out
        out.assign(self.system.n_transitions, ILLEGAL)
        if not self.system.is_terminal(c):
            self.costs(c, out.data())
        return list(out)


cdef class LossOracle(KernelOracle):
    """An exploring oracle that knows the least loss reachable from any configuration; the cost of a
    transition is the difference it makes.
    """

    def __init__(self, KernelSystem system):
        super().__init__(system)
        self.explores = True
        self.after = system.new_configuration()

    cdef int loss(self, KernelConfiguration c) noexcept nogil:
        """How many gold arcs are, or have to be, missing in the end."""
        return 0

    cdef void costs(self, KernelConfiguration c, int* out) noexcept nogil:
        cdef int t
        for t in range(self.system.n_transitions):
            out[t] = ILLEGAL
            if self.system.is_legal(c, t):
                self.after.copy(c)
                self.system.apply(self.after, t)
                out[t] = self.loss(self.after)
        self.subtract_least(out)


cdef class StaticOracle(KernelOracle):
    """An oracle that names one gold transition in every configuration of the gold derivation."""

    def derivation_oracle(self):
        for name, cls in self.system.oracle_classes().items():
            if cls is type(self):
                return name

    cdef int move(self, KernelConfiguration c) noexcept nogil:
        """The gold transition."""
        return 0

    cdef int incomplete(self, KernelConfiguration c, int word) noexcept nogil:
        """How many gold dependents of the word are not attached yet."""
        cdef int d
        cdef int count = 0
        for d in range(1, self.n + 1):
            if self.tree[d] == word and not has_head(c, d):
                count += 1
        return count

    cdef bint derives(self, KernelConfiguration c) noexcept nogil:
        """Whether the configuration holds the gold tree."""
        cdef int d
        for d in range(1, self.n + 1):
            if c.heads[d] != self.tree[d]:
                return False
        return True

    cdef void costs(self, KernelConfiguration c, int* out) noexcept nogil:
        """0 for the gold transition, 1 for every other legal one."""
        cdef int t
        cdef int gold = self.move(c)
        for t in range(self.system.n_transitions):
            if self.system.is_legal(c, t):
                out[t] = 0 if t == gold else 1
            else:
                out[t] = ILLEGAL


cdef Place _place(str name):
    """The place that a position name stands for; ELSEWHERE if it is the system's own."""
    cdef Place place
    found = re.fullmatch("(head of )?([sb])([0-9])", name)
    if found is None:
        place.region = ELSEWHERE
        place.depth = 0
        place.head_of = False
    else:
        place.region = ON_STACK if found[2] == "s" else IN_BUFFER
        place.depth = int(found[3])
        place.head_of = found[1] is not None
    return place
