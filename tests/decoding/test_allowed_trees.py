"""Search among allowed trees, against enumeration."""

from functools import cache
from itertools import islice

import numpy as np
import pytest
from brute_force import all_trees, single_root
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_npparse.decoding import MHScores, decode_mh
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
    """All single-rooted trees of n words: [n_trees, n]."""
    return np.array([tree[1:] for tree in all_trees(n) if single_root(tree)], dtype=np.int32)


@cache
def trees_of_system(system, n):
    found = trees(n)
    lengths = np.full(len(found), n, dtype=np.int32)
    kernel = get_transition_system(system).kernel
    return found[derivable(kernel, lengths, found.ravel())]


@cache
def trees_of_class(covers, n):
    return np.array([tree for tree in trees(n) if covers((0, *tree.tolist()))]).reshape(-1, n)


def has_derivation_in_mh4(heads):
    """Whether exact search has the tree if all other arcs are much worse."""
    n = len(heads) - 1
    arcs = np.full((1, n + 2, n + 2), -100, dtype=np.float32)
    arcs[0, heads[1:], range(1, n + 1)] = 0
    found = decode_mh(MHScores.of_arcs(arcs), np.array([n], dtype=np.int32), 4)
    return found.scores[0] == 0


CLASSES = {
    spanning_trees: lambda n: trees(n),
    projective_trees: lambda n: trees_of_class(is_projective, n),
    mh4_trees: lambda n: trees_of_class(has_derivation_in_mh4, n),
    one_endpoint_crossing_trees: lambda n: trees_of_class(is_one_endpoint_crossing, n),
}


def is_subtree(tree, first, last):
    """By its descendants, not as the search decides it."""
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


def is_allowed(allowed, tree):
    arcs = all(allowed.arcs[d, h] for d, h in enumerate(tree.tolist(), 1))
    return arcs and all(is_subtree(tree, *span) for span in allowed.subtrees)


@st.composite
def constraints(draw, most=5):
    n = draw(st.integers(1, most))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    arcs = rng.random((n + 1, n + 1)) < draw(st.sampled_from([0.5, 0.8, 1.0]))
    spans = [tuple(sorted(rng.integers(1, n + 1, 2).tolist())) for _ in range(rng.integers(0, 3))]
    scores = rng.normal(size=(n + 1, n + 1))
    return AllowedTrees(arcs, tuple(spans)), scores


@pytest.mark.parametrize("search", CLASSES, ids=lambda search: search.__name__)
@settings(deadline=None, max_examples=60)
@given(constraints())
def test_trees_are_found_in_the_order_of_their_scores(search, drawn):
    allowed, scores = drawn
    n = len(scores) - 1
    expected = [tree for tree in CLASSES[search](n) if is_allowed(allowed, tree)]
    assert all(allowed.admits(tree) == is_allowed(allowed, tree) for tree in trees(n))
    found = list(islice(ranked_trees(allowed, search(scores)), 12))
    best = sorted((total(scores, tree) for tree in expected), reverse=True)
    assert [tree.score for tree in found] == pytest.approx(best[:12], abs=1e-4)
    assert len({tuple(tree.heads) for tree in found}) == len(found)
    for tree in found:
        assert is_allowed(allowed, tree.heads)
        assert tree.score == pytest.approx(total(scores, tree.heads), abs=1e-4)


@settings(deadline=None, max_examples=60)
@given(constraints())
def test_depth_first_search_finds_a_tree_if_there_are_some(drawn):
    allowed, scores = drawn
    found = best_allowed_tree(allowed, spanning_trees(scores), most_searches=-1)
    expected = [tree for tree in trees(len(scores) - 1) if is_allowed(allowed, tree)]
    assert (found is not None) == bool(expected)
    assert found is None or is_allowed(allowed, found.heads)


def test_too_many_subtrees_are_warned_of(caplog):
    # Words 2 and 3 prefer other heads than each other.
    scores = np.zeros((4, 4))
    scores[2, 1] = scores[3, 1] = scores[1, 0] = 5.0
    allowed = AllowedTrees(np.ones((4, 4), dtype=bool), ((2, 3),))
    found = best_allowed_tree(allowed, spanning_trees(scores), most_searches=-1)
    assert found is not None and allowed.admits(found.heads)
    [message] = caplog.messages
    assert "the best tree of a sentence of 3 words with 1 subtrees" in message


@pytest.mark.parametrize("name", SYSTEMS)
@settings(deadline=None, max_examples=60)
@given(constraints())
def test_trees_that_a_system_derives_are_found_if_there_are_some(name, drawn):
    allowed, scores = drawn
    expected = [t for t in trees_of_system(name, len(scores) - 1) if is_allowed(allowed, t)]
    kernel = get_transition_system(name).kernel
    found = list(islice(derivable_trees(kernel, allowed, scores), 5))
    assert bool(found) == bool(expected)
    for tree in found:
        assert any((tree.heads == other).all() for other in expected)
    best = sorted((total(scores, tree) for tree in expected), reverse=True)
    if kernel.projective or name in ("arc_hybrid_swap", "covington"):
        assert [tree.score for tree in found] == pytest.approx(best[:5], abs=1e-4)


@pytest.mark.parametrize("hostile", [np.nan, np.inf, -np.inf, 1e30, -1e30])
def test_forbidden_arcs_are_avoided_whatever_the_scores_are(hostile):
    allowed = AllowedTrees(np.array([[0] * 4, [1, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0]], bool))
    for word in range(1, 4):
        scores = np.zeros((4, 4))
        scores[word] = hostile
        found = best_allowed_tree(allowed, spanning_trees(scores))
        assert found is not None and found.heads[0] == 0 and allowed.admits(found.heads)
