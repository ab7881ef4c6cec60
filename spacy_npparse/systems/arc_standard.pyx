"""Arc-standard: projective parsing (Yamada and Matsumoto 2003; Nivre 2004, 2008), with a dynamic
oracle (Goldberg, Sartorio and Satta 2014).

Notation: a configuration is (stack, buffer, arcs). `j` is the top of the stack, `i` the item below
it and σ the stack below both; `b` is the front of the buffer and β the buffer behind it. g(w) is
the gold head of w. A word is complete when all its gold dependents are attached. The root is the
bottom of the stack.
"""

from libcpp.vector cimport vector

from spacy_npparse.transitions.configuration cimport (
    KernelConfiguration, has_head, pop, pop_front, push, stack_item
)
from spacy_npparse.transitions.system cimport KernelSystem, LossOracle, StaticOracle
from spacy_npparse.trees.partial_trees cimport NO_WORD


cdef class ArcStandard(KernelSystem):
    """The arc-standard system.

    Initial: ([0], [1..n], ∅). Terminal: ([0], [], A). Length 2n.

        SHIFT      (σ, b|β, A)   => (σ|b, β, A)
        LEFT-ARC   (σ|i|j, B, A) => (σ|j, B, A ∪ {j → i})      i ≠ 0
        RIGHT-ARC  (σ|i|j, B, A) => (σ|i, B, A ∪ {i → j})

    Single root: RIGHT-ARC from the root only if the buffer is empty. No dead ends.

    Covers exactly the projective trees.

    Source: Nivre (2004, 2008).
    """

    names = ("SHIFT", "LEFT-ARC", "RIGHT-ARC")
    position_names = ("s2", "s1", "s0", "b0")
    projective = True

    def oracle_classes(self):
        return {"static": ArcStandardStatic, "dynamic": ArcStandardDynamic}

    def max_length(self, int n):
        return 2 * n

    cdef bint is_legal(self, KernelConfiguration c, int t) noexcept nogil:
        cdef int i = stack_item(c, 1)
        if t == SHIFT:
            return c.buffer_size > 0
        if t == LEFT_ARC:
            return i > 0
        if t == RIGHT_ARC:
            return i > 0 or (i == 0 and (c.buffer_size == 0 or not self.single_root))
        return False

    cdef void apply(self, KernelConfiguration c, int t) noexcept nogil:
        cdef int i, j
        if t == SHIFT:
            push(c, pop_front(c))
            return
        j = pop(c)
        if t == RIGHT_ARC:
            c.heads[j] = stack_item(c, 0)
        else:
            i = pop(c)
            push(c, j)
            c.heads[i] = j

    cdef bint is_terminal(self, KernelConfiguration c) noexcept nogil:
        return c.stack_size == 1 and c.buffer_size == 0

    cdef int dependent(self, KernelConfiguration c, int t) noexcept nogil:
        if t == LEFT_ARC:
            return stack_item(c, 1)
        return stack_item(c, 0) if t == RIGHT_ARC else NO_WORD


cdef class ArcStandardStatic(StaticOracle):
    """A static oracle that chooses the first of these transitions whose condition holds:

        LEFT-ARC   g(i) = j and i is complete
        RIGHT-ARC  g(j) = i and j is complete
        SHIFT

    Derives exactly the projective trees.
    """

    cdef int move(self, KernelConfiguration c) noexcept nogil:
        cdef int j = stack_item(c, 0)
        cdef int i = stack_item(c, 1)
        if i > 0 and self.tree[i] == j and self.incomplete(c, i) == 0:
            return LEFT_ARC
        if i != NO_WORD and self.tree[j] == i and self.incomplete(c, j) == 0:
            return RIGHT_ARC
        return SHIFT


