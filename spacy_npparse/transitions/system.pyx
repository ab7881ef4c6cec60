"""The base classes of compiled transition systems and oracles.

    KernelSystem         configurations, transitions and their preconditions
    KernelOracle         the costs of transitions with respect to a gold tree
      StaticOracle       by the one transition that continues the gold derivation
      LossOracle         by the losses of the configurations that transitions lead to

They use `KernelConfiguration` without the GIL. Their counterparts in Python are `TransitionSystem`,
`Oracle` and `Configuration` of `spacy_npparse.transitions.interface`.

A new system consists of one file, with a subclass of `KernelSystem` and a subclass of
`KernelOracle` for each oracle, and of one line in `spacy_npparse.systems.registry`.
"""

import re

from libc.stdlib cimport free, malloc
from libcpp.vector cimport vector

from spacy_npparse.transitions.configuration cimport (
    buffer_item, has_head, push, push_front, stack_item
)
from spacy_npparse.trees.partial_trees cimport NO_WORD
from spacy_npparse.trees.projectivity cimport check_acyclic, complete

# The arcs that transitions of stack-based systems add, as (dependent, head), and their reverses.
ARCS = (("s0", "b0"), ("b0", "s0"), ("s0", "s1"), ("s1", "s0"))


cdef class KernelSystem:
    """A transition system: configurations, transitions and their preconditions.

    Subclasses set the class attributes up to `structure_names`, and override `oracle_classes`,
    `max_length`, `is_legal`, `apply`, `is_terminal` and `dependent`. If necessary, they also
    override `new_configuration` and `positions`.

    Args:
        single_root: Whether the root has exactly one dependent. False for the system of the paper,
            which has no such precondition.

    Attributes:
        names: The names of the transitions, in the order of their numbers.
        reordering: The names of those that only change the word order.
        position_names: The positions of a configuration whose words are features of the scorer:
            "s0" for the top of the stack, "b0" for the front of the buffer and so on, "head of s0"
            for the current head of s0. A system with other positions overrides `positions`.
        root: The initial position of the root: "left" for the bottom of the stack, "right" for the
            end of the buffer, "implicit" for neither.
        projective: Whether the system derives all projective trees and no others. A system that
            derives only some of them is not projective in this sense.
        structure_names: The structures of a configuration through which words move, from left to
            right: the keys of `KernelConfiguration.structures`, and names to display.
        candidate_arcs: The arcs between positions, as (dependent, head), whose scores are features
            of the scorer: those of `ARCS` whose ends are among the positions.
        single_root: Whether the root has exactly one dependent.
    """

    names = ()
    reordering = ()
    position_names = ()
    root = "left"
    projective = False
    structure_names = {"stack": "stack", "buffer": "buffer"}

    def __init__(self, *, bint single_root=True):
        self.n_transitions = len(self.names)
        self.is_reordering = [name in self.reordering for name in self.names]
        self.single_root = single_root
        self.root_on_stack = self.root == "left"
        self.root_in_buffer = self.root == "right"
        self._look_at(self.position_names)

    def _look_at(self, tuple position_names):
        self.position_names = position_names
        self.n_positions = len(position_names)
        self.candidate_arcs = tuple([arc for arc in ARCS if set(arc) <= set(position_names)])
        self.n_candidate_arcs = len(self.candidate_arcs)
        self.places.clear()
        for name in position_names:
            self.places.push_back(_place(name))

    def with_single_root(self, bint single_root):
        """Make a copy of the system with or without the single-root precondition."""
        cdef KernelSystem system = type(self)(single_root=single_root)
        system._look_at(self.position_names)
        return system

    def with_positions(self, position_names):
        """Make a copy of the system whose scorer uses the words at other positions as features.

        Args:
            position_names: The positions, at least one, on the stack, in the buffer, or of the
                heads of their words; see the attribute.

        Raises:
            ValueError: A position does not exist or occurs twice, or the system has positions of
                its own, which cannot be replaced.
        """
        cdef KernelSystem system = self.with_single_root(self.single_root)
        names = tuple(position_names)
        for name in type(self).position_names:
            if _place(name).region == ELSEWHERE:
                raise ValueError(
                    f"the positions of {type(self).__name__} cannot be changed, because it has "
                    f"some of its own: {', '.join(type(self).position_names)}"
                )
        for name in names:
            if _place(name).region == ELSEWHERE:
                raise ValueError(
                    f"{name!r} is no position; choose from s0 (the top of the stack), s1, …, b0 "
                    "(the front of the buffer), b1, …, head of s0, …"
                )
        if len(set(names)) < max(len(names), 1):
            raise ValueError(
                f"positions are {list(names)}, but must be one or more different ones"
            )
        system._look_at(names)
        return system

    def new_configuration(self):
        """Make an empty configuration of the system."""
        return KernelConfiguration()

    def oracle_classes(self):
        """The subclasses of `KernelOracle` by name, with the standard static oracle first."""
        raise NotImplementedError

    def oracle(self, str name):
        """Create an oracle, which then has to be prepared with a gold tree.

        Raises:
            ValueError: The system has no oracle of that name.
        """
        classes = self.oracle_classes()
        if name not in classes:
            raise ValueError(
                f"{type(self).__name__} has no oracle {name!r}; choose one of: {', '.join(classes)}"
            )
        return classes[name](self)

    def training_oracle(self, str name):
        """Create an oracle for training.

        If the oracle does not take the single-root precondition into account, it is created for the
        system without it. The precondition then applies only in prediction.

        Raises:
            ValueError: The system has no oracle of that name.
        """
        oracle = self.oracle(name)
        if self.single_root and not oracle.honours_single_root:
            return self.with_single_root(False).oracle(name)
        return oracle

    def max_length(self, int n):
        """Compute an upper bound of the length of derivations of n words."""
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
        """Check whether the preconditions of transition t hold; c is not terminal."""
        return False

    cdef int mark_legal(self, KernelConfiguration c, char* legal) noexcept nogil:
        """Mark the legal transitions, and count them; c is not terminal."""
        cdef int t
        cdef int n_legal = 0
        for t in range(self.n_transitions):
            legal[t] = self.is_legal(c, t)
            n_legal += legal[t]
        return n_legal

    cdef void apply(self, KernelConfiguration c, int t) noexcept nogil:
        """Apply the legal transition t."""

    cdef bint is_terminal(self, KernelConfiguration c) noexcept nogil:
        """Check whether c is a terminal configuration."""
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
        """Find the dependent of the arc that the legal transition t adds, NO_WORD if it adds
        none."""
        return NO_WORD

    def legal_transitions(self, KernelConfiguration c):
        """Find the numbers of the legal transitions, ascending; empty in a terminal
        configuration."""
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


