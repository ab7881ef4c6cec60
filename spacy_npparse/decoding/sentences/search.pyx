"""Exact search for the sentences of a text by their boundaries and by the heads of their words.

A segmentation divides the words 0, …, n - 1 into spans [i, j), the sentences. The search finds the
segmentation with the highest score:

    score = Σ_sentences [i, j)  log p(i starts) + Σ_{i<k<j} log p(k does not start) + heads(i, j)

    heads(i, j) = max_{i ≤ r < j}  log p(root → r) + Σ_{d ≠ r} max_{i ≤ h < j} log p(h → d)

The second term is the score of the best choice of a head for each word within the sentence, with
exactly one root. It would be a maximum spanning tree if cycles were excluded. The probabilities of
heads are those among all words around, so that a boundary between a word and its probable head
costs as much as the arc is worth. Sentences begin only at candidates and have a limited length, so
the time is linear in n.

Source: Sarawagi and Cohen (2004) for semi-Markov models. The scores are our own.
"""

import numpy as np

from libc.math cimport INFINITY, exp, log1p
from libcpp.vector cimport vector

from spacy_npparse.decoding.score_range import SCORE_LIMIT
from spacy_npparse.decoding.sentences.types import Spans


cdef extern from "../score_range.h" namespace "npparse" nogil:
    const float IMPOSSIBLE


def score_spans(arcs, roots, candidates, certain, int max_length):
    """Score the heads of all spans between candidates.

    Scores are clamped to plus or minus `SCORE_LIMIT`, and NaN and impossible arcs count as the
    lowest score, so that sentences are always found.

    Args:
        arcs: float32 [n_words, 2 * reach + 1], the log-probabilities of arcs: arcs[d, reach + k] is
            that of the head d + k of word d, IMPOSSIBLE where there is no such word.
        roots: float32 [n_words], the log-probability of the root as the head of each word.
        candidates: bool [n_words + 1], whether each word, or the end, may start a sentence. The end
            may.
        certain: bool [n_words + 1], whether each candidate is certain to start a sentence, so that
            spans contain it only as their first word. The end is.
        max_length: The maximum length of spans that contain a candidate after the first word.

    Returns:
        The spans.

    Raises:
        ValueError: The shapes do not fit.
    """
    cdef float[:, ::1] near_heads = _clamped(arcs)
    cdef const float[::1] root_scores = _clamped(roots)
    cdef int n = <int>arcs.shape[0]
    cdef int reach = <int>arcs.shape[1] // 2
    sizes = (roots.shape[0], len(candidates), len(certain))
    if arcs.shape[1] != 2 * reach + 1 or sizes != (n, n + 1, n + 1):
        raise ValueError(
            f"arcs [{n}, {arcs.shape[1]}] do not fit {sizes[0]} roots, {sizes[1]} candidates and "
            f"{sizes[2]} certain ones"
        )
    cdef const unsigned char[::1] is_candidate = candidates.view(np.uint8)
    cdef const unsigned char[::1] is_certain = certain.view(np.uint8)
    cdef vector[long long] firsts, ends
    cdef vector[double] scores
    cdef int first, end
    cdef bint inside
    with nogil:
        _accumulate(near_heads, reach)
        for first in range(n):
            if not is_candidate[first]:
                continue
            inside = False
            for end in range(first + 1, n + 1):
                if is_candidate[end]:
                    firsts.push_back(first)
                    ends.push_back(end)
                    scores.push_back(_best_heads(near_heads, root_scores, reach, first, end))
                    if is_certain[end]:
                        break
                    inside = True
                if inside and end - first >= max_length:
                    break
    return Spans(
        np.array(firsts, dtype=np.int64),
        np.array(ends, dtype=np.int64),
        np.array(scores, dtype=np.float64),
    )


def _clamped(scores):
    # If one argument is not a number, fmax returns the other.
    return np.fmin(np.fmax(scores, -SCORE_LIMIT), SCORE_LIMIT)


cdef void _accumulate(float[:, ::1] arcs, int reach) noexcept nogil:
    """Replace the score of each arc by that of the word's best head up to there on the same side of
    the word."""
    cdef int word, k
    for word in range(<int>arcs.shape[0]):
        arcs[word, reach] = IMPOSSIBLE
        for k in range(reach + 2, 2 * reach + 1):
            arcs[word, k] = max(arcs[word, k], arcs[word, k - 1])
        for k in range(reach - 2, -1, -1):
            arcs[word, k] = max(arcs[word, k], arcs[word, k + 1])


cdef inline double _best_heads(
    const float[:, ::1] best, const float[::1] roots, int reach, int first, int end
) noexcept nogil:
    """Compute the score of the best choice of heads in a span. best: see `_accumulate`."""
    cdef double total = 0
    cdef float score, gain, highest = -INFINITY
    cdef int word
    if end == first + 1:
        return roots[first]
    for word in range(first, end):
        score = max(
            best[word, reach - min(word - first, reach)],
            best[word, reach + min(end - 1 - word, reach)],
        )
        total += score
        gain = roots[word] - score
        highest = gain if gain > highest else highest
    return total + highest


def best_segmentation(log_odds, spans):
    """Find the segmentation with the highest score.

    Log-odds are clamped to plus or minus `SCORE_LIMIT`, and NaN counts as the lowest value.

    Args:
        log_odds: float64 [n_words], the log-odds of each word being the first of a sentence. That
            of the first word is ignored.
        spans: The spans, of which a sequence has to cover all words.

    Returns:
        bool [n_words], whether each word starts a sentence.

    Raises:
        ValueError: No sequence of spans covers the words.
    """
    cdef const double[::1] odds = _clamped(log_odds)
    cdef const long long[::1] first = spans.first
    cdef const long long[::1] end = spans.end
    cdef const double[::1] scores = spans.scores
    cdef int n = <int>odds.shape[0]
    cdef vector[double] inner, best
    cdef vector[long long] back
    cdef long long i, j, k
    cdef double score
    starts = np.zeros(n, dtype=np.uint8)
    cdef unsigned char[::1] chosen = starts
    # inner[k]: the log-probability that none of the words before k starts a sentence.
    inner.assign(n + 1, 0.0)
    best.assign(n + 1, -INFINITY)
    back.assign(n + 1, -1)
    best[0] = 0.0
    with nogil:
        for k in range(n):
            inner[k + 1] = inner[k] - _softplus(odds[k])
        for k in range(first.shape[0]):
            i, j = first[k], end[k]
            score = best[i] + scores[k] + inner[j] - inner[i + 1]
            if i > 0:
                score -= _softplus(-odds[i])
            if score > best[j]:
                best[j] = score
                back[j] = i
        j = n
        while j > 0 and back[j] >= 0:
            j = back[j]
            chosen[j] = True
    if j > 0:
        raise ValueError(f"no sequence of the {len(spans.first)} spans covers all {n} words")
    return starts.astype(bool)


cdef inline double _softplus(double x) noexcept nogil:
    """log(1 + e^x): minus the log-probability of what has the log-odds -x."""
    return x + log1p(exp(-x)) if x > 0 else log1p(exp(x))
