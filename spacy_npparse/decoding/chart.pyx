"""Exact search with multi-headed items: MH3 and MH4 (Gómez-Rodríguez, Shi and Lee 2018, section 3).

An item [h1, …, hm] stands for h1..hm-1 having been pushed and hm being the front of the buffer, all
words in between being attached. The end of the sentence is a node too.

    Axiom     [i, i+1]
    Combine   [h1, …, hm], [hm, …, hp]  =>  [h1, …, hp]     shifts hm
    Link      [h1, …, hm]  =>  the same without hj, 1 < j < m, whose head is another one of them
    Goal      [0, n + 1]

MH3 has items of two and three heads, takes O(n³) time and covers the projective trees; MH4 has
items of four heads as well and takes O(n⁴). Those are used for their links as soon as they are
found, so that memory is O(n³).
"""

import numpy as np

from libcpp.vector cimport vector

from spacy_npparse.decoding.results import ChartResult
from spacy_npparse.transitions.mh4 import MH4
from spacy_npparse.transitions.configuration cimport Configuration
from spacy_npparse.transitions.system cimport TransitionSystem


cdef extern from "chart.h" namespace "npparse" nogil:
    const int N_LINKS

    cppclass CChartScores "npparse::ChartScores":
        const float* shift
        const float* below
        const float* front
        const float* arcs
        int size

    cppclass Chart:
        float fill(const CChartScores& scores, int n, bint four, bint single_root)
        vector[int] derivation()


def decode_chart(tables, const int[::1] lengths, int n_heads, bint single_root=True):
    """Find the derivations of highest score.

    tables: a ChartScores.
    lengths: [sentences] number of words of each sentence.
    n_heads: heads of the largest items, 3 or 4.
    single_root: give every sentence exactly one word whose head is the root.

    Returns a ChartResult. Raises ValueError if shapes do not fit, or n_heads is another number.
    """
    cdef const float[:, :, ::1] shift = tables.shift
    cdef const float[:, :, :, ::1] below = tables.below
    cdef const float[:, :, :, ::1] front = tables.front
    cdef const float[:, :, ::1] arcs = tables.arcs
    cdef TransitionSystem system = MH4(single_root=single_root)
    cdef Configuration c = system.new_configuration()
    cdef Chart chart
    cdef CChartScores scores
    cdef vector[int] transitions
    cdef int sentence, n, t, word
    cdef int first_word = 0
    cdef int first_step = 0
    cdef int[::1] heads
    cdef int[::1] steps
    cdef double[::1] totals
    _check(tables, lengths, n_heads)
    n_words = int(np.asarray(lengths).sum())
    result = ChartResult(
        np.empty(n_words, dtype=np.int32),
        np.empty(2 * n_words, dtype=np.int32),
        np.zeros(lengths.shape[0]),
    )
    heads, steps, totals = result
    scores.size = <int>shift.shape[1]
    with nogil:
        for sentence in range(<int>lengths.shape[0]):
            n = lengths[sentence]
            scores.shift = &shift[sentence, 0, 0]
            scores.below = &below[sentence, 0, 0, 0]
            scores.front = &front[sentence, 0, 0, 0]
            scores.arcs = &arcs[sentence, 0, 0]
            totals[sentence] = chart.fill(scores, n, n_heads == 4, single_root)
            transitions = chart.derivation()
            system.initialise(c, n)
            for t in range(2 * n):
                steps[first_step + t] = transitions[t]
                system.apply(c, transitions[t])
            for word in range(n):
                heads[first_word + word] = c.heads[word + 1]
            first_word += n
            first_step += 2 * n
    return result


def _check(tables, lengths, n_heads):
    if n_heads not in (3, 4):
        raise ValueError(f"items can have up to 3 or 4 heads, not {n_heads}")
    size = tables.shift.shape[1]
    longest = int(np.asarray(lengths).max(initial=0))
    if len(lengths) and (min(lengths) < 0 or size < longest + 2):
        raise ValueError(
            f"scores of {size} nodes do not fit sentences of {min(lengths)} to {longest} words, a "
            "root and an end"
        )
    square = (len(lengths), size, size)
    links = (len(lengths), N_LINKS, size, size)
    expected = {"shift": square, "below": links, "front": links, "arcs": square}
    for name, shape in expected.items():
        if getattr(tables, name).shape != shape:
            raise ValueError(
                f"{name} scores have the shape {list(getattr(tables, name).shape)}, but should "
                f"have {list(shape)}"
            )
