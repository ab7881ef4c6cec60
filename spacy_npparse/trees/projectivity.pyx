"""Word order and projectivity of dependency trees.

A tree over n words is a sequence of n + 1 heads: heads[d] is the head of word d, 0 is the root,
heads[0] is ignored and -1 marks a missing head. A node with several children of the root is a
tree here too, except where `single_root` says otherwise.
"""

from libcpp.vector cimport vector

from spacy_npparse.trees.partial_trees cimport NO_WORD


cdef int check_acyclic(const int* heads, int n) except -1 nogil:
    """Raise ValueError unless heads[1..n] (-1 allowed) are in range and free of cycles. O(n)."""
    cdef vector[int] seen_from
    cdef int d, word
    seen_from.resize(n + 1)
    for d in range(1, n + 1):
        if heads[d] < NO_WORD or heads[d] > n:
            with gil:
                raise ValueError(
                    f"word {d} has head {heads[d]}, but the sentence has words 1..{n}; "
                    "a head is 0 (root), a word of the sentence, or -1 (missing)"
                )
    for d in range(1, n + 1):
        word = d
        while word > 0 and seen_from[word] == 0:
            seen_from[word] = d
            word = heads[word]
        if word > 0 and seen_from[word] == d:
            with gil:
                raise ValueError(f"heads form a cycle: {_spell_cycle(heads, word)}")
    return 0


cdef str _spell_cycle(const int* heads, int word):
    cdef int other = heads[word]
    words = [str(word)]
    while other != word:
        words.append(str(other))
        other = heads[other]
    words.append(str(word))
    return " <- ".join(words)


cdef int complete(const int* heads, int n, int* out) except -1 nogil:
    """Attach words with missing heads where they do no harm; see `complete_heads`."""
    cdef int d, h
    out[0] = NO_WORD
    for d in range(1, n + 1):
        out[d] = heads[d]
    for d in range(1, n + 1):
        if out[d] == NO_WORD:
            h = d - 1
            while h > 0 and dominates(out, d, h):
                h -= 1
            if h == 0:
                h = d + 1
                while h <= n and dominates(out, d, h):
                    h += 1
            out[d] = h if h <= n else 0
    return 0


cdef bint dominates(const int* heads, int ancestor, int word) noexcept nogil:
    """Whether the arcs lead from the ancestor down to the word, or the two are the same."""
    while word > 0:
        if word == ancestor:
            return True
        word = heads[word]
    return False


cdef int in_order_ranks(const int* heads, int n, int* ranks) except -1 nogil:
    """PROJ: ranks[w] of every node in the in-order traversal; see `projective_order`. O(n)."""
    cdef vector[int] last_child
    cdef vector[int] previous_sibling
    cdef vector[int] agenda
    cdef int d, word, child
    cdef int rank = 0
    last_child.resize(n + 1)
    previous_sibling.resize(n + 1)
    for d in range(1, n + 1):
        previous_sibling[d] = last_child[heads[d]]
        last_child[heads[d]] = d
    # The agenda holds nodes to expand (w) and nodes whose left children are done (-w - 1).
    agenda.push_back(0)
    while not agenda.empty():
        word = agenda.back()
        agenda.pop_back()
        if word < 0:
            ranks[-word - 1] = rank
            rank += 1
            continue
        child = last_child[word]
        while child > word:
            agenda.push_back(child)
            child = previous_sibling[child]
        agenda.push_back(-word - 1)
        while child > 0:
            agenda.push_back(child)
            child = previous_sibling[child]
    return 0


cdef bint projective(const int* heads, int n) except -1 nogil:
    """Whether the in-order traversal is the word order. O(n)."""
    cdef vector[int] ranks
    cdef int d
    ranks.resize(n + 1)
    in_order_ranks(heads, n, ranks.data())
    for d in range(1, n + 1):
        if ranks[d] != d:
            return False
    return True


cdef int maximal_components(const int* heads, int n, int* components) except -1 nogil:
    """MPC: components[w] is the root of the maximal projective component of w; see `mpc`. O(n)."""
    cdef vector[int] waiting
    cdef vector[int] stack
    cdef vector[int] attached
    cdef int d, i, j, top
    waiting.resize(n + 1)
    attached.resize(n + 1)
    for d in range(1, n + 1):
        waiting[heads[d]] += 1
    stack.push_back(0)
    for d in range(1, n + 1):
        stack.push_back(d)
        while stack.size() >= 2:
            j = stack[stack.size() - 1]
            i = stack[stack.size() - 2]
            if i != 0 and heads[i] == j and waiting[i] == 0:
                stack[stack.size() - 2] = j
                attached[i] = True
                waiting[j] -= 1
            elif heads[j] == i and waiting[j] == 0:
                attached[j] = True
                waiting[i] -= 1
            else:
                break
            stack.pop_back()
    for d in range(n + 1):
        components[d] = NO_WORD
    for d in range(n + 1):
        top = d
        while components[top] == NO_WORD and attached[top]:
            top = heads[top]
        top = top if components[top] == NO_WORD else components[top]
        i = d
        while components[i] == NO_WORD and i != top:
            components[i] = top
            i = heads[i]
        components[top] = top
    return 0


