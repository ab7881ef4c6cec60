"""Compare exact search for one-endpoint-crossing trees with all such trees."""

import itertools
import random
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_npparse.decoding import (
    OneEndpointCrossingScores,
    decode_one_endpoint_crossing,
    improbable_arcs,
)
from spacy_npparse.trees import is_one_endpoint_crossing, is_tree


@cache
def all_trees(n):
    """Return all trees of n words, with any number of roots; heads[0] is 0."""
    candidates = ((0, *heads) for heads in itertools.product(range(n + 1), repeat=n))
    return [heads for heads in candidates if is_tree(heads, single_root=False)]


def random_scores(lengths, seed=0):
    rng = np.random.default_rng(seed)
    size = max(lengths, default=0) + 2
    shape = (len(lengths), size, size)
    scores = OneEndpointCrossingScores(
        *(rng.standard_normal(shape, dtype=np.float32) for _ in range(4))
    )
    # In some tests, crossed arcs score higher.
    scores.crossed[...] += rng.choice([0.0, 1.0])
    return scores


def decode(scores, lengths, single=True, pruned=None):
    return decode_one_endpoint_crossing(scores, np.array(lengths, dtype=np.int32), single, pruned)


def cross(first, second):
    (a, b), (c, d) = sorted(first), sorted(second)
    return a < c < b < d or c < a < d < b


def crossing_structures(arcs):
    """Return the sets of at least two arcs that crossings connect."""
    structures = []
    for arc in arcs:
        connected = [s for s in structures if any(cross(arc, other) for other in s)]
        structures = [s for s in structures if s not in connected]
        structures.append({arc}.union(*connected))
    return [s for s in structures if len(s) > 1]


def parts(heads):
    """Return the parts of a tree that have scores, by their definition: for each word, whether its
    arc is crossed, its grandparent, and its sibling."""
    arcs = [(heads[m], m) for m in range(1, len(heads))]
    structures = crossing_structures(arcs)
    crossed = {arc for structure in structures for arc in structure}

    def comes_between(structure, g, h, m):
        words = {word for arc in structure for word in arc}

        def spans(*arc):
            inside = min(words) <= min(arc) and max(arc) <= max(words)
            return inside and {min(words), max(words)} != set(arc)

        if (g < h) == (m < h):
            return h in words and spans(h, m) and not spans(g, h)
        return h in words and (spans(h, m) or spans(g, h))

    found = []
    for h, m in arcs:
        if (h, m) in crossed:
            found.append((True, -1, -1))
            continue
        siblings = [d for head, d in arcs if head == h and min(h, m) < d < max(h, m)]
        sibling = max(siblings, default=0) if h < m else min(siblings, default=0)
        if (h, sibling) in crossed:
            sibling = -1
        g = heads[h] if h else -1
        if (g, h) in crossed or any(comes_between(s, g, h, m) for s in structures):
            g = -1
        found.append((False, g, sibling))
    return found


def score(scores, heads, words):
    """Return the score of a tree of the first sentence. words: the result of `parts`."""
    total = 0.0
    for m, (crossed, g, s) in enumerate(words, start=1):
        total += (scores.crossed if crossed else scores.heads)[0, heads[m], m]
        total += scores.grandparents[0, g, m] if g >= 0 else 0.0
        total += scores.siblings[0, s, m] if s >= 0 else 0.0
    return total


def found_trees(found, lengths):
    """Yield the heads, the parts and the score of each tree."""
    first = 0
    for n, total in zip(lengths, found.scores, strict=True):
        words = slice(first, first + n)
        heads = (0, *found.heads[words].tolist())
        columns = (found.crossed, found.grandparents, found.siblings)
        yield heads, list(zip(*(c[words].tolist() for c in columns), strict=True)), total
        first += n


@cache
def covered_trees(n, single):
    trees = [heads for heads in all_trees(n) if is_one_endpoint_crossing(heads)]
    return [(heads, parts(heads)) for heads in trees if not single or heads[1:].count(0) == 1]


