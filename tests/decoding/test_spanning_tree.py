"""Compare maximum spanning trees with all trees, and with a simple search."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_npparse.decoding import IMPOSSIBLE, decode_spanning_trees
from spacy_npparse.trees import is_tree


def all_single_rooted_trees(n):
    grid = np.indices([n + 1] * n).reshape(n, -1).T
    grid = grid[(grid == 0).sum(axis=1) == 1]
    return [heads for heads in grid.tolist() if is_tree([-1, *heads])]


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6])
def test_no_tree_scores_better(n):
    rng = np.random.default_rng(n)
    trees = np.array(all_single_rooted_trees(n))
    arcs = rng.standard_normal((50, n + 3, n + 3)).astype(np.float32)
    # In every other sentence, arcs from the root score higher.
    arcs[::2, :, 0] += 3.0
    found = decode_spanning_trees(arcs, np.full(50, n, dtype=np.int32)).reshape(50, n)
    words = np.arange(1, n + 1)
    for scores, heads in zip(arcs, found, strict=True):
        totals = scores[words, trees].sum(axis=1)
        assert (heads == trees[totals.argmax()]).all()


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_no_tree_scores_better_than_others_with_the_same_score(n):
    trees = np.array(all_single_rooted_trees(n))
    arcs = np.random.default_rng(n).integers(0, 3, (200, n + 1, n + 1)).astype(np.float32)
    found = decode_spanning_trees(arcs, np.full(200, n, dtype=np.int32)).reshape(200, n)
    words = np.arange(1, n + 1)
    for scores, heads in zip(arcs, found, strict=True):
        assert scores[words, heads].sum() == scores[words, trees].sum(axis=1).max()


def best_heads(scores):
    """Return the highest-scoring tree with the root 0, by the recursion of Edmonds (1967). scores:
    of the arcs to each node, [n, n]."""
    n = len(scores)
    scores = scores.copy()
    np.fill_diagonal(scores, -np.inf)
    heads = scores.argmax(axis=1)
    heads[0] = 0
    for start in range(1, n):
        cycle = [start]
        while heads[cycle[-1]] not in (0, *cycle):
            cycle.append(heads[cycle[-1]])
        if heads[cycle[-1]] == 0:
            continue
        cycle = cycle[cycle.index(heads[cycle[-1]]) :]
        others = [node for node in range(n) if node not in cycle]
        gains = scores[cycle] - scores[cycle, heads[cycle]][:, None]
        contracted = np.full((len(others) + 1, len(others) + 1), -np.inf)
        contracted[:-1, :-1] = scores[np.ix_(others, others)]
        contracted[:-1, -1] = scores[np.ix_(others, cycle)].max(axis=1)
        contracted[-1, :-1] = gains[:, others].max(axis=0)
        found = best_heads(contracted)
        for node, head in zip(others, found, strict=False):
            inside = cycle[scores[node, cycle].argmax()]
            heads[node] = others[head] if head < len(others) else inside
        outside = others[found[-1]]
        heads[cycle[gains[:, outside].argmax()]] = outside
        break
    return heads


def best_single_rooted_heads(scores):
    """Return the highest-scoring tree with a single root, after trying all words as roots."""
    n = len(scores) - 1
    best, best_total = None, -np.inf
    for root in range(1, n + 1):
        allowed = scores.copy()
        allowed[:, 0] = -np.inf
        allowed[root] = -np.inf
        allowed[root, 0] = scores[root, 0]
        heads = best_heads(allowed)
        total = scores[np.arange(1, n + 1), heads[1:]].sum()
        if total > best_total:
            best, best_total = heads, total
    return best, best_total


@settings(max_examples=60, deadline=None)
@given(
    n=st.integers(1, 16),
    kind=st.sampled_from(["normal", "integers", "ties", "roots", "chains"]),
    dtype=st.sampled_from([np.float32, np.float64]),
    seed=st.integers(0, 2**32),
)
def test_the_best_of_trees_with_many_words_is_found(n, kind, dtype, seed):
    rng = np.random.default_rng(seed)
    scores = rng.standard_normal((n + 1, n + 1))
    if kind == "integers":
        scores = rng.integers(-20, 20, scores.shape).astype(float)
    elif kind == "ties":
        scores = rng.integers(0, 2, scores.shape).astype(float)
    elif kind == "roots":
        scores[:, 0] += 1000
    elif kind == "chains":
        # These scores make cycles of cycles, and long paths before a cycle closes.
        order = rng.permutation(n) + 1
        scores[order, np.roll(order, 1)] += 4
    scores = scores.astype(dtype)
    heads = decode_spanning_trees(scores[None], np.array([n], dtype=np.int32))
    words = np.arange(1, n + 1)
    _, expected = best_single_rooted_heads(scores.astype(np.float64))
    assert is_tree([-1, *heads.tolist()])
    assert scores.astype(np.float64)[words, heads].sum() == pytest.approx(expected, abs=1e-4)


def test_impossible_arcs_are_avoided():
    arcs = np.full((1, 5, 5), IMPOSSIBLE, dtype=np.float32)
    tree = [2, 0, 4, 2]
    arcs[0, np.arange(1, 5), tree] = -100.0
    assert decode_spanning_trees(arcs, np.array([4], dtype=np.int32)).tolist() == tree


def test_wrong_shapes_are_named():
    arcs = np.zeros((2, 4, 4), dtype=np.float32)
    with pytest.raises(ValueError, match="negative"):
        decode_spanning_trees(arcs, np.array([3, -1], dtype=np.int32))
    for shape, lengths in [((2, 4, 4), [4, 1]), ((2, 4, 4), [3]), ((1, 3, 4), [2]), ((4, 4), [3])]:
        with pytest.raises(ValueError, match=r"arc scores \[.*\] do not fit"):
            decode_spanning_trees(np.resize(arcs, shape), np.array(lengths, dtype=np.int32))


@settings(max_examples=50, deadline=None)
@given(
    lengths=st.lists(st.integers(0, 60), max_size=5),
    scale=st.sampled_from([0.0, 1.0, 1e8, 1e30, np.inf, np.nan]),
    seed=st.integers(0, 99),
)
def test_trees_whatever_the_scores(lengths, scale, seed):
    size = max(lengths, default=0) + 1
    rng = np.random.default_rng(seed)
    with np.errstate(invalid="ignore"):
        arcs = (rng.standard_normal((len(lengths), size, size)) * scale).astype(np.float32)
    heads = decode_spanning_trees(arcs, np.array(lengths, dtype=np.int32))
    assert heads.dtype == np.int32 and len(heads) == sum(lengths)
    for tree in np.split(heads, np.cumsum(lengths)[:-1]) if lengths else []:
        assert is_tree([-1, *tree.tolist()]) or len(tree) == 0
