"""Projectivity and the projective order of dependency trees.

A tree over n words is a sequence of n + 1 heads. heads[d] is the head of word d, 0 is the root,
heads[0] is ignored, and -1 marks a missing head. The root may have several dependents, unless
`single_root` excludes it.
"""

from libcpp.vector cimport vector

from spacy_npparse.trees.partial_trees cimport NO_WORD


cdef int check_acyclic(const int* heads, int n) except -1 nogil:
    """Raise ValueError if heads[1..n] (NO_WORD allowed) are out of range or form a cycle. O(n)."""
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
    """Spell a cycle through the word, from dependent to head."""
    cdef int other = heads[word]
    words = [str(word)]
    while other != word:
        words.append(str(other))
        other = heads[other]
    words.append(str(word))
    return " <- ".join(words)


cdef int complete(const int* heads, int n, int* out) except -1 nogil:
    """Fill in missing heads; see `complete_heads`."""
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
    """Check whether the word is the ancestor or one of its descendants."""
    while word > 0:
        if word == ancestor:
            return True
        word = heads[word]
    return False


cdef enum Event:
    ENTER
    VISIT
    LEAVE


cdef struct Step:
    int node
    Event event


cdef int in_order(const int* heads, int n, int* ranks, int* first, int* last) except -1 nogil:
    """Traverse the tree in-order: the rank of each node, and the first and last rank in its yield.
    O(n).

    At each node, the dependents to its left are traversed in word order, then the node is visited,
    then the dependents to its right are traversed in word order. A yield is thus a range of ranks.
    """
    cdef vector[int] last_child
    cdef vector[int] previous_sibling
    cdef vector[Step] agenda
    cdef Step step
    cdef int d, node, child
    cdef int rank = 0
    last_child.resize(n + 1)
    previous_sibling.resize(n + 1)
    for d in range(1, n + 1):
        previous_sibling[d] = last_child[heads[d]]
        last_child[heads[d]] = d
    agenda.push_back(Step(0, ENTER))
    while not agenda.empty():
        step = agenda.back()
        agenda.pop_back()
        node = step.node
        if step.event == VISIT:
            ranks[node] = rank
            rank += 1
        elif step.event == LEAVE:
            last[node] = rank - 1
        else:
            first[node] = rank
            # Last in, first out.
            agenda.push_back(Step(node, LEAVE))
            child = last_child[node]
            while child > node:
                agenda.push_back(Step(child, ENTER))
                child = previous_sibling[child]
            agenda.push_back(Step(node, VISIT))
            while child > 0:
                agenda.push_back(Step(child, ENTER))
                child = previous_sibling[child]
    return 0


cdef int in_order_ranks(const int* heads, int n, int* ranks) except -1 nogil:
    """Compute PROJ, the ranks alone; see `projective_order`. O(n)."""
    cdef vector[int] bounds
    bounds.resize(2 * n + 2)
    return in_order(heads, n, ranks, bounds.data(), bounds.data() + n + 1)


cdef bint projective(const int* heads, int n) except -1 nogil:
    """Check whether the projective order is the word order. O(n)."""
    cdef vector[int] ranks
    cdef int d
    ranks.resize(n + 1)
    in_order_ranks(heads, n, ranks.data())
    for d in range(1, n + 1):
        if ranks[d] != d:
            return False
    return True


cdef int maximal_components(const int* heads, int n, int* components) except -1 nogil:
    """Compute MPC, the root of the maximal projective component of each node; see `mpc`. O(n)."""
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
    """Check heads and convert them to C integers."""
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
    """Compute the projective order of a tree.

    This is the order of the in-order traversal that visits, at each node, the dependents to its
    left in word order, the node, and then the dependents to its right in word order. If the tree is
    projective, it is the word order.

    Args:
        heads: n + 1 heads, none missing.

    Returns:
        The rank of each of the n + 1 nodes; that of the root is 0.

    Raises:
        ValueError: The heads do not form a tree.

    Source: Nivre (2009).
    """
    cdef vector[int] words = _read(heads, False)
    cdef vector[int] ranks
    ranks.resize(words.size())
    in_order_ranks(words.data(), <int>words.size() - 1, ranks.data())
    return list(ranks)


def mpc(heads):
    """Find the maximal projective components of a tree.

    A component is a subtree that the arc-standard oracle builds without SWAP.

    Args:
        heads: n + 1 heads, none missing.

    Returns:
        The root of the component of each of the n + 1 nodes.

    Raises:
        ValueError: The heads do not form a tree.

    Source: Nivre, Kuhlmann and Hall (2009).
    """
    cdef vector[int] words = _read(heads, False)
    cdef vector[int] components
    components.resize(words.size())
    maximal_components(words.data(), <int>words.size() - 1, components.data())
    return list(components)


def nonprojective_arcs(heads):
    """Find the words whose arc to their head is non-projective: the head does not dominate all
    words between the two.

    The time is linear in the sum of the arc lengths.

    Args:
        heads: n + 1 heads, none missing.

    Returns:
        n + 1 booleans, the first of which is False.

    Raises:
        ValueError: The heads do not form a tree.
    """
    cdef vector[int] words = _read(heads, False)
    cdef int n = <int>words.size() - 1
    cdef vector[int] ranks
    cdef vector[int] first
    cdef vector[int] last
    cdef int d, h, k
    ranks.resize(n + 1)
    first.resize(n + 1)
    last.resize(n + 1)
    in_order(words.data(), n, ranks.data(), first.data(), last.data())
    arcs = [False] * (n + 1)
    for d in range(1, n + 1):
        h = words[d]
        for k in range(min(h, d) + 1, max(h, d)):
            if not first[h] <= ranks[k] <= last[h]:
                arcs[d] = True
                break
    return arcs


def is_projective(heads):
    """Check whether every head dominates all words between itself and each of its dependents. O(n).

    Args:
        heads: n + 1 heads, none missing.

    Raises:
        ValueError: The heads do not form a tree.
    """
    cdef vector[int] words = _read(heads, False)
    return bool(projective(words.data(), <int>words.size() - 1))


def is_tree(heads, bint single_root=True):
    """Check whether every word has a head in the sentence and the arcs are acyclic.

    Args:
        heads: n + 1 heads.
        single_root: Whether the root must have exactly one dependent (unless n is 0).
    """
    try:
        _read(heads, False)
    except ValueError:
        return False
    roots = sum(head == 0 for head in heads[1:])
    return not single_root or roots == 1 or len(heads) == 1


def complete_heads(heads):
    """Complete a partial tree.

    A word without a head is attached to the closest word to its left that it does not dominate,
    otherwise to the closest such word to its right, otherwise to the root.

    Args:
        heads: n + 1 heads, -1 where missing.

    Returns:
        n + 1 heads of a tree, the first of which is -1.

    Raises:
        ValueError: The given heads form a cycle or are not words of the sentence.
    """
    cdef vector[int] words = _read(heads, True)
    cdef vector[int] out
    out.resize(words.size())
    complete(words.data(), <int>words.size() - 1, out.data())
    return list(out)
