"""The 2-planar system: two stacks, one for each plane (Gómez-Rodríguez and Nivre 2010), with its
dynamic oracle (Fernández-González and Gómez-Rodríguez 2018).

Notation: a configuration is (active stack Σ, inactive stack Π, buffer B, arcs). `i` is the top of Σ
and `j` the front of the buffer, β the buffer behind it. g(w) is the gold head of w, A(w) its head
so far, ⊥ if it has none. The root is implicit: words that are headless at the end are its
dependents.
"""

from libc.string cimport memcpy
from libcpp.vector cimport vector

from spacy_npparse.transitions.configuration cimport (
    KernelConfiguration, buffer_item, has_head, pop_front, push_front
)
from spacy_npparse.transitions.system cimport KernelSystem, LossOracle, StaticOracle
from spacy_npparse.trees.partial_trees cimport NO_WORD, lost_arcs
from spacy_npparse.trees.projectivity cimport check_acyclic

cdef enum:
    SHIFT = 0
    REDUCE = 1
    LEFT_ARC = 2
    RIGHT_ARC = 3
    SWITCH = 4

# No plane, in place of 0 or 1.
cdef enum:
    NO_PLANE = 2


cdef class TwoStackConfiguration(KernelConfiguration):
    """Two stacks, one of which is active, buffer and arcs.

    Attributes:
        stack: The active stack, the top last.
        inactive: The inactive stack, the top last.
        plane: 0 or 1, the plane of the active stack.
        switched: Whether SWITCH was the last transition.
    """

    cdef vector[int] stacks[2]
    # The number of stacks that hold each word.
    cdef vector[char] presence
    # Partial trees as disjoint sets: an ancestor of each word, the word itself if it is a root.
    cdef vector[int] above
    # For the root of a partial tree: the number of its words that are on a stack.
    cdef vector[int] held
    # A headless word that is neither in the buffer nor on a stack, 0 if there is none.
    cdef int outside
    cdef int active
    cdef bint switched

    cdef int reset(self, int n) except -1 nogil:
        cdef int word
        KernelConfiguration.reset(self, n)
        self.stacks[0].clear()
        self.stacks[1].clear()
        self.presence.assign(n + 1, 0)
        self.held.assign(n + 1, 0)
        self.above.resize(n + 1)
        for word in range(n + 1):
            self.above[word] = word
        self.outside = 0
        self.active = 0
        self.switched = False
        return 0

    cdef int copy(self, KernelConfiguration other) except -1 nogil:
        # Words behind the front of the buffer are as `reset` leaves them: those that are in both
        # configurations need not be copied.
        cdef int n_words = other.n + 2 - min(other.buffer_size, self.buffer_size)
        if self.n != other.n or self.presence.size() != <size_t>other.n + 1:
            self.reset(other.n)
            n_words = other.n + 1
        n_words = min(n_words, other.n + 1)
        KernelConfiguration.copy(self, other)
        self.stacks[0] = (<TwoStackConfiguration>other).stacks[0]
        self.stacks[1] = (<TwoStackConfiguration>other).stacks[1]
        memcpy(
            self.presence.data(), (<TwoStackConfiguration>other).presence.data(), n_words
        )
        memcpy(
            self.above.data(), (<TwoStackConfiguration>other).above.data(), n_words * sizeof(int)
        )
        memcpy(self.held.data(), (<TwoStackConfiguration>other).held.data(), n_words * sizeof(int))
        self.outside = (<TwoStackConfiguration>other).outside
        self.active = (<TwoStackConfiguration>other).active
        self.switched = (<TwoStackConfiguration>other).switched
        return 0

    cdef bint equals(self, KernelConfiguration other) noexcept nogil:
        # All else follows from the stacks and the arcs.
        return (
            self.active == (<TwoStackConfiguration>other).active
            and self.switched == (<TwoStackConfiguration>other).switched
            and self.stacks[0] == (<TwoStackConfiguration>other).stacks[0]
            and self.stacks[1] == (<TwoStackConfiguration>other).stacks[1]
            and KernelConfiguration.equals(self, other)
        )

    cpdef dict structures(self):
        cdef dict structures = KernelConfiguration.structures(self)
        structures["stack"] = tuple(self.stacks[self.active])
        structures["inactive"] = tuple(self.stacks[1 - self.active])
        structures["plane"] = (self.active,)
        structures["switched"] = (int(self.switched),)
        return structures

    cpdef load(self, int n, dict structures):
        """Load the content that `structures` returned.

        Raises:
            ValueError: The buffer is not a suffix of 1..n, a stack holds a word of it, there is no
                such plane, or the heads are no partial tree.
        """
        cdef int word
        first = n + 1 - len(structures["buffer"])
        words = structures["stack"] + structures["inactive"]
        if structures["buffer"] != tuple(range(first, n + 1)) or set(words) - set(range(1, first)):
            raise ValueError(
                f"stacks {structures['stack']} and {structures['inactive']} and buffer "
                f"{structures['buffer']} do not share out the words 1..{n}"
            )
        if structures["plane"] not in ((0,), (1,)):
            raise ValueError(f"plane is {structures['plane']}, but must be (0,) or (1,)")
        self.reset(n)
        for word in range(n + 1):
            self.heads[word] = structures["heads"][word]
        check_acyclic(self.heads, n)
        for word in range(n, first - 1, -1):
            push_front(self, word)
        self.active = structures["plane"][0]
        self.switched = structures["switched"][0]
        for plane, stack in ((self.active, "stack"), (1 - self.active, "inactive")):
            for word in structures[stack]:
                self.stacks[<int>plane].push_back(word)
                self.presence[word] += 1
        for word in range(n + 1):
            if 0 < word < first and not has_head(self, word) and self.presence[word] == 0:
                self.outside = word
            if self.heads[word] > 0:
                self.above[word] = self.heads[word]
        for word in range(1, first):
            self.held[find_root(self, word)] += self.presence[word] > 0


