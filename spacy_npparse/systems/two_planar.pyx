"""The 2-planar system: two stacks, each of whose arcs do not cross (Gómez-Rodríguez and Nivre 2010).

`i` is the top of the active stack and `j` the front of the buffer. The root is implicit: words
without head at the end are its dependents.
"""

from libcpp.vector cimport vector

from spacy_npparse.trees.partial_trees cimport NO_WORD, lost_arcs
from spacy_npparse.transitions.configuration cimport (
    KernelConfiguration, buffer_item, has_head, pop_front, push_front
)
from spacy_npparse.transitions.system cimport LossOracle, StaticOracle, KernelSystem

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
    """Two stacks, of which one is active.

    stack, inactive: the active stack and the other one, top last.
    plane: 0 or 1, which of the two is active; switched: whether SWITCH was the last transition.
    """

    cdef vector[int] stacks[2]
    # How many of the two stacks hold each word.
    cdef vector[int] presence
    # A word further up in the same partial tree, the word itself if it is the top.
    cdef vector[int] above
    # For the top of a partial tree: how many of its words the stacks hold.
    cdef vector[int] held
    # A word without head that is left of the buffer and on no stack, 0 if there is none.
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
        KernelConfiguration.copy(self, other)
        self.stacks[0] = (<TwoStackConfiguration>other).stacks[0]
        self.stacks[1] = (<TwoStackConfiguration>other).stacks[1]
        self.presence = (<TwoStackConfiguration>other).presence
        self.above = (<TwoStackConfiguration>other).above
        self.held = (<TwoStackConfiguration>other).held
        self.outside = (<TwoStackConfiguration>other).outside
        self.active = (<TwoStackConfiguration>other).active
        self.switched = (<TwoStackConfiguration>other).switched
        return 0

    cpdef dict structures(self):
        cdef dict structures = KernelConfiguration.structures(self)
        structures["stack"] = tuple(self.stacks[self.active])
        structures["inactive"] = tuple(self.stacks[1 - self.active])
        structures["plane"] = (self.active,)
        structures["switched"] = (int(self.switched),)
        return structures

    cpdef load(self, int n, dict structures):
        """Raises ValueError unless the buffer holds the last words and the stacks earlier ones."""
        cdef int word
        first = n + 1 - len(structures["buffer"])
        words = structures["stack"] + structures["inactive"]
        if structures["buffer"] != tuple(range(first, n + 1)) or set(words) - set(range(1, first)):
            raise ValueError(
                f"stacks {structures['stack']} and {structures['inactive']} and buffer "
                f"{structures['buffer']} do not share out the words 1..{n}"
            )
        self.reset(n)
        for word in range(n, first - 1, -1):
            push_front(self, word)
        self.active = structures["plane"][0]
        self.switched = structures["switched"][0]
        for plane, stack in ((self.active, "stack"), (1 - self.active, "inactive")):
            for word in structures[stack]:
                self.stacks[<int>plane].push_back(word)
                self.presence[word] += 1
        for word in range(n + 1):
            self.heads[word] = structures["heads"][word]
            if 0 < word < first and not has_head(self, word) and self.presence[word] == 0:
                self.outside = word
            if self.heads[word] > 0:
                self.above[word] = self.heads[word]
        for word in range(1, first):
            self.held[tree_top(self, word)] += self.presence[word] > 0


cdef inline int top_of(TwoStackConfiguration c, int plane) noexcept nogil:
    """The top of a stack, NO_WORD if it is empty."""
    return c.stacks[plane].back() if c.stacks[plane].size() > 0 else NO_WORD


cdef inline int tree_top(TwoStackConfiguration c, int word) noexcept nogil:
    """The top of the partial tree that holds the word. Shortens the way there."""
    while c.above[word] != word:
        c.above[word] = c.above[c.above[word]]
        word = c.above[word]
    return word


cdef inline void attach(TwoStackConfiguration c, int d, int h) noexcept nogil:
    """Give a word, which is the top of its partial tree, a head in another tree."""
    c.heads[d] = h
    c.above[d] = tree_top(c, h)
    c.held[c.above[d]] += c.held[d]


cdef inline void shift(TwoStackConfiguration c) noexcept nogil:
    cdef int j = pop_front(c)
    c.stacks[0].push_back(j)
    c.stacks[1].push_back(j)
    c.presence[j] = 2
    c.held[tree_top(c, j)] += 1


cdef inline void reduce_top(TwoStackConfiguration c) noexcept nogil:
    cdef int i = c.stacks[c.active].back()
    c.stacks[c.active].pop_back()
    c.presence[i] -= 1
    if c.presence[i] == 0:
        c.held[tree_top(c, i)] -= 1
        if not has_head(c, i):
            c.outside = i


