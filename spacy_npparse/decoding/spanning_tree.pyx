"""Maximum spanning trees with a single root, in quadratic time.

The algorithm chooses the best arc to each word. If arcs form a cycle, it contracts the cycle to a
node and chooses the best arc to that node. An arc from outside to a word of a cycle replaces the
arc within the cycle, so its score there is the difference of the two. At the end, cycles are
expanded: an arc to a cycle replaces the arc to the same word.

To get a single root, it is enough to lower the scores of arcs from the root by more than any
difference of scores. Then an arc from the root is chosen only if there is no other. Therefore arcs
from the root are not considered until all words are in one node, and nothing has to be lowered.

Arcs are followed from dependent to head until a cycle closes, so that each node is visited once.
There are fewer than 2n nodes. Choosing the best arc to a node takes O(n) time, and so does merging
the scores of its arcs with those of the others in its cycle. In total, the algorithm takes O(n²)
time and memory.

Source: Chu and Liu (1965) and Edmonds (1967); Gabow, Galil, Spencer and Tarjan (1986) for following
arcs until cycles close; Tarjan (1977) for quadratic time in dense graphs; Stanojević and Cohen
(2021) for single roots by lowered scores.
"""

import numpy as np

from cython cimport floating
from libc.math cimport INFINITY
from libcpp.vector cimport vector

from spacy_npparse.decoding.score_shapes import check_arc_shapes


cdef extern from "score_range.h" namespace "npparse" nogil:
    double clamped(double score)


def decode_spanning_trees(arcs, const int[::1] lengths):
    """Find the single-rooted tree with the highest score for each sentence.

    Scores are clamped to plus or minus `SCORE_LIMIT`, and NaN and impossible arcs count as the
    lowest score, so that a tree is always found.

    Args:
        arcs: float [n_sentences, size, size], the scores of arcs: arcs[s, d, h] is that of the arc
            from head h to word d of sentence s. The size exceeds the length of the longest
            sentence.
        lengths: int32 [n_sentences], the number of words of each sentence.

    Returns:
        int32 [n_words], the head of each word in its sentence, 0 for the root.

    Raises:
        ValueError: The shapes do not fit.
        MemoryError: A sentence is too long.
    """
    check_arc_shapes(arcs, np.asarray(lengths))
    cdef _SpanningTree tree = _SpanningTree()
    heads = np.empty(int(np.asarray(lengths).sum()), dtype=np.int32)
    if arcs.dtype == np.float64:
        _decode[double](tree, np.ascontiguousarray(arcs), lengths, heads)
    else:
        _decode[float](tree, np.ascontiguousarray(arcs, dtype=np.float32), lengths, heads)
    return heads


cdef int _decode(
    _SpanningTree tree, const floating[:, :, ::1] arcs, const int[::1] lengths, int[::1] heads
) except -1:
    cdef int first_word = 0
    cdef int sentence, n
    with nogil:
        for sentence in range(<int>lengths.shape[0]):
            n = lengths[sentence]
            if n > 0:
                tree.start(n)
                _read(arcs[sentence], n, tree.scores.data())
                tree.contract_all()
                tree.expand(&heads[first_word])
            first_word += n
    return 0


cdef void _read(const floating[:, ::1] arcs, int n, double* scores) noexcept nogil:
    """Clamp the scores of a sentence."""
    cdef size_t size = n + 1
    cdef size_t word, head
    for word in range(1, size):
        for head in range(size):
            scores[word * size + head] = clamped(arcs[word, head])


cdef struct _Node:
    # The word in whose row the arcs to the node are.
    int row
    # The words of the node, which are linked.
    int first_word
    int last_word
    # The cycle that contains the node, 0 for none.
    int cycle
    # The best arc to the node.
    int head
    int dependent
    double score
    # Whether the node is on the path from dependent to head.
    bint on_path
    # Whether an arc from outside replaces that of the node.
    bint is_replaced