@pytest.mark.parametrize("single", [True, False])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_the_best_of_all_trees_is_found(n, single):
    for seed in range(10 if n < 5 else 5):
        scores = random_scores([n], seed)
        expected = max(score(scores, *tree) for tree in covered_trees(n, single))
        found = decode(scores, [n], single)
        ((heads, words, total),) = found_trees(found, [n])
        assert total == pytest.approx(expected, abs=1e-4)
        assert words == parts(heads)
        assert score(scores, heads, words) == pytest.approx(expected, abs=1e-4)


def gold_only(heads):
    """Return scores of 0 for gold arcs, and of -100 for others."""
    n = len(heads) - 1
    arcs = np.full((1, n + 1, n + 1), -100, dtype=np.float32)
    arcs[0, heads[1:], range(1, n + 1)] = 0
    nothing = np.zeros_like(arcs)
    return OneEndpointCrossingScores(
        grandparents=nothing, heads=arcs, siblings=nothing, crossed=arcs
    )


@pytest.mark.parametrize("n, n_covered", [(1, 1), (2, 3), (3, 16), (4, 125), (5, 1104)])
def test_coverage(n, n_covered):
    """The search covers all one-endpoint-crossing trees, and no others."""
    covered = 0
    for heads in all_trees(n):
        ((best, words, total),) = found_trees(decode(gold_only(heads), [n], False), [n])
        assert (total == 0) == is_one_endpoint_crossing(heads)
        if total == 0:
            assert best == heads and words == parts(heads)
            covered += 1
    assert covered == n_covered


def random_covered_trees(n, n_trees):
    """Yield trees on a random walk through the covered trees, which changes one arc at a time."""
    rng = random.Random(n)
    heads = [0, *range(n)]
    for step in range((15 + n_trees) * n):
        changed = heads.copy()
        changed[rng.randint(1, n)] = rng.randint(0, n)
        if is_tree(changed, single_root=False) and is_one_endpoint_crossing(changed):
            heads = changed
        if step >= 15 * n and step % n == 0:
            yield tuple(heads)


@pytest.mark.parametrize("n", [6, 9, 14, 25])
def test_trees_of_many_words_are_covered(n):
    for gold in random_covered_trees(n, 100):
        ((heads, words, total),) = found_trees(decode(gold_only(gold), [n], False), [n])
        assert (heads, words, total) == (gold, parts(gold), 0)


@pytest.mark.parametrize("n", [6, 10, 20])
def test_no_other_tree_scores_better(n):
    known = [(heads, parts(heads)) for heads in random_covered_trees(n, 100)]
    for seed in range(5):
        scores = random_scores([n], seed)
        best = max(score(scores, *tree) for tree in known)
        assert decode(scores, [n], False).scores[0] > best - 1e-4


@settings(deadline=None, max_examples=30)
@given(st.lists(st.integers(0, 60), min_size=1, max_size=3), st.integers(0, 2**32))
def test_trees_of_any_length(lengths, seed):
    scores = random_scores(lengths, seed)
    found = decode(scores, lengths)
    for sentence, (heads, words, total) in enumerate(found_trees(found, lengths)):
        assert len(heads) == 1 or is_tree(heads)
        assert is_one_endpoint_crossing(heads)
        assert words == parts(heads)
        alone = OneEndpointCrossingScores(*(part[sentence : sentence + 1] for part in scores))
        assert score(alone, heads, words) == pytest.approx(total, abs=1e-3)


def test_roots_are_single_however_tempting():
    lengths = [2, 7, 30]
    scores = random_scores(lengths)
    scores.heads[:, 0] += 1e4
    scores.crossed[:, 0] += 1e4
    for heads, _, _ in found_trees(decode(scores, lengths), lengths):
        assert heads[1:].count(0) == 1


