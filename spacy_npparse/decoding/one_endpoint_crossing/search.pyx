"""Exact search for one-endpoint-crossing trees with third-order scores.

A tree is one-endpoint-crossing if all arcs that cross the same arc have an end in common (Pitler,
Kannan and Marcus 2013); arcs from the root count. The parts that trees are scored by, and the idea
of items with one word further out, are those of Pitler (2014); the deduction system is our own. It
takes O(n⁴) time and O(n³) memory, and finds all such trees (the tests compare with enumeration).

Scores. The arc h -> m adds crossed[h, m] if another arc crosses it, and otherwise

    heads[h, m]
    siblings[s, m]      s is the dependent of h between h and m that is closest to m, 0 if there is
                        none; left out if h -> s is crossed
    grandparents[g, m]  g is the head of h; left out if h is the root, if g -> h is crossed, or if a
                        crossing structure at h comes between the two arcs

A crossing structure is a set of arcs that are connected by crossings. It spans the words from its
first to its last one, and arcs between these except one that joins the first and the last. It comes
between g -> h and h -> m if an arc of it ends in h, and it spans h -> m but not g -> h; or, where g
and m are on different sides of h, either of the two.

Items are forests over the words from one end to another; only their ends have arcs to other words.
Whether an end is a root of the forest or on which other end it hangs is the state of the item. All
joins of states that leave a forest are found by forests.h, so that the rules say nothing of them.
Rules hold for their mirror images too, and words are named in order, one way or the other.

Crossing structures (crossing_structures.h), their words being those where crossed arcs end. A fan
[i, j, x] has arcs between x, which is outside, and words after i, and reaches j by a crossed arc;
arcs that cross these end in i, or, if there is one arc to x only, in its other end. An inner one
reaches j not from x, an open one does not reach it. A gap [i, j] has no crossed arcs at its ends.

    open [i, j, x]    <-  fan [i, q, x], gap [q, j]
    inner [i, j, x]   <-  open [i, j, x], arc i - j
                       |  gap [i, q], arc q - x, fan [q, j, i]
    fan [i, j, x]     <-  inner [i, j, x]
                       |  arc j - x, and gap [i, j], open [i, j, x] or inner [i, j, x]
    structure [i, j]  <-  fan [a, i, b], gap [a, b], fan [b, j, a]                i < a < b < j
                       |  gap [i, k], inner [k, j, i]                             i < k < j
                       |  inner [k, i, j] or inner [i, k, j], gap [k, j]
                       |  open or fan [i, s, j], fan [k, s, j], arc i - k, gap [k, j]     s < k

Trees with structures nested in them (nested_trees.h), g being a grandparent outside or - if it is
not scored, and m' the word next to m. An arc [h, m, g] has all words in between; a subtree
[h, e, g] has h and all words up to e below it, a tied one if its outermost arcs are crossed.

    arc [h, m, g]      <-  subtree [m', m, h]                             siblings[0, m]
                        |  arc [h, s, g], between [s, m, h]               siblings[s, m]
                        |  tied [h, e], subtree [m, e', h]
                        |  tied [h, p] or p = h, structure [p, q], subtree [m, q, h]
    tied [h, e]        <-  structure [h, k], subtree [k, e, -]
    subtree [h, e, g]  <-  arc [h, m, g], subtree [m, e, h]  |  tied [h, e]
    between [i, j, g]  <-  subtree [i, e, g], subtree [j, e', g]
                        |  subtree [i, p, g], structure [p, q], subtree [j, q, g]
    gap [i, j]         <-  between [i, j, -]  |  subtree [i, j, -]  |  subtree [j, i, -]

The goal is subtree [0, n, -]. For a single root, the root's arcs are left out of all rules that
would give it a second one.
"""

import numpy as np

from libcpp.vector cimport vector

from spacy_npparse.decoding.one_endpoint_crossing.types import OneEndpointCrossingTrees
from spacy_npparse.decoding.score_shapes import check_score_shapes


cdef extern from "chart.h" namespace "npparse" nogil:
    cppclass COneEndpointCrossingScores "npparse::OneEndpointCrossingScores":
        const float* grandparents
        const float* heads
        const float* siblings
        const float* crossed
        int size

    enum class Kind:
        CROSSED_ARC

    cppclass Goal:
        Kind kind
        int a, b, c, d, state

    cppclass OneEndpointCrossingChart:
        float fill(const COneEndpointCrossingScores& scores, int n, bint single_root)
        vector[Goal] arcs()


def decode_one_endpoint_crossing(tables, const int[::1] lengths, bint single_root=True):
    """Find the trees of highest score.

    tables: a OneEndpointCrossingScores.
    lengths: [sentences] number of words of each sentence.
    single_root: give every sentence exactly one word whose head is the root.

    Returns a OneEndpointCrossingTrees. Raises ValueError if shapes do not fit.
    """
    check_score_shapes(tables, lengths, ["a root"])
    n_words = int(np.asarray(lengths).sum())
    result = OneEndpointCrossingTrees(
        np.empty(n_words, dtype=np.int32),
        np.empty(n_words, dtype=bool),
        np.full(n_words, -1, dtype=np.int32),
        np.full(n_words, -1, dtype=np.int32),
        np.zeros(lengths.shape[0]),
    )
    cdef int[::1] heads = result.heads
    cdef unsigned char[::1] crossed = result.crossed.view(np.uint8)
    cdef int[::1] grandparents = result.grandparents
    cdef int[::1] siblings = result.siblings
    cdef double[::1] totals = result.scores
    cdef const float[:, :, ::1] by_grandparent = tables.grandparents
    cdef const float[:, :, ::1] by_head = tables.heads
    cdef const float[:, :, ::1] by_sibling = tables.siblings
    cdef const float[:, :, ::1] by_crossed = tables.crossed
    cdef COneEndpointCrossingScores scores
    cdef OneEndpointCrossingChart chart
    cdef vector[Goal] arcs
    cdef int sentence, n, h, m, i
    cdef int first_word = 0
    scores.size = <int>by_head.shape[1]
    with nogil:
        for sentence in range(<int>lengths.shape[0]):
            n = lengths[sentence]
            scores.grandparents = &by_grandparent[sentence, 0, 0]
            scores.heads = &by_head[sentence, 0, 0]
            scores.siblings = &by_sibling[sentence, 0, 0]
            scores.crossed = &by_crossed[sentence, 0, 0]
            totals[sentence] = chart.fill(scores, n, single_root)
            arcs = chart.arcs()
            for i in range(<int>arcs.size()):
                if arcs[i].kind == Kind.CROSSED_ARC:
                    h = arcs[i].a if arcs[i].state == 1 else arcs[i].b
                    m = arcs[i].a + arcs[i].b - h
                    crossed[first_word + m - 1] = True
                else:
                    h = arcs[i].a
                    m = arcs[i].b
                    crossed[first_word + m - 1] = False
                    grandparents[first_word + m - 1] = arcs[i].c
                    siblings[first_word + m - 1] = arcs[i].d
                heads[first_word + m - 1] = h
            first_word += n
    return result
