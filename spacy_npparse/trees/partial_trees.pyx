"""Partial trees, in which words may have no head, and the arcs that can still be added."""

from libcpp.vector cimport vector


cdef int tree_root(const int* heads, int word) noexcept nogil:
    """Find the root of the partial tree that contains the word, which is a word itself."""
    while heads[word] > 0:
        word = heads[word]
    return word


cdef int lost_arcs(
    const int* heads, const int* gold, int n, const char* passed, vector[int]& work
) noexcept nogil:
    """Count the gold arcs that are lost to a monotonic system, which never removes arcs.

    A missing gold arc is unreachable if its pair of words has been passed, or if its dependent has
    another head. Each cycle of reachable gold arcs and existing arcs loses one more arc. A gold arc
    from the root, which is implicit, is unreachable if its dependent has another head.

    Args:
        heads: [n + 1], the current heads, NO_WORD for words without a head; 0 is the root.
        gold: [n + 1], the gold heads, NO_WORD where missing.
        n: The number of words.
        passed: [n + 1], whether the pair of words of the gold arc to d will not be considered
            again.
        work: Memory that can be reused.

    Source: Gómez-Rodríguez and Fernández-González (2015).
    """
    cdef int d, word
    cdef int lost = 0
    cdef int* target
    cdef int* seen_from
    work.assign(2 * n + 2, 0)
    # target[d]: the head of d in the union of existing and reachable arcs, 0 if there is none.
    target = work.data()
    seen_from = target + n + 1
    for d in range(1, n + 1):
        if heads[d] > 0:
            target[d] = heads[d]
        if gold[d] == NO_WORD or gold[d] == heads[d]:
            continue
        if gold[d] == 0:
            lost += heads[d] > 0
        elif heads[d] > 0 or passed[d]:
            lost += 1
        else:
            target[d] = gold[d]
    for d in range(1, n + 1):
        word = d
        while word > 0 and seen_from[word] == 0:
            seen_from[word] = d
            word = target[word]
        lost += word > 0 and seen_from[word] == d
    return lost
