"""Pseudo-projective encodings, which make trees projective, and decoding, which restores most."""

import random
from itertools import product
from typing import get_args

import pytest
from brute_force import all_trees, random_tree
from hypothesis import given
from hypothesis import strategies as st

from spacy_npparse.parsing.settings import Encoding
from spacy_npparse.trees import is_projective, is_tree, nonprojective_arcs
from spacy_npparse.trees.pseudo_projective import (
    NO_LABEL,
    Decorated,
    decode,
    encode,
    lift,
)

# 4 -> 1 crosses the arc from the root to 2.
TREE = [-1, 4, 0, 2, 2]
LABELS = [-1, 7, 8, 9, 5]


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_lifted_trees_are_projective_and_keep_what_is(n):
    for heads in all_trees(n):
        lifted, passed = lift(heads)
        assert is_tree(lifted, single_root=False) and is_projective(lifted)
        if is_projective(heads):
            assert lifted == list(heads) and not passed


def test_lifting_takes_the_shortest_arc_first():
    # Both 4 -> 1 and 5 -> 3 cross another arc; 5 -> 3 is the shorter one.
    heads = [-1, 4, 0, 5, 2, 2]
    assert [d for d, found in enumerate(nonprojective_arcs(heads)) if found] == [1, 3]
    assert lift(heads) == ([-1, 2, 0, 2, 2, 2], {5, 4})
    # 1 -> 3 is lifted before 4 -> 1. If 1 were lifted to 2 first, 3 would also be lifted to 2.
    assert lift([-1, 4, 0, 1, 2]) == ([-1, 2, 0, 4, 2], {1, 4})


@pytest.mark.parametrize(
    ("encoding", "of_lifted", "of_passed"),
    [
        ("head", Decorated(7, lifted=True, head_label=5), Decorated(5)),
        ("path", Decorated(7, lifted=True), Decorated(5, passed=True)),
        ("head+path", Decorated(7, lifted=True, head_label=5), Decorated(5, passed=True)),
    ],
)
def test_labels_tell_what_was_lifted(encoding, of_lifted, of_passed):
    heads, labels = encode(TREE, LABELS, encoding)
    assert heads == [-1, 2, 0, 2, 2]
    assert labels[1:] == [of_lifted, Decorated(8), Decorated(9), of_passed]
    assert decode(heads, labels) == TREE


def test_the_first_word_with_the_label_of_the_head_is_taken():
    heads, labels = encode(TREE, [-1, 7, 8, 5, 5], "head")
    assert decode(heads, labels) == [-1, 3, 0, 2, 2]
    heads, labels = encode(TREE, [-1, 7, 8, 5, 5], "head+path")
    assert decode(heads, labels) == TREE


@pytest.mark.parametrize("encoding", get_args(Encoding))
def test_one_lifted_arc_comes_back(encoding):
    """Each word has a different label. If several arcs are lifted, some may not be restored."""
    for n in range(1, 6):
        for heads in all_trees(n):
            lifted, labels = encode(heads, range(-1, n), encoding)
            restored = decode(lifted, labels)
            assert is_tree(restored, single_root=False)
            if sum(label.lifted for label in labels) == 1:
                assert restored == list(heads)


@pytest.mark.parametrize("encoding", get_args(Encoding))
def test_words_come_back_from_the_root_downwards(encoding):
    """First, 4 returns to 1. Then 2, which was lifted to 1, finds its head 4 below 1."""
    heads, labels = encode([-1, 3, 4, 0, 1], [-1, 2, 2, 1, 2], encoding)
    assert heads == [-1, 3, 1, 0, 3]
    assert decode(heads, labels) == [-1, 3, 4, 0, 1]


@pytest.mark.parametrize("encoding", get_args(Encoding))
def test_missing_labels_have_no_notes(encoding):
    heads, labels = encode(TREE, [-1, -1, 8, 9, -1], encoding)
    assert labels[1] == Decorated(NO_LABEL) and labels[4] == Decorated(NO_LABEL)
    assert decode(heads, labels) == heads == [-1, 2, 0, 2, 2]


@given(st.integers(1, 12), st.randoms(use_true_random=False), st.data())
def test_any_labels_lead_to_a_tree(n, rng, data):
    """Predicted labels may be inconsistent."""
    heads = random_tree(n, rng)
    noted = st.builds(
        Decorated, st.integers(0, 2), st.booleans(), st.integers(NO_LABEL, 2), st.booleans()
    )
    labels = [Decorated(NO_LABEL), *data.draw(st.lists(noted, min_size=n, max_size=n))]
    restored = decode(heads, labels)
    assert is_tree(restored, single_root=False)
    assert heads.count(0) != 2 or is_tree(restored)  # heads[0] is 0 too
    assert all(labels[d].lifted or restored[d] == heads[d] for d in range(1, n + 1))


def test_labels_without_notes_change_nothing():
    rng = random.Random(3)
    for n, _ in product((5, 20), range(20)):
        heads = list(random_tree(n, rng))
        assert decode(heads, [Decorated(0, passed=True)] * (n + 1)) == heads
