"""Compare the search among allowed trees with enumeration."""

from functools import cache
from itertools import islice

import numpy as np
import pytest
from brute_force import all_trees, single_root
from hypothesis import given, settings
from hypothesis import strategies as st
from random_constraints import count_searches

from spacy_npparse.decoding import MHScores, decode_mh
from spacy_npparse.decoding.allowed_trees import by_arcs
from spacy_npparse.decoding.allowed_trees.by_arcs import (
    derivable_trees,
    mh4_trees,
    one_endpoint_crossing_trees,
    projective_trees,
    spanning_trees,
)
from spacy_npparse.decoding.allowed_trees.ranking import best_allowed_tree, ranked_trees
from spacy_npparse.decoding.allowed_trees.types import AllowedTrees
from spacy_npparse.systems import get_transition_system, transition_systems
from spacy_npparse.transitions.coverage import derivable
from spacy_npparse.trees import is_one_endpoint_crossing, is_projective

SYSTEMS = sorted(transition_systems.get_all())


@cache
def trees(n):
    """Return all single-rooted trees of n words: [n_trees, n]."""
    return np.array([tree[1:] for tree in all_trees(n) if single_root(tree)], dtype=np.int32)


@cache
def kernel_of(system):
    return get_transition_system(system).kernel


@cache
def is_of_system(system, n):
    found = trees(n)
    lengths = np.full(len(found), n, dtype=np.int32)
    return derivable(kernel_of(system), lengths, found.ravel())


@cache
def is_of_class(covers, n):
    return np.array([covers((0, *tree.tolist())) for tree in trees(n)])


def has_derivation_in_mh4(heads):
    """Return whether exact search finds the tree if all other arcs score much worse."""
    n = len(heads) - 1
    arcs = np.full((1, n + 2, n + 2), -100, dtype=np.float32)
    arcs[0, heads[1:], range(1, n + 1)] = 0
    found = decode_mh(MHScores.of_arcs(arcs), np.array([n], dtype=np.int32), 4)
    return found.scores[0] == 0


CLASSES = {
    spanning_trees: lambda heads: True,
    projective_trees: is_projective,
    mh4_trees: has_derivation_in_mh4,
    one_endpoint_crossing_trees: is_one_endpoint_crossing,
}


@cache
def has_subtree(n, first, last):
    return np.array([is_subtree(tree, first, last) for tree in trees(n)])


def is_subtree(tree, first, last):
    """Decide by the descendants of words, which the search does not do."""
    inside = set(range(first, last + 1))
    below = {word: {word} for word in inside}
    for _ in tree:
        for d, h in enumerate(tree.tolist(), 1):
            for words in below.values():
                if h in words:
                    words.add(d)
    return any(words == inside for words in below.values())


def total(scores, tree):
    return sum(float(scores[d, h]) for d, h in enumerate(tree.tolist(), 1))


def are_allowed(allowed):
    """Return whether each of the trees is allowed."""
    n = len(allowed.arcs) - 1
    arcs = allowed.arcs[np.arange(1, n + 1), trees(n)].all(axis=1)
    return np.logical_and.reduce([arcs, *(has_subtree(n, *span) for span in allowed.subtrees)])


@st.composite
def constraints(draw, most=5):
    n = draw(st.integers(1, most))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    arcs = rng.random((n + 1, n + 1)) < draw(st.sampled_from([0.5, 0.8, 1.0]))
    spans = [tuple(sorted(rng.integers(1, n + 1, 2).tolist())) for _ in range(rng.integers(0, 5))]
    scores = rng.normal(size=(n + 1, n + 1))
    # Words may prefer heads outside the subtrees, and rounding may make trees equally good.
    allowed = AllowedTrees(arcs, tuple(spans))
    scores += draw(st.sampled_from([0, 5])) * allowed.exits
    return allowed, draw(st.sampled_from([1, 30])) * scores.round(draw(st.sampled_from([0, 6])))


@pytest.mark.parametrize("search", CLASSES, ids=lambda search: search.__name__)
@settings(deadline=None, max_examples=600)
@given(constraints())
def test_trees_are_found_in_the_order_of_their_scores(search, drawn):
    allowed, scores = drawn
    n = len(scores) - 1
    are_expected = are_allowed(allowed)
    assert [*map(allowed.admits, trees(n))] == are_expected.tolist()
    expected = trees(n)[are_expected & is_of_class(CLASSES[search], n)]
    found = list(islice(ranked_trees(allowed, search(scores)), 12))
    best = sorted((total(scores, tree) for tree in expected), reverse=True)
    assert [tree.score for tree in found] == pytest.approx(best[:12], rel=1e-5, abs=1e-4)
    assert len({tuple(tree.heads) for tree in found}) == len(found)
    for tree in found:
        assert (tree.heads == expected).all(axis=1).any()
        assert tree.score == pytest.approx(total(scores, tree.heads), abs=1e-4)


@pytest.mark.parametrize("name", SYSTEMS)
@settings(deadline=None, max_examples=600)
@given(constraints())
def test_trees_that_a_system_derives_are_found_if_there_are_some(name, drawn):
    allowed, scores = drawn
    n, kernel = len(scores) - 1, kernel_of(name)
    expected = trees(n)[are_allowed(allowed) & is_of_system(name, n)]
    found = list(islice(derivable_trees(kernel, allowed, scores), 5))
    assert bool(found) == bool(len(expected))
    for tree in found:
        assert (tree.heads == expected).all(axis=1).any()
    best = sorted((total(scores, tree) for tree in expected), reverse=True)
    if kernel.projective or name in ("arc_hybrid_swap", "covington"):
        assert [tree.score for tree in found] == pytest.approx(best[:5], rel=1e-5, abs=1e-4)


