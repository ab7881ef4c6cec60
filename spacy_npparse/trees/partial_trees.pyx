"""Partial trees and what can still be added to them, for systems that attach words in any order."""

from libcpp.vector cimport vector


cdef int top(const int* heads, int word) noexcept nogil:
    """The word at the top of the partial tree that holds the word."""
    while heads[word] > 0:
        word = heads[word]
    return word


cdef int lost_arcs(
    const int* heads, const int* gold, int n, const char* passed, vector[int]& work
) noexcept nogil:
    """Gold arcs that can no longer be built where each word gets at most one head and no cycle
    may close (Gómez-Rodríguez and Fernández-González 2015, section 3).

    A missing gold arc is lost if its pair of words has been passed, its dependent has another head,
    or both ends are in one partial tree. Of those that close a cycle with others, one is lost. An
    arc from the root is lost once its dependent has another head.

    heads: [n + 1], -1 for none so far; 0 for the root.
    gold: [n + 1] gold heads, -1 for missing.
    passed: [n + 1], whether the words of the gold arc to d are no longer compared.
    work: memory to reuse.
    """
    cdef int d, word
    cdef int lost = 0
    cdef int* target
    cdef int* seen_from
    work.assign(2 * n + 2, 0)
    # The arcs built and those within reach: at most one for each dependent.
    target = work.data()
    seen_from = target + n + 1
    for d in range(1, n + 1):
        if heads[d] > 0:
            target[d] = heads[d]
        if gold[d] == NO_WORD or gold[d] == heads[d]:
            continue
        if gold[d] == 0:
            lost += heads[d] > 0
        elif heads[d] > 0 or passed[d] or top(heads, gold[d]) == d:
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