cdef inline int top_of(TwoStackConfiguration c, int plane) noexcept nogil:
    """The top of the stack of a plane, NO_WORD if it is empty."""
    return c.stacks[plane].back() if c.stacks[plane].size() > 0 else NO_WORD


cdef inline int find_root(TwoStackConfiguration c, int word) noexcept nogil:
    """The root of the partial tree to which the word belongs, with path halving."""
    while c.above[word] != word:
        c.above[word] = c.above[c.above[word]]
        word = c.above[word]
    return word


cdef inline void attach(TwoStackConfiguration c, int d, int h) noexcept nogil:
    """Attach d, the root of its partial tree, to a word h of another partial tree."""
    c.heads[d] = h
    c.above[d] = find_root(c, h)
    c.held[c.above[d]] += c.held[d]


cdef inline void shift(TwoStackConfiguration c) noexcept nogil:
    """Push the front of the buffer on both stacks."""
    cdef int j = pop_front(c)
    c.stacks[0].push_back(j)
    c.stacks[1].push_back(j)
    c.presence[j] = 2
    c.held[find_root(c, j)] += 1


cdef inline void reduce_top(TwoStackConfiguration c) noexcept nogil:
    """Pop the active stack."""
    cdef int i = c.stacks[c.active].back()
    c.stacks[c.active].pop_back()
    c.presence[i] -= 1
    if c.presence[i] == 0:
        c.held[find_root(c, i)] -= 1
        if not has_head(c, i):
            c.outside = i


