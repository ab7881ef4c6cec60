"""Exact search for one-endpoint-crossing trees with third-order scores.

A tree is one-endpoint-crossing if and only if all arcs that cross the same arc share an endpoint
(Pitler, Kannan and Marcus 2013). Arcs from the root count. The search takes O(n⁴) time and O(n³)
memory. The deduction system is our own, and the tests compare it with an enumeration of all trees.

Scores are clamped to plus or minus `SCORE_LIMIT`, and NaN counts as the lowest score, so that a
tree is always found. The arc h -> m adds crossed[h, m] if another arc crosses it, and otherwise

    heads[h, m]
    siblings[s, m]      s is the adjacent sibling, the dependent of h between h and m that is
                        closest to m, 0 if there is none; not scored if h -> s is crossed
    grandparents[g, m]  g is the head of h; not scored if h is the root, if g -> h is crossed, or
                        if a crossing structure at h comes between the two arcs

A crossing structure is a maximal set of arcs that are connected by crossings. It spans the words
from its first to its last one, and the arcs between these except one that joins the first and the
last. It comes between g -> h and h -> m if one of its arcs ends in h, and if it spans h -> m but
not g -> h; or, where g and m are on different sides of h, if it spans either of the two.

Items are forests over the words from one end to another; only their ends have arcs to other words.
The state of an item says which of its ends are roots of the forest, and which end the others
descend from. forests.h finds all combinations of states that leave a forest, so that the rules do
not mention states. Every rule has a mirror image, in which the order of all words is reversed.

Crossing structures (crossing_structures.h); their words are the endpoints of crossed arcs. A fan
[i, j, x] has arcs between x, which is outside, and words after i, and reaches j by a crossed arc.
Arcs that cross these end in i, or, if there is only one arc to x, in its other endpoint. An inner
fan reaches j by an arc that is not from x; an open one does not reach it. A gap [i, j] has no
crossed arcs at its ends.

    open [i, j, x]    <-  fan [i, q, x], gap [q, j]
    inner [i, j, x]   <-  open [i, j, x], arc i - j
                       |  gap [i, q], arc q - x, fan [q, j, i]
    fan [i, j, x]     <-  inner [i, j, x]
                       |  arc j - x, and gap [i, j], open [i, j, x] or inner [i, j, x]
    structure [i, j]  <-  fan [a, i, b], gap [a, b], fan [b, j, a]                i < a < b < j
                       |  gap [i, k], inner [k, j, i]                             i < k < j
                       |  inner [k, i, j] or inner [i, k, j], gap [k, j]
                       |  open or fan [i, s, j], fan [k, s, j], arc i - k, gap [k, j]     s < k

Trees with nested crossing structures (nested_trees.h); g is a grandparent outside, or - if it is
not scored, and m' the word next to m. An arc [h, m, g] has all words in between. A subtree
[h, e, g] has h and all words up to e as descendants of h; a tied one has crossed outermost arcs.

    arc [h, m, g]      <-  subtree [m', m, h]                             siblings[0, m]
                        |  arc [h, s, g], between [s, m, h]               siblings[s, m]
                        |  tied [h, e], subtree [m, e', h]
                        |  tied [h, p] or p = h, structure [p, q], subtree [m, q, h]
    tied [h, e]        <-  structure [h, k], subtree [k, e, -]
    subtree [h, e, g]  <-  arc [h, m, g], subtree [m, e, h]  |  tied [h, e]
    between [i, j, g]  <-  subtree [i, e, g], subtree [j, e', g]
                        |  subtree [i, p, g], structure [p, q], subtree [j, q, g]
    gap [i, j]         <-  between [i, j, -]  |  subtree [i, j, -]  |  subtree [j, i, -]

The goal is subtree [0, n, -]. With a single root, the rules that would give the root a second arc
are excluded.

Source: Pitler (2014) for the parts that trees are scored by and for items with one external word.
"""

import numpy as np

from libcpp.vector cimport vector

from spacy_npparse.decoding.one_endpoint_crossing.types import OneEndpointCrossingTrees
from spacy_npparse.decoding.score_shapes import check_score_shapes


cdef extern from "../score_range.h" namespace "npparse" nogil:
    const float IMPOSSIBLE

cdef extern from "chart.h" namespace "npparse" nogil:
    const int SECOND_BELOW

    cppclass COneEndpointCrossingScores "npparse::OneEndpointCrossingScores":
        const float* grandparents
        const float* heads
        const float* siblings
        const float* crossed
        const unsigned char* pruned
        int size

    enum class Kind:
        CROSSED_ARC

    cppclass Item:
        Kind kind
        int a, b, c, d, state

    cppclass OneEndpointCrossingChart:
        float fill(const COneEndpointCrossingScores& scores, int n, bint single_root) except +
        vector[Item] arcs() except +


def decode_one_endpoint_crossing(
    scores, const int[::1] lengths, bint single_root=True, pruned=None
):
    """Find the one-endpoint-crossing tree with the highest score for each sentence.

    Args:
        scores: The scores of parts, OneEndpointCrossingScores.
        lengths: int32 [n_sentences], the number of words of each sentence.
        single_root: Whether exactly one word of each sentence has the root as its head.
        pruned: bool [n_sentences, size, size], the arcs that trees must not contain, by head and
            dependent; None for none. The search is faster with fewer arcs.

    Returns:
        The trees, OneEndpointCrossingTrees.

    Raises:
        ValueError: The shapes do not fit, or there is no tree without pruned arcs.
        MemoryError: A sentence is too long.
    """
    check_score_shapes(scores, np.asarray(lengths), ["a root"])
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
    cdef const float[:, :, ::1] grandparent_scores = scores.grandparents
    cdef const float[:, :, ::1] head_scores = scores.heads
    cdef const float[:, :, ::1] sibling_scores = scores.siblings
    cdef const float[:, :, ::1] crossed_scores = scores.crossed
    cdef const unsigned char[:, :, ::1] pruned_arcs
    cdef COneEndpointCrossingScores of_sentence
    cdef OneEndpointCrossingChart chart
    cdef vector[Item] arcs
    cdef int sentence, n, h, m, i
    cdef int first_word = 0
    of_sentence.size = <int>head_scores.shape[1]
    of_sentence.pruned = NULL
    cdef bint is_pruned = pruned is not None
    if is_pruned:
        if pruned.shape != scores.heads.shape:
            raise ValueError(
                f"pruned arcs have the shape {list(pruned.shape)}, but should have "
                f"{list(scores.heads.shape)}"
            )
        pruned_arcs = np.ascontiguousarray(pruned, dtype=np.uint8)
    with nogil:
        for sentence in range(<int>lengths.shape[0]):
            n = lengths[sentence]
            of_sentence.grandparents = &grandparent_scores[sentence, 0, 0]
            of_sentence.heads = &head_scores[sentence, 0, 0]
            of_sentence.siblings = &sibling_scores[sentence, 0, 0]
            of_sentence.crossed = &crossed_scores[sentence, 0, 0]
            if is_pruned:
                of_sentence.pruned = &pruned_arcs[sentence, 0, 0]
            totals[sentence] = chart.fill(of_sentence, n, single_root)
            if totals[sentence] <= IMPOSSIBLE / 2:
                with gil:
                    raise ValueError(f"sentence {sentence} has no tree without pruned arcs")
            arcs = chart.arcs()
            for i in range(<int>arcs.size()):
                if arcs[i].kind == Kind.CROSSED_ARC:
                    h = arcs[i].a if arcs[i].state == SECOND_BELOW else arcs[i].b
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