cdef class KernelOracle:
    """The costs of transitions with respect to a gold tree.

    Costs are a function of configuration and gold tree. An object is reused for any number of
    sentences, with one call of `prepare` for each. In `gold`, missing heads are NO_WORD. `tree` is
    the gold tree after `complete_heads`, for computations that need a complete tree, such as
    projective orders.

    Attributes:
        system: The transition system.
        explores: Whether costs are also defined off the gold derivation, as in dynamic oracles.
        explores_reordering: Whether costs are also defined after wrong reorderings. If not,
            roll-outs never explore a wrong reordering.
        honours_single_root: Whether costs take the single-root precondition into account.
            Otherwise, they are those of the system without it, and training uses that system.
        proven: Whether the last costs are known to be exact: the differences of minimal losses in
            the oracle's system, including its single-root precondition if it has one. An oracle
            that is exact in a restricted system, or that expresses preferences, states in its
            docstring in which sense. For static oracles, it is always true.
        postpones: Whether several transitions of a static oracle cost 0 if one of them can be
            postponed. Roll-outs choose between them at random.
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
        """Set the gold tree: heads[0..n-1] are the heads of words 1..n, NO_WORD where missing.

        Raises ValueError if the heads form a cycle or are not words of the sentence.
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
        """Compute everything that depends only on the gold tree."""
        return 0

    cdef bint admits_gold(self) noexcept nogil:
        """Check that the gold tree does not have several dependents of the root where one is
        required."""
        cdef int d
        cdef int n_roots = 0
        for d in range(1, self.n + 1):
            n_roots += self.tree[d] == 0
        return n_roots <= 1 or not self.system.single_root

    cdef void costs(self, KernelConfiguration c, int* out) noexcept nogil:
        """Write the cost of every transition, ILLEGAL for illegal ones; c is not terminal."""

    cdef void subtract_least(self, int* costs) noexcept nogil:
        """Subtract the minimal loss from the losses of transitions, which turns them into costs."""
        cdef int t
        cdef int least = ILLEGAL
        for t in range(self.system.n_transitions):
            least = min(least, costs[t])
        for t in range(self.system.n_transitions):
            if costs[t] != ILLEGAL:
                costs[t] -= least

    cdef void prefer(self, const int* preferred, int* costs) noexcept nogil:
        """Set the costs of transitions from 0 to 1 if their costs by `preferred` are not 0, unless
        this concerns all transitions with cost 0."""
        cdef int t
        cdef bint any_preferred = False
        for t in range(self.system.n_transitions):
            any_preferred = any_preferred or (costs[t] == 0 and preferred[t] == 0)
        for t in range(self.system.n_transitions):
            if any_preferred and costs[t] == 0 and preferred[t] != 0:
                costs[t] = 1

    def set_gold(self, heads):
        """`prepare` for Python callers.

        Args:
            heads: n + 1 heads, NO_WORD where missing; heads[0] is ignored.

        Raises:
            ValueError: The heads form a cycle or are not words of the sentence.
        """
        cdef vector[int] words
        if len(heads) < 1:
            raise ValueError("heads must hold n + 1 numbers; heads[0] is ignored")
        for head in heads[1:]:
            words.push_back(head)
        self.prepare(words.data(), <int>words.size())

    def derivation_oracle(self):
        """The name of the static oracle that defines the canonical derivation for this oracle."""
        return next(iter(self.system.oracle_classes()))

    def completed_heads(self):
        """The gold heads after `complete_heads`: n + 1 integers, the first of which is NO_WORD."""
        cdef int d
        return [self.tree[d] for d in range(self.n + 1)]

    def reachable(self, KernelConfiguration c):
        """Find RDEPS, the dependents of the reachable gold arcs, in ascending order; None if the
        oracle does not compute them."""
        return None

    def cost_list(self, KernelConfiguration c):
        """`costs` for Python callers: a list of integers, ILLEGAL in a terminal configuration."""
        cdef vector[int] out
        out.assign(self.system.n_transitions, ILLEGAL)
        if not self.system.is_terminal(c):
            self.costs(c, out.data())
        return list(out)