cdef class TwoPlanar(KernelSystem):
    """The 2-planar system.

    Initial: ([], [], [1..n], ∅). Terminal: (Σ, Π, [], A). Length at most 8n.

        SHIFT      (Σ, Π, j|β, A)    => (Σ|j, Π|j, β, A)
        REDUCE     (Σ|i, Π, B, A)    => (Σ, Π, B, A)
        LEFT-ARC   (Σ|i, Π, j|β, A)  => (Σ|i, Π, j|β, A ∪ {j → i})     A(i) = ⊥, no cycle
        RIGHT-ARC  (Σ|i, Π, j|β, A)  => (Σ|i, Π, j|β, A ∪ {i → j})     A(j) = ⊥, no cycle
        SWITCH     (Σ, Π, B, A)      => (Π, Σ, B, A)    not twice in a row, Π not empty

    Single root (our own preconditions): a headless word is popped from its last stack only if no
    other headless word has been, and if one of its descendants remains on a stack or in the buffer;
    the last word is attached only to a descendant of that word, and shifted only if exactly one
    headless word remains. No dead ends.

    Covers the 2-planar trees: those whose arcs, but for the arcs from the root, can be drawn on two
    planes without crossings.

    Source: Gómez-Rodríguez and Nivre (2010).
    """

    names = ("SHIFT", "REDUCE", "LEFT-ARC", "RIGHT-ARC", "SWITCH")
    position_names = ("s1", "s0", "b0", "top of the other stack", "head of s0", "head of b0")
    root = "implicit"
    structure_names = {"stack": "active stack", "inactive": "other stack", "buffer": "buffer"}

    def new_configuration(self):
        return TwoStackConfiguration()

    def oracle_classes(self):
        return {"static": TwoPlanarStatic, "dynamic": TwoPlanarDynamic}

    def max_length(self, int n):
        return 8 * n

    cdef bint is_legal(self, KernelConfiguration c, int t) noexcept nogil:
        cdef int i = top_of(<TwoStackConfiguration>c, (<TwoStackConfiguration>c).active)
        cdef int j = buffer_item(c, 0)
        if t == SHIFT:
            return c.buffer_size > 1 or not self.single_root or self.headless(c) == 1
        if t == SWITCH:
            return not (<TwoStackConfiguration>c).switched and (
                top_of(<TwoStackConfiguration>c, 1 - (<TwoStackConfiguration>c).active) != NO_WORD
            )
        if i == NO_WORD:
            return False
        if t == REDUCE:
            return not self.single_root or self.may_leave(<TwoStackConfiguration>c, i)
        if t == LEFT_ARC:
            return not has_head(c, i) and find_root(<TwoStackConfiguration>c, j) != i
        if has_head(c, j) or find_root(<TwoStackConfiguration>c, i) == j:
            return False
        if not self.single_root or c.buffer_size > 1:
            return True
        return (<TwoStackConfiguration>c).outside in (0, find_root(<TwoStackConfiguration>c, i))

    cdef int headless(self, KernelConfiguration c) noexcept nogil:
        """The number of headless words."""
        cdef int word
        cdef int count = 0
        for word in range(1, c.n + 1):
            count += not has_head(c, word)
        return count

    cdef bint may_leave(self, TwoStackConfiguration c, int i) noexcept nogil:
        """Whether one headless word can still remain once i is popped from the active stack."""
        cdef int j = buffer_item(c, 0)
        cdef int root = find_root(c, i)
        if c.presence[i] > 1:
            return True
        if root == i:
            if c.outside != 0:
                return False
        elif c.presence[root] > 0 or root == j:
            return True
        # Its root is not accessible any more: one of the other words has to be.
        if has_head(c, j) and (c.buffer_size == 1 or find_root(c, j) == root):
            return find_root(c, j) == root
        return c.held[root] > 1

    cdef void apply(self, KernelConfiguration c, int t) noexcept nogil:
        cdef int active = (<TwoStackConfiguration>c).active
        cdef int i = top_of(<TwoStackConfiguration>c, active)
        cdef int j = buffer_item(c, 0)
        cdef int word
        (<TwoStackConfiguration>c).switched = t == SWITCH
        if t == SHIFT:
            shift(<TwoStackConfiguration>c)
            if c.buffer_size == 0:
                for word in range(1, c.n + 1):
                    c.heads[word] = max(c.heads[word], 0)
        elif t == REDUCE:
            reduce_top(<TwoStackConfiguration>c)
        elif t == LEFT_ARC:
            attach(<TwoStackConfiguration>c, i, j)
        elif t == RIGHT_ARC:
            attach(<TwoStackConfiguration>c, j, i)
        else:
            (<TwoStackConfiguration>c).active = 1 - active

    cdef bint is_terminal(self, KernelConfiguration c) noexcept nogil:
        return c.buffer_size == 0

    cdef void positions(self, KernelConfiguration c, int* out) noexcept nogil:
        cdef int active = (<TwoStackConfiguration>c).active
        cdef int i = top_of(<TwoStackConfiguration>c, active)
        cdef int j = buffer_item(c, 0)
        cdef size_t depth = (<TwoStackConfiguration>c).stacks[active].size()
        out[0] = (<TwoStackConfiguration>c).stacks[active][depth - 2] if depth > 1 else NO_WORD
        out[1] = i
        out[2] = j
        out[3] = top_of(<TwoStackConfiguration>c, 1 - active)
        out[4] = c.heads[i] if i != NO_WORD else NO_WORD
        out[5] = c.heads[j] if j != NO_WORD else NO_WORD

    cdef int dependent(self, KernelConfiguration c, int t) noexcept nogil:
        if t == LEFT_ARC:
            return top_of(<TwoStackConfiguration>c, (<TwoStackConfiguration>c).active)
        return buffer_item(c, 0) if t == RIGHT_ARC else NO_WORD