def test_wrong_shapes_are_named():
    scores = random_scores([3])
    with pytest.raises(ValueError, match="scores of 5 nodes do not fit sentences of 5 to 5 words"):
        decode(scores, [5])
    narrow = scores._replace(siblings=np.ascontiguousarray(scores.siblings[:, :4]))
    with pytest.raises(ValueError, match=r"siblings scores have the shape \[1, 4, 5\], but should"):
        decode(narrow, [3])


@pytest.mark.parametrize("single", [True, False])
@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_the_best_tree_without_pruned_arcs_is_found(n, single):
    rng = np.random.default_rng(n)
    n_refused = 0
    for seed in range(20 if n < 5 else 8):
        scores = random_scores([n], seed)
        pruned = rng.random(scores.heads.shape) < rng.choice([0.2, 0.5, 0.7])
        left = [
            tree
            for tree in covered_trees(n, single)
            if not pruned[0, tree[0][1:], range(1, n + 1)].any()
        ]
        if not left:
            n_refused += 1
            with pytest.raises(ValueError, match="sentence 0 has no tree without pruned arcs"):
                decode(scores, [n], single, pruned)
            continue
        expected = max(score(scores, *tree) for tree in left)
        ((heads, words, total),) = found_trees(decode(scores, [n], single, pruned), [n])
        assert total == pytest.approx(expected, abs=1e-4)
        assert (heads, words) in left
    assert 0 < n_refused < 20


@settings(deadline=None, max_examples=30)
@given(
    st.lists(st.integers(1, 60), min_size=1, max_size=3),
    st.sampled_from([1e-3, 0.1, 0.5, 1.0]),
    st.booleans(),
    st.integers(0, 2**32),
)
def test_pruning_is_as_good_as_forbidding(lengths, ratio, local, seed):
    """The sentences have any length, and their best arcs are short or have any length."""
    scores = random_scores(lengths, seed)
    nodes = np.arange(scores.heads.shape[1])
    distances = np.abs(nodes[:, None] - nodes) if local else 0
    pruned = improbable_arcs(
        np.ascontiguousarray((3 * scores.heads - distances).swapaxes(1, 2)),
        np.array(lengths, dtype=np.int32),
        ratio,
    )
    forbidden = scores._replace(
        heads=scores.heads - np.float32(1e4) * pruned,
        crossed=scores.crossed - np.float32(1e4) * pruned,
    )
    found, expected = decode(scores, lengths, True, pruned), decode(forbidden, lengths)
    assert found.heads.tolist() == expected.heads.tolist()
    assert found.scores == pytest.approx(expected.scores, abs=0.01 * sum(lengths))


@given(st.data(), st.sampled_from([1e-30, 0.01, 1.0]))
def test_improbable_arcs(data, ratio):
    """Under any scores, probable arcs and at least one tree are left."""
    lengths = data.draw(st.lists(st.integers(1, 6), min_size=1, max_size=3))
    size = max(lengths) + 1
    values = st.floats(-50, 0) | st.sampled_from([np.nan, np.inf, -np.inf])
    numbers = data.draw(st.lists(values, min_size=size * size, max_size=size * size))
    arcs = np.array([numbers] * len(lengths), dtype=np.float32).reshape(-1, size, size)
    improbable = improbable_arcs(arcs, np.array(lengths, dtype=np.int32), ratio)
    decode(random_scores(lengths), lengths, True, np.pad(improbable, ((0, 0), (0, 1), (0, 1))))
    for sentence, n in enumerate(lengths):
        for m in range(1, n + 1):
            of_word = arcs[sentence, m, : n + 1]
            if np.isfinite(of_word).all():
                probable = of_word >= of_word.max() + np.log(ratio) + 1e-3
                assert not improbable[sentence, : n + 1, m][probable].any()


def test_pruned_arcs_of_a_wrong_shape_are_named():
    with pytest.raises(ValueError, match=r"pruned arcs have the shape \[1, 3, 3\], but should"):
        decode(random_scores([3]), [3], True, np.zeros((1, 3, 3), dtype=bool))
