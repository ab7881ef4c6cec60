"""Compare marginal probabilities of arcs with sums over all trees."""

import numpy as np
import pytest
from brute_force import all_trees, single_root
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_npparse.decoding import IMPOSSIBLE, decode_spanning_trees, spanning_tree_marginals

rng = np.random.default_rng(0)


def marginals(arcs, lengths):
    return spanning_tree_marginals(np.asarray(arcs), np.array(lengths, dtype=np.int32))


def enumerated(arcs, n):
    """Return the sums of probabilities over all trees with a single root, at [d, h]."""
    trees = np.array([tree for tree in all_trees(n) if single_root(tree)])
    words = np.arange(1, n + 1)
    scores = arcs[words, trees[:, 1:]].sum(axis=1)
    shares = np.exp(scores - np.logaddexp.reduce(scores))
    expected = np.zeros((n + 1, n + 1))
    for tree, share in zip(trees, shares, strict=True):
        expected[words, tree[1:]] += share
    return expected


@pytest.mark.parametrize("scale", [0.1, 1.0, 10.0, 100.0])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_marginals_are_sums_over_all_trees(n, scale):
    """With large scores, words are likely to be each other's heads. No tree has such a cycle, which
    makes the matrix of the matrix-tree theorem nearly singular."""
    for _ in range(20 if n < 5 else 5):
        arcs = rng.normal(size=(n + 1, n + 1)) * scale
        found = marginals(arcs[None], [n])[0]
        assert found[:, 0:] == pytest.approx(enumerated(arcs, n), abs=1e-6)


def test_cycles_that_score_far_above_all_trees():
    """Both arcs between words 1 and 2 score 90 more, and so do the arcs between 3 and 4."""
    arcs = rng.normal(size=(5, 5))
    for a, b in ((1, 2), (2, 1), (3, 4), (4, 3)):
        arcs[a, b] += 90.0
    assert marginals(arcs[None], [4])[0] == pytest.approx(enumerated(arcs, 4), abs=1e-6)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.integers(0, 30), min_size=1, max_size=4),
    st.integers(0, 2**32),
    st.sampled_from([0, 1, 30, 1000, 1e7]),
)
def test_every_word_has_one_head_and_the_root_one_dependent(lengths, seed, scale):
    size = max(lengths) + 1
    arcs = np.random.default_rng(seed).normal(size=(len(lengths), size, size)) * scale
    for n, found in zip(lengths, marginals(arcs, lengths), strict=True):
        assert found.min() >= 0.0 and found.max() <= 1.0
        assert found[1 : n + 1].sum(axis=1) == pytest.approx(1.0, abs=1e-5)
        assert found.sum() == pytest.approx(n, abs=1e-4)
        assert found[:, 0].sum() == pytest.approx(min(n, 1), abs=1e-5)
        assert not found.diagonal().any()


@settings(deadline=None, max_examples=30)
@given(st.integers(1, 40), st.integers(0, 2**32))
def test_the_best_tree_is_certain_if_it_is_far_better(n, seed):
    arcs = np.random.default_rng(seed).normal(size=(1, n + 1, n + 1)) * 2000.0
    lengths = np.array([n], dtype=np.int32)
    heads = decode_spanning_trees(arcs, lengths)
    # Each arc of the tree becomes the best arc to its word by far.
    arcs[0, range(1, n + 1), heads] += 30000.0
    assert marginals(arcs, [n])[0, range(1, n + 1), heads] == pytest.approx(1.0, abs=1e-5)


def test_marginals_are_derivatives_of_the_log_of_the_sum():
    """The trees are too many to enumerate, but the determinant is accurate for small scores."""
    n, step = 12, 1e-4
    arcs = rng.normal(size=(n + 1, n + 1))
    found = marginals(arcs[None], [n])[0]
    for word, head in [(1, 0), (2, 1), (7, 12), (12, 0), (5, 9), (9, 5)]:
        logs = []
        for change in (-step, step):
            weights = np.exp(
                arcs + change * (np.indices(arcs.shape) == [[[word]], [[head]]]).all(0)
            )
            np.fill_diagonal(weights, 0.0)
            laplacian = np.diag(weights[1:, 1:].sum(axis=1)) - weights[1:, 1:]
            laplacian[:, 0] = weights[1:, 0]
            logs.append(np.linalg.slogdet(laplacian)[1])
        assert found[word, head] == pytest.approx((logs[1] - logs[0]) / (2 * step), abs=1e-6)


def test_sentences_of_a_batch_know_nothing_of_each_other():
    lengths = [5, 20, 0, 12, 1]
    arcs = rng.normal(size=(5, 22, 22)).astype(np.float32) * 5
    together = marginals(arcs, lengths)
    for sentence, n in enumerate(lengths):
        alone = marginals(arcs[sentence : sentence + 1, : n + 1, : n + 1], [n])[0]
        assert together[sentence, : n + 1, : n + 1] == pytest.approx(alone, abs=1e-6)
        assert together[sentence].sum() == pytest.approx(n, abs=1e-4)


def test_hostile_scores_count_as_the_least():
    arcs = rng.normal(size=(1, 5, 5))
    arcs[0, 2, :] = [np.nan, IMPOSSIBLE, 0.0, -np.inf, 1.0]
    found = marginals(arcs, [4])[0]
    assert found[2] == pytest.approx([0, 0, 0, 0, 1], abs=1e-6)
    assert np.isfinite(found).all()
    nothing = marginals(np.full((1, 4, 4), np.nan), [3])[0]
    assert nothing == pytest.approx(enumerated(np.zeros((4, 4)), 3), abs=1e-6)


def test_shapes_are_checked():
    with pytest.raises(ValueError, match="do not fit 1 sentences of up to 4 words"):
        marginals(np.zeros((1, 4, 4)), [4])