cdef vector[int] _read(heads, bint missing_allowed) except *:
    """Heads as C ints, checked."""
    cdef vector[int] words
    cdef int d
    if len(heads) < 1:
        raise ValueError("heads must hold n + 1 numbers; heads[0] is ignored")
    words.push_back(NO_WORD)
    for head in heads[1:]:
        words.push_back(head)
    check_acyclic(words.data(), <int>words.size() - 1)
    if not missing_allowed:
        for d in range(1, <int>words.size()):
            if words[d] == NO_WORD:
                raise ValueError(f"word {d} has no head; fill missing heads with complete_heads")
    return words


def projective_order(heads):
    """Rank of each node in the projective order of a tree.

    The order is that of the in-order traversal which visits, at each node, the children to its
    left in word order, the node, then the children to its right. In a projective tree it is the
    word order (Nivre 2009, section 4).

    heads: n + 1 heads, none missing. Returns n + 1 ranks, the root's is 0.
    Raises ValueError if heads is no tree.
    """
    cdef vector[int] words = _read(heads, False)
    cdef vector[int] ranks
    ranks.resize(words.size())
    in_order_ranks(words.data(), <int>words.size() - 1, ranks.data())
    return list(ranks)


def mpc(heads):
    """Maximal projective components of a tree, each named by its root node.

    Two words share a component if the arc-standard oracle without SWAP puts them in one subtree
    (Nivre, Kuhlmann and Hall 2009, section 4).

    heads: n + 1 heads, none missing. Returns, for each of the n + 1 nodes, the root of its
    component. Raises ValueError if heads is no tree.
    """
    cdef vector[int] words = _read(heads, False)
    cdef vector[int] components
    components.resize(words.size())
    maximal_components(words.data(), <int>words.size() - 1, components.data())
    return list(components)


def nonprojective_arcs(heads):
    """Which words hang on a non-projective arc: some word between the two ends of the arc is no
    descendant of the head.

    heads: n + 1 heads, none missing. Returns n + 1 booleans, the first is False.
    Raises ValueError if heads is no tree. Time: the sum of the arc lengths.
    """
    cdef vector[int] words = _read(heads, False)
    cdef int n = <int>words.size() - 1
    cdef vector[int] first
    cdef vector[int] last
    cdef int d, h, k
    _spans(words, first, last)
    arcs = [False] * (n + 1)
    for d in range(1, n + 1):
        h = words[d]
        for k in range(min(h, d) + 1, max(h, d)):
            if not first[h] <= first[k] <= last[h]:
                arcs[d] = True
                break
    return arcs


cdef void _spans(const vector[int]& heads, vector[int]& first, vector[int]& last) noexcept nogil:
    """Number the nodes in pre-order: h and its descendants are first[h]..last[h]."""
    cdef int n = <int>heads.size() - 1
    cdef vector[int] last_child
    cdef vector[int] previous_sibling
    cdef vector[int] agenda
    cdef int d, word
    cdef int number = 0
    last_child.resize(n + 1)
    previous_sibling.resize(n + 1)
    first.resize(n + 1)
    last.resize(n + 1)
    for d in range(1, n + 1):
        previous_sibling[d] = last_child[heads[d]]
        last_child[heads[d]] = d
    agenda.push_back(0)
    while not agenda.empty():
        word = agenda.back()
        agenda.pop_back()
        if word < 0:
            last[-word - 1] = number - 1
            continue
        first[word] = number
        number += 1
        agenda.push_back(-word - 1)
        d = last_child[word]
        while d > 0:
            agenda.push_back(d)
            d = previous_sibling[d]


def is_projective(heads):
    """Whether no arc is non-projective. heads: n + 1 heads, none missing. O(n).

    Raises ValueError if heads is no tree.
    """
    cdef vector[int] words = _read(heads, False)
    return bool(projective(words.data(), <int>words.size() - 1))


def is_tree(heads, bint single_root=True):
    """Whether every word has a head in the sentence and no word is its own ancestor.

    heads: n + 1 heads. single_root: also ask for exactly one child of the root (unless n is 0).
    """
    cdef vector[int] words
    try:
        words = _read(heads, False)
    except ValueError:
        return False
    roots = sum(head == 0 for head in heads[1:])
    return not single_root or roots == 1 or len(heads) == 1


def complete_heads(heads):
    """A tree in which words with missing heads are attached where they do no harm.

    Each takes the closest word to its left that is no descendant of it, or else the closest such
    word to its right, or else the root.

    heads: n + 1 heads, -1 where missing. Returns n + 1 heads, the first is -1.
    Raises ValueError if the heads given form a cycle or leave the sentence.
    """
    cdef vector[int] words = _read(heads, True)
    cdef vector[int] out
    out.resize(words.size())
    complete(words.data(), <int>words.size() - 1, out.data())
    return list(out)