cdef class LossOracle(KernelOracle):
    """A dynamic oracle that is defined by the loss of configurations. The cost of a transition is
    the loss after it minus the loss before it.
    """

    def __init__(self, KernelSystem system):
        super().__init__(system)
        self.explores = True
        self.after = system.new_configuration()

    cdef int loss(self, KernelConfiguration c) noexcept nogil:
        """Compute the minimal number of gold arcs that are missing from a tree reachable from c."""
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
    """An oracle that is defined by one gold transition in each configuration of the gold
    derivation. This transition costs 0, and every other legal one 1.
    """

    def derivation_oracle(self):
        for name, cls in self.system.oracle_classes().items():
            if cls is type(self):
                return name

    cdef int move(self, KernelConfiguration c) noexcept nogil:
        """Find the gold transition; c is not terminal."""
        return 0

    cdef int incomplete(self, KernelConfiguration c, int word) noexcept nogil:
        """Count the gold dependents of the word that have no head; 0 if the word is complete."""
        cdef int d
        cdef int count = 0
        for d in range(1, self.n + 1):
            if self.tree[d] == word and not has_head(c, d):
                count += 1
        return count

    cdef bint derives(self, KernelConfiguration c) noexcept nogil:
        """Check whether the arcs of c are the gold tree."""
        cdef int d
        for d in range(1, self.n + 1):
            if c.heads[d] != self.tree[d]:
                return False
        return True

    cdef void costs(self, KernelConfiguration c, int* out) noexcept nogil:
        cdef int t
        cdef int gold = self.move(c)
        for t in range(self.system.n_transitions):
            if self.system.is_legal(c, t):
                out[t] = 0 if t == gold else 1
            else:
                out[t] = ILLEGAL


cdef Place _place(str name):
    """Find the place that a position name stands for; ELSEWHERE if it is the system's own."""
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