cdef class TwoPlanarStatic(StaticOracle):
    """A static oracle that assigns planes to arcs in advance.

    The planes are a 2-colouring of the graph of crossing gold arcs. In each of its connected
    components, the arc to the leftmost dependent is in plane 0. The oracle chooses the first of
    these transitions whose condition holds:

        LEFT-ARC   a gold arc j → i of the active plane is not yet built
        RIGHT-ARC  a gold arc i → j of the active plane is not yet built
        REDUCE     a gold arc of the active plane between j and another word of Σ is not yet built
        SWITCH     a gold arc of the inactive plane between j and a word of Π is not yet built
        SHIFT

    Derives every tree that the system covers. Gómez-Rodríguez and Nivre (2010) choose the planes
    along the derivation, which avoids some SWITCH transitions.
    """

    # The plane of the gold arc to each word.
    cdef vector[int] planes

    cdef int precompute(self) except -1 nogil:
        cdef vector[int] agenda
        cdef int d, arc, other
        self.planes.assign(self.n + 1, NO_PLANE)
        for d in range(1, self.n + 1):
            if self.tree[d] == 0 or self.planes[d] != NO_PLANE:
                continue
            self.planes[d] = 0
            agenda.push_back(d)
            while agenda.size() > 0:
                arc = agenda.back()
                agenda.pop_back()
                for other in range(1, self.n + 1):
                    if self.planes[other] == NO_PLANE and self.cross(arc, other):
                        self.planes[other] = 1 - self.planes[arc]
                        agenda.push_back(other)
        return 0

    cdef bint cross(self, int d, int e) noexcept nogil:
        """Whether the gold arcs to d and e cross, arcs from the root aside."""
        cdef int d_left = min(d, self.tree[d])
        cdef int d_right = max(d, self.tree[d])
        cdef int e_left = min(e, self.tree[e])
        cdef int e_right = max(e, self.tree[e])
        if d_left == 0 or e_left == 0:
            return False
        return d_left < e_left < d_right < e_right or e_left < d_left < e_right < d_right

    cdef int pending(self, TwoStackConfiguration c, int word, int j) noexcept nogil:
        """The plane of a missing gold arc between two words, NO_PLANE if there is none."""
        if self.tree[word] == j and not has_head(c, word):
            return self.planes[word]
        if self.tree[j] == word and not has_head(c, j):
            return self.planes[j]
        return NO_PLANE

    cdef bint any_pending(self, TwoStackConfiguration c, int plane, int j) noexcept nogil:
        """Whether such an arc of a plane connects a word of its stack and j."""
        cdef size_t place
        for place in range(c.stacks[plane].size()):
            if self.pending(c, c.stacks[plane][place], j) == plane:
                return True
        return False

    cdef int move(self, KernelConfiguration c) noexcept nogil:
        cdef int active = (<TwoStackConfiguration>c).active
        cdef int i = top_of(<TwoStackConfiguration>c, active)
        cdef int j = buffer_item(c, 0)
        if i != NO_WORD and self.pending(<TwoStackConfiguration>c, i, j) == active:
            return LEFT_ARC if self.tree[i] == j else RIGHT_ARC
        if self.any_pending(<TwoStackConfiguration>c, active, j):
            return REDUCE
        if self.any_pending(<TwoStackConfiguration>c, 1 - active, j):
            return SWITCH
        return SHIFT


cdef class TwoPlanarDynamic(LossOracle):
    """An approximate dynamic oracle, by a lower bound of the loss of configurations.

    The bound is the number of unreachable gold arcs plus the number of cycles among the arcs built
    and the reachable gold arcs; see `lost_arcs`. The pair of words of an arc has been passed if its
    right end is before j, or its left end is before j and on no stack. It is only a bound, because
    two crossing arcs may both be reachable, but only in the same plane.

    Source: Fernández-González and Gómez-Rodríguez (2018).
    """

    cdef vector[char] passed
    cdef vector[int] work

    def __init__(self, KernelSystem system):
        super().__init__(system)
        self.proven = False

    cdef int precompute(self) except -1 nogil:
        self.passed.resize(self.n + 1)
        return 0

    cdef int loss(self, KernelConfiguration c) noexcept nogil:
        cdef int d, left, right
        cdef int j = self.n + 1 - c.buffer_size
        for d in range(1, self.n + 1):
            left = min(d, self.gold[d])
            right = max(d, self.gold[d])
            self.passed[d] = right < j or (
                0 < left < j and (<TwoStackConfiguration>c).presence[left] == 0
            )
        return lost_arcs(c.heads, self.gold, self.n, self.passed.data(), self.work)
