"""Compare the search for sentences with all segmentations."""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_npparse.decoding import IMPOSSIBLE, Spans, best_segmentation, score_spans


def band(arcs, reach):
    """Lay out scores of arcs by dependent and head as the kernel takes them."""
    n = len(arcs)
    rows = np.full((n, 2 * reach + 1), IMPOSSIBLE, dtype=np.float32)
    for word, head in product(range(n), repeat=2):
        if word != head and abs(word - head) <= reach:
            rows[word, reach + head - word] = arcs[word, head]
    return rows


def best_heads(arcs, roots, first, end):
    """Return the highest score of heads with one root, after trying each root."""
    words = range(first, end)
    return max(
        roots[root] + sum(max(arcs[d, h] for h in words if h != d) for d in words if d != root)
        for root in words
    )


def log_probability(log_odds):
    return -np.logaddexp(0.0, -log_odds)


def score(starts, log_odds, arcs, roots):
    bounds = [*np.flatnonzero(starts).tolist(), len(starts)]
    total = sum(best_heads(arcs, roots, first, end) for first, end in pairwise(bounds))
    signs = np.where(starts, 1.0, -1.0)
    return total + log_probability(signs * log_odds)[1:].sum()


@settings(max_examples=60, deadline=None)
@given(n=st.integers(1, 12), seed=st.integers(0, 10**6), scale=st.sampled_from([0.3, 2.0]))
def test_no_segmentation_scores_better(n, seed, scale):
    rng = np.random.default_rng(seed)
    arcs, roots = rng.normal(size=(n, n)) * 2, rng.normal(size=n) * 2
    log_odds = rng.normal(size=n) * scale
    candidates = np.append(rng.random(n) < 0.7, True)
    certain = np.append(rng.random(n) < 0.1, True)
    candidates[0] = certain[0] = True
    candidates |= certain
    spans = score_spans(band(arcs, n), roots.astype(np.float32), candidates, certain, n)
    found = best_segmentation(log_odds, spans)
    allowed = [
        np.array(starts)
        for starts in product((False, True), repeat=n)
        if not (starts & ~candidates[:n]).any() and not (~np.array(starts) & certain[:n]).any()
    ]
    best = max(score(starts, log_odds, arcs, roots) for starts in allowed)
    assert any((found == starts).all() for starts in allowed)
    assert score(found, log_odds, arcs, roots) == pytest.approx(best, abs=1e-4)


def test_sentences_are_not_too_long_where_they_may_be_cut():
    n, cap = 60, 7
    rng = np.random.default_rng(0)
    candidates = np.append(rng.random(n) < 0.4, True)
    candidates[[0, 30]] = True
    candidates[31:45] = False
    certain = np.zeros(n + 1, dtype=bool)
    certain[[0, n]] = True
    arcs = band(rng.normal(size=(n, n)), n)
    spans = score_spans(arcs, np.zeros(n, dtype=np.float32), candidates, certain, cap)
    # No word is likely to start a sentence.
    found = best_segmentation(np.full(n, -20.0), spans)
    assert not (found & ~candidates[:n]).any()
    for first, end in pairwise([*np.flatnonzero(found).tolist(), n]):
        assert end - first <= cap or not candidates[first + 1 : end].any()


def test_distant_arcs_do_not_count():
    n, reach = 9, 2
    arcs = np.full((n, n), -3.0)
    arcs[0, 8] = 0.0
    ends = np.zeros(n + 1, dtype=bool)
    ends[[0, n]] = True
    roots = np.full(n, -3.0, dtype=np.float32)
    near = score_spans(band(arcs, reach), roots, ends, ends, n)
    far = score_spans(band(arcs, n), roots, ends, ends, n)
    assert near.scores.tolist() == [-27.0] and far.scores.tolist() == [-24.0]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e38])
def test_any_scores_are_searched(value):
    n = 12
    rng = np.random.default_rng(0)
    arcs = np.where(rng.random((n, n)) < 0.5, value, 0.0)
    roots = np.where(rng.random(n) < 0.5, value, 0.0).astype(np.float32)
    ends = np.ones(n + 1, dtype=bool)
    certain = np.zeros(n + 1, dtype=bool)
    spans = score_spans(band(arcs, n), roots, ends, certain, n)
    assert np.isfinite(spans.scores).all()
    assert best_segmentation(np.zeros(n), spans)[0]


def test_no_words():
    ends = np.ones(1, dtype=bool)
    nothing = np.zeros(0)
    spans = score_spans(np.zeros((0, 5), "f"), nothing.astype("f"), ends, ends, 10)
    assert len(spans.scores) == 0 == len(best_segmentation(nothing, spans))


def test_what_does_not_fit_is_refused():
    flags = np.ones(4, dtype=bool)
    with pytest.raises(ValueError, match=r"arcs \[3, 4\] do not fit 3 roots"):
        score_spans(np.zeros((3, 4), "f"), np.zeros(3, "f"), flags, flags, 10)
    spans = Spans(np.array([0]), np.array([2]), np.array([0.0]))
    with pytest.raises(ValueError, match="covers all 3 words"):
        best_segmentation(np.zeros(3), spans)