cdef class _SpanningTree:
    """The nodes of one sentence: its words, 1, …, n, and then contracted cycles.

    Each node has a row with the best arc from each word outside, and from the root, to a word of
    the node. Their scores are relative to those of the arcs that they would replace.
    """

    cdef int n
    cdef vector[_Node] nodes
    # Rows, by head, [n + 1][n + 1]: the scores of arcs, minus infinity for those within the node,
    # and their dependents.
    cdef vector[double] scores
    cdef vector[int] dependents
    # By word: the next word of the same node, 0 for the last one; and the outermost node that
    # contains the word.
    cdef vector[int] next_word, outermost
    cdef vector[int] path

    cdef int start(self, int n) except -1 nogil:
        """Make a node of each word, and room for the scores."""
        cdef size_t size = n + 1
        cdef size_t word, head
        self.n = n
        self.scores.resize(size * size)
        self.dependents.resize(size * size)
        self.next_word.assign(size, 0)
        self.outermost.resize(size)
        self.path.clear()
        self.path.reserve(size)
        self.nodes.clear()
        self.nodes.reserve(2 * size)
        for word in range(size):
            self.add_node(<int>word)
            self.outermost[word] = <int>word
            for head in range(size):
                self.dependents[word * size + head] = <int>word
        return 0

    cdef int add_node(self, int word) noexcept nogil:
        """Add a node of one word, for which there is room."""
        cdef _Node node
        node.row = node.first_word = node.last_word = word
        node.cycle = node.head = node.dependent = 0
        node.score = 0.0
        node.on_path = node.is_replaced = False
        self.nodes.push_back(node)
        return <int>self.nodes.size() - 1

    cdef double* row_of(self, int node) noexcept nogil:
        return &self.scores[self.nodes[node].row * <size_t>(self.n + 1)]

    cdef int* dependents_of(self, int node) noexcept nogil:
        return &self.dependents[self.nodes[node].row * <size_t>(self.n + 1)]

    cdef void contract_all(self) noexcept nogil:
        """Contract cycles until all words are in one node, and choose the arc from the root to
        it."""
        cdef int n_outermost = self.n
        cdef int node = 1
        cdef int above
        self.forbid_arcs_within(node)
        while n_outermost > 1:
            self.nodes[node].on_path = True
            self.path.push_back(node)
            self.choose_arc(node)
            above = self.outermost[self.nodes[node].head]
            if self.nodes[above].on_path:
                n_outermost -= self.contract(above) - 1
                above = <int>self.nodes.size() - 1
            self.forbid_arcs_within(above)
            node = above
        self.choose(node, 0)

    cdef void forbid_arcs_within(self, int node) noexcept nogil:
        """Remove the arcs within a node from its row."""
        cdef double* scores = self.row_of(node)
        cdef int word = self.nodes[node].first_word
        while word != 0:
            scores[word] = -INFINITY
            word = self.next_word[word]

    cdef void choose_arc(self, int node) noexcept nogil:
        """Choose the best arc to a node, except one from the root."""
        cdef const double* scores = self.row_of(node)
        cdef int head
        cdef int best = 1
        for head in range(2, self.n + 1):
            if scores[head] > scores[best]:
                best = head
        self.choose(node, best)

    cdef void choose(self, int node, int head) noexcept nogil:
        self.nodes[node].head = head
        self.nodes[node].dependent = self.dependents_of(node)[head]
        self.nodes[node].score = self.row_of(node)[head]

    cdef int contract(self, int last) noexcept nogil:
        """Contract a cycle, the path from a node on. Returns the number of its nodes."""
        cdef int n_members = 0
        cdef int member = self.path.back()
        cdef int cycle = self.add_node(self.nodes[member].row)
        self.nodes[cycle].first_word = self.nodes[member].first_word
        self.nodes[cycle].last_word = 0
        while n_members == 0 or member != last:
            member = self.path.back()
            self.path.pop_back()
            self.nodes[member].on_path = False
            self.nodes[member].cycle = cycle
            if n_members == 0:
                self.subtract_own_score(member)
            else:
                self.merge_row(cycle, member)
                self.next_word[self.nodes[cycle].last_word] = self.nodes[member].first_word
            self.nodes[cycle].last_word = self.nodes[member].last_word
            n_members += 1
        member = self.nodes[cycle].first_word
        while member != 0:
            self.outermost[member] = cycle
            member = self.next_word[member]
        return n_members

    cdef void subtract_own_score(self, int node) noexcept nogil:
        """Subtract the score of a node's own arc from those of the arcs to the node."""
        cdef double* scores = self.row_of(node)
        cdef double own = self.nodes[node].score
        cdef int head
        for head in range(self.n + 1):
            scores[head] -= own

    cdef void merge_row(self, int cycle, int member) noexcept nogil:
        """Keep the better arc from each head: that to a cycle, or that to a further member of
        it."""
        cdef double* scores = self.row_of(cycle)
        cdef int* dependents = self.dependents_of(cycle)
        cdef const double* new_scores = self.row_of(member)
        cdef const int* new_dependents = self.dependents_of(member)
        cdef double own = self.nodes[member].score
        cdef double score
        cdef int head
        for head in range(self.n + 1):
            score = new_scores[head] - own
            if score > scores[head]:
                scores[head] = score
                dependents[head] = new_dependents[head]

    cdef void expand(self, int* heads) noexcept nogil:
        """Write the heads of all words, [n], after `contract_all`."""
        cdef int node, inner
        for node in range(<int>self.nodes.size() - 1, 0, -1):
            if self.nodes[node].is_replaced:
                continue
            inner = self.nodes[node].dependent
            heads[inner - 1] = self.nodes[node].head
            while inner != node:
                self.nodes[inner].is_replaced = True
                inner = self.nodes[inner].cycle
