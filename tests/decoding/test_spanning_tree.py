"""Maximum spanning trees against all trees."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_npparse.decoding import decode_spanning_trees
from spacy_npparse.trees import is_tree


def all_single_rooted_trees(n):
    grid = np.indices([n + 1] * n).reshape(n, -1).T
    return [heads for heads in grid.tolist() if heads.count(0) == 1 and is_tree([-1, *heads])]


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_no_tree_scores_better(n):
    rng = np.random.default_rng(n)
    trees = np.array(all_single_rooted_trees(n))
    arcs = rng.standard_normal((50, n + 3, n + 3)).astype(np.float32)
    # Roots are tempting.
    arcs[::2, :, 0] += 3.0
    found = decode_spanning_trees(arcs, np.full(50, n, dtype=np.int32)).reshape(50, n)
    words = np.arange(1, n + 1)
    for scores, heads in zip(arcs, found, strict=True):
        totals = scores[words, trees].sum(axis=1)
        assert (heads == trees[totals.argmax()]).all()


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