cdef class ArcStandardDynamic(LossOracle):
    """Exact loss of configurations for any gold tree, by dynamic programming. O(n³).

    The system is not arc-decomposable. The trees are those that Goldberg, Sartorio and Satta (2014)
    search; the formulation is our own, with half-constituents after Eisner (1996). c(h, d) is
    1 if d has a gold head other than h, else 0. The buffer is b..n for some b.

    Half-constituents of words b <= v <= y of the buffer, which depend on the gold tree only:

        left[v][y]      least loss of y with left descendants v..y-1
        left_arc[v][y]  the same, v being a dependent of y
        right[y][v]     least loss of y with right descendants y+1..v-1

    The stack is s_0..s_m, s_0 the root. It is reduced from s_m downwards; when s_i is reached, all
    that lies above it has become one tree:

        top[i][v]    least loss if s_i is the root of s_i..s_m and the words b..v-1
        over[i][y]   least loss if y is the root of s_i..s_m and the words b..y
        under[i][y]  least loss if s_i and y are the roots of two trees on these words:
                     min over v <= y of top[i][v] + left[v][y]

        top[m][b] = 0; else top[i][v] is the least of
            top[j][v] + Σ over i < l < j of c(s_j, s_l) + c(s_i, s_j)                 for j > i
            min(under[i][y], over[i+1][y]) + c(s_i, y) + right[y][v]                 for y < v
        over[i][y] is the least of
            over[i+1][y] + c(y, s_i)
            under[j][y] + Σ over i <= l < j of c(s_j, s_l) + c(y, s_j)               for j >= i
            over[i][z] + left_arc[z][y]                                             for z < y

    The loss to come is top[0][n+1]. Single root: the root has one dependent, s_j or a word y of the
    buffer, so that it is the least of

        top[j][n+1] + Σ over 0 < l < j of c(s_j, s_l) + c(s_0, s_j)
        over[1][y] + c(s_0, y) + right[y][n+1]      left[b][y] for over[1][y] if there is no s_1

    Exact for any gold tree, with and without the single-root precondition.

    Source: Goldberg, Sartorio and Satta (2014).
    """

    def __init__(self, KernelSystem system):
        super().__init__(system)
        self.honours_single_root = True

    cdef bint wrong(self, int head, int dependent) noexcept nogil:
        """c(head, dependent)."""
        return self.gold[dependent] != NO_WORD and self.gold[dependent] != head

    cdef int precompute(self) except -1 nogil:
        cdef int n = self.n
        cdef size_t size = n + 2
        cdef int width, v, y, k, least
        # right_arc[y][v]: the same as right[y][v + 1], v being a dependent of y.
        cdef vector[int] right_arc
        self.left.assign(size * size, 0)
        self.right.assign(size * size, 0)
        self.left_arc.assign(size * size, 0)
        right_arc.assign(size * size, 0)
        for width in range(1, n):
            for v in range(1, n + 1 - width):
                y = v + width
                least = 2 * n
                for k in range(v, y):
                    least = min(least, self.right[v * size + k + 1] + self.left[(k + 1) * size + y])
                self.left_arc[v * size + y] = least + self.wrong(y, v)
                right_arc[v * size + y] = least + self.wrong(v, y)
                least = 2 * n
                for k in range(v, y):
                    least = min(least, self.left[v * size + k] + self.left_arc[k * size + y])
                self.left[v * size + y] = least
                least = 2 * n
                for k in range(v + 1, y + 1):
                    least = min(least, right_arc[v * size + k] + self.right[k * size + y + 1])
                self.right[v * size + y + 1] = least
        self.tops.resize(size * size)
        self.over.resize(size * size)
        self.under.resize(size * size)
        self.stack.resize(size)
        return 0

    cdef int remaining(self, int depth, int first) noexcept nogil:
        """The least loss to come from the stack self.stack[:depth] and the buffer first..n."""
        cdef int n = self.n
        cdef int infinity = 4 * n + 4
        cdef size_t size = n + 2
        cdef int i, j, v, y, s, chain, least
        cdef int* top
        cdef int* over
        cdef int* under
        cdef int* over_above
        for i in range(depth - 1, -1, -1):
            if i == 0 and self.system.single_root:
                return self.under_one_root(depth, first)
            s = self.stack[i]
            top = self.tops.data() + i * size
            over = self.over.data() + i * size
            under = self.under.data() + i * size
            over_above = over + size
            for v in range(first, n + 2):
                top[v] = infinity
            if i == depth - 1:
                top[first] = 0
                for y in range(first, n + 1):
                    over_above[y] = infinity
            chain = 0
            for j in range(i + 1, depth):
                # s_i+1..s_j-1 are all dependents of s_j.
                chain = 0
                for y in range(i + 1, j):
                    chain += self.wrong(self.stack[j], self.stack[y])
                chain += self.wrong(s, self.stack[j])
                for v in range(first, n + 2):
                    top[v] = min(top[v], self.tops[j * size + v] + chain)
            for y in range(first, n + 1):
                # top[v] is final for v <= y.
                least = infinity
                for v in range(first, y + 1):
                    least = min(least, top[v] + self.left[v * size + y])
                under[y] = least
                least = min(least, over_above[y]) + self.wrong(s, y)
                for v in range(y + 1, n + 2):
                    top[v] = min(top[v], least + self.right[y * size + v])
            if i == 0:
                break
            for y in range(first, n + 1):
                over[y] = over_above[y] + self.wrong(y, s)
            for j in range(i, depth):
                chain = 0
                for y in range(i, j):
                    chain += self.wrong(self.stack[j], self.stack[y])
                for y in range(first, n + 1):
                    over[y] = min(
                        over[y],
                        self.under[j * size + y] + chain + self.wrong(y, self.stack[j]),
                    )
            for y in range(first, n + 1):
                for v in range(first, y):
                    over[y] = min(over[y], over[v] + self.left_arc[v * size + y])
        return self.tops[n + 1]

    cdef int under_one_root(self, int depth, int first) noexcept nogil:
        """The least loss to come if the root has one dependent; the tables are filled above it."""
        cdef size_t size = self.n + 2
        cdef int j, k, y, rest
        cdef int least = 4 * self.n + 4
        if depth == 1 and first > self.n:
            return 0
        for j in range(1, depth):
            rest = self.tops[j * size + self.n + 1]
            for k in range(1, j):
                rest += self.wrong(self.stack[j], self.stack[k])
            least = min(least, rest + self.wrong(0, self.stack[j]))
        for y in range(first, self.n + 1):
            rest = self.over[size + y] if depth > 1 else self.left[first * size + y]
            least = min(least, rest + self.wrong(0, y) + self.right[y * size + self.n + 1])
        return least

    cdef int loss(self, KernelConfiguration c) noexcept nogil:
        cdef int k
        cdef int lost = 0
        for k in range(1, self.n + 1):
            lost += has_head(c, k) and self.wrong(c.heads[k], k)
        for k in range(c.stack_size):
            self.stack[k] = c.stack[k]
        return lost + self.remaining(c.stack_size, self.n + 1 - c.buffer_size)