cdef class TwoPlanar(KernelSystem):
    """2-planar.

    Σ is the active stack, Π the other one. Initial: ([], [], [1..n], ∅). Terminal: (Σ, Π, [], A).

        SHIFT      (Σ, Π, j|β, A)    => (Σ|j, Π|j, β, A)
        REDUCE     (Σ|i, Π, B, A)    => (Σ, Π, B, A)
        LEFT-ARC   (Σ|i, Π, j|β, A)  => (Σ|i, Π, j|β, A ∪ {j → i})     A(i) = ⊥, no cycle
        RIGHT-ARC  (Σ|i, Π, j|β, A)  => (Σ|i, Π, j|β, A ∪ {i → j})     A(j) = ⊥, no cycle
        SWITCH     (Σ, Π, B, A)      => (Π, Σ, B, A)    not twice in a row, Π not empty

    Single root (own rules): a word without head leaves its last stack only if no other such word
    has done so, and a word below it stays on a stack or in the buffer; the last word gets a head
    below that word only, and is shifted when one word without head is left. No dead ends.
    Length at most 8n. Covers the trees whose arcs, those from the root aside, can be drawn on two
    planes without crossings.
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
            return not has_head(c, i) and tree_top(<TwoStackConfiguration>c, j) != i
        if has_head(c, j) or tree_top(<TwoStackConfiguration>c, i) == j:
            return False
        if not self.single_root or c.buffer_size > 1:
            return True
        return (<TwoStackConfiguration>c).outside in (0, tree_top(<TwoStackConfiguration>c, i))

    cdef int headless(self, KernelConfiguration c) noexcept nogil:
        """Number of words without head."""
        cdef int word
        cdef int count = 0
        for word in range(1, c.n + 1):
            count += not has_head(c, word)
        return count

    cdef bint may_leave(self, TwoStackConfiguration c, int i) noexcept nogil:
        """Whether one word without head can still remain once i is taken from the active stack."""
        cdef int j = buffer_item(c, 0)
        cdef int root = tree_top(c, i)
        if c.presence[i] > 1:
            return True
        if root == i:
            if c.outside != 0:
                return False
        elif c.presence[root] > 0 or root == j:
            return True
        # The root is out of reach: some word below it has to stay.
        if has_head(c, j) and (c.buffer_size == 1 or tree_top(c, j) == root):
            return tree_top(c, j) == root
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
    """Each gold arc has a plane: 0 unless it crosses an arc of plane 0 that it is connected to by
    crossings. The first that holds:

        LEFT-ARC or RIGHT-ARC  if there is an unbuilt gold arc of the active plane between i and j
        REDUCE                 if there is one between j and a deeper item of the active stack
        SWITCH                 if there is one of the other plane between j and the other stack
        SHIFT

    Derives every tree that the system covers. (Gómez-Rodríguez and Nivre choose the planes along
    the derivation, which saves some SWITCH.)
    """

    # Of the gold arc to each word.
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
        """Whether the gold arcs to d and e cross; those from the root do not count."""
        cdef int d_left = min(d, self.tree[d])
        cdef int d_right = max(d, self.tree[d])
        cdef int e_left = min(e, self.tree[e])
        cdef int e_right = max(e, self.tree[e])
        if d_left == 0 or e_left == 0:
            return False
        return d_left < e_left < d_right < e_right or e_left < d_left < e_right < d_right

    cdef int pending(self, TwoStackConfiguration c, int word, int j) noexcept nogil:
        """The plane of the unbuilt gold arc between two words, NO_PLANE if there is none."""
        if self.tree[word] == j and not has_head(c, word):
            return self.planes[word]
        if self.tree[j] == word and not has_head(c, j):
            return self.planes[j]
        return NO_PLANE

    cdef bint any_pending(self, TwoStackConfiguration c, int plane, int j) noexcept nogil:
        """Whether a word of the stack has such an arc of the stack's plane with j."""
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
    """Approximate costs (Fernández-González and Gómez-Rodríguez 2018).

    The loss of a configuration is the number of gold arcs that are lost, cycles of arcs within
    reach included (see `components`); an arc's words have been passed if the later one is left of
    j, or the earlier one is on no stack and left of j.

    A lower bound: two arcs that cross may be within reach, but on one plane only.
    """

    cdef vector[char] passed
    cdef vector[int] work

    cdef int precompute(self) except -1 nogil:
        self.passed.resize(self.n + 1)
        return 0

    cdef int loss(self, KernelConfiguration c) noexcept nogil:
        cdef int d, later, earlier
        cdef int j = self.n + 1 - c.buffer_size
        for d in range(1, self.n + 1):
            later = max(d, self.gold[d])
            earlier = min(d, self.gold[d])
            self.passed[d] = later < j or (
                0 < earlier < j and (<TwoStackConfiguration>c).presence[earlier] == 0
            )
        return lost_arcs(c.heads, self.gold, self.n, self.passed.data(), self.work)