class CountedSearch:
    def __init__(self, search):
        self.search = search
        self.n_calls = 0

    def __call__(self, costs, **options):
        self.n_calls += 1
        return self.search(costs, **options)


def many_subtrees(n_subtrees, *, can_be_met):
    """Return subtrees of three words each, whose words prefer heads outside. If the constraints
    cannot be met, two words of the last subtree can only have heads outside."""
    n = 3 * n_subtrees + 1
    arcs = np.ones((n + 1, n + 1), dtype=bool)
    spans = tuple((first, first + 2) for first in range(1, n, 3))
    allowed = AllowedTrees(arcs, spans)
    scores = np.random.default_rng(0).normal(size=arcs.shape) + 5 * allowed.exits
    if not can_be_met:
        arcs[[n - 3, n - 2], n - 3 : n] = False
    return AllowedTrees(arcs, spans), scores


@pytest.mark.parametrize("search", CLASSES, ids=lambda search: search.__name__)
@pytest.mark.parametrize("n_subtrees", [10, 13, 20])
def test_few_searches_tell_whether_subtrees_can_be_met(search, n_subtrees):
    for can_be_met, most in ((False, 2), (True, 4)):
        allowed, scores = many_subtrees(n_subtrees, can_be_met=can_be_met)
        counted = CountedSearch(search(scores))
        found = best_allowed_tree(allowed, counted)
        assert counted.n_calls <= most
        assert (found is not None) == can_be_met
        assert found is None or allowed.admits(found.heads)


@pytest.mark.parametrize("search", CLASSES, ids=lambda search: search.__name__)
def test_each_further_tree_takes_few_searches(search):
    allowed, scores = many_subtrees(10, can_be_met=True)
    counted = CountedSearch(search(scores))
    found = list(islice(ranked_trees(allowed, counted), 3))
    assert len({tuple(tree.heads) for tree in found}) == 3
    assert all(allowed.admits(tree.heads) for tree in found)
    assert counted.n_calls <= 4 + 2 * 4 * len(found[0].heads)


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("n_subtrees", [10, 13, 20])
def test_two_searches_tell_that_no_tree_is_allowed(name, n_subtrees, monkeypatch):
    calls = count_searches(monkeypatch)
    allowed, scores = many_subtrees(n_subtrees, can_be_met=False)
    assert next(derivable_trees(get_transition_system(name).kernel, allowed, scores), None) is None
    assert len(calls) <= 2


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("n_subtrees", [10, 20])
def test_trees_of_systems_are_searched_for_a_bounded_time(name, n_subtrees, monkeypatch):
    # Arcs from before the subtrees to behind them cross, in a way that most systems cannot derive.
    n = 2 * n_subtrees + 15
    arcs = np.ones((n + 1, n + 1), dtype=bool)
    for word, head in [(1, 10), (3, 12), (5, n - 3), (7, n), (9, n - 7)]:
        arcs[word] = False
        arcs[word, head] = True
    spans = tuple((first, first + 1) for first in range(13, n - 8, 2))
    allowed = AllowedTrees(arcs, spans)
    scores = np.random.default_rng(0).normal(size=arcs.shape)
    calls = count_searches(monkeypatch)
    system = get_transition_system(name).kernel
    found = next(derivable_trees(system, allowed, scores), None)
    assert len(calls) <= (4 if found else 20_000 + 100 * n)
    assert found is None or allowed.admits(found.heads)


@pytest.mark.parametrize("name", ["attardi", "two_planar", "mh4"])
def test_slow_searches_are_left_out_in_long_sentences(name, monkeypatch):
    def refuse(scores):
        raise AssertionError

    monkeypatch.setattr(by_arcs, "one_endpoint_crossing_trees", refuse)
    monkeypatch.setattr(by_arcs, "mh4_trees", refuse)
    monkeypatch.setattr(by_arcs, "N_TRIED_FIRST", 1)
    monkeypatch.setattr(by_arcs, "MOST_TRIED", 0)
    n = 201
    arcs = np.ones((n + 1, n + 1), dtype=bool)
    for word, head in [(1, 100), (30, 120), (50, n - 3), (70, n), (90, n - 7), (110, 20)]:
        arcs[word] = False
        arcs[word, head] = True
    allowed, scores = AllowedTrees(arcs), np.random.default_rng(0).normal(size=arcs.shape)
    system = get_transition_system(name).kernel
    assert next(derivable_trees(system, allowed, scores), None) is None


@pytest.mark.parametrize("hostile", [np.nan, np.inf, -np.inf, 1e30, -1e30])
def test_forbidden_arcs_are_avoided_whatever_the_scores_are(hostile):
    allowed = AllowedTrees(np.array([[0] * 4, [1, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0]], bool))
    for word in range(1, 4):
        scores = np.zeros((4, 4))
        scores[word] = hostile
        found = best_allowed_tree(allowed, spanning_trees(scores))
        assert found is not None and found.heads[0] == 0 and allowed.admits(found.heads)
