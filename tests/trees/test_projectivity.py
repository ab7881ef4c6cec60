"""Projectivity and projective orders of trees."""

import random

import pytest
from brute_force import all_trees, single_root
from hypothesis import given
from hypothesis import strategies as st

from spacy_npparse.trees import (
    complete_heads,
    is_projective,
    is_tree,
    mpc,
    nonprojective_arcs,
    projective_order,
)

# "A hearing is scheduled on the issue today ." (Nivre 2009)
HEARING = (0, 2, 4, 4, 0, 2, 7, 5, 4, 4)


def random_tree(n: int, seed: int) -> list[int]:
    rng = random.Random(seed)
    words = list(range(1, n + 1))
    rng.shuffle(words)
    heads = [0] * (n + 1)
    for i, word in enumerate(words):
        heads[word] = rng.choice(words[:i]) if i else 0
    return heads


trees = st.builds(random_tree, st.integers(1, 200), st.integers(0, 2**32))


@pytest.mark.parametrize(
    ("n", "counts"),
    [(2, (3, 3, 2, 2)), (3, (16, 12, 9, 7)), (4, (125, 55, 64, 30)), (5, (1296, 273, 625, 143))],
)
def test_numbers_of_trees(n, counts):
    every = all_trees(n)
    projective = [heads for heads in every if is_projective(heads)]
    assert counts == (
        len(every),
        len(projective),
        sum(map(single_root, every)),
        sum(map(single_root, projective)),
    )


def test_projective_order_of_the_example():
    assert projective_order(HEARING) == [0, 1, 2, 6, 7, 3, 4, 5, 8, 9]


def test_components_of_the_example():
    components = mpc(HEARING)
    classes = {}
    for word in range(1, 10):
        classes.setdefault(components[word], set()).add(word)
    assert sorted(map(sorted, classes.values())) == [[1, 2], [3, 4], [5, 6, 7], [8], [9]]
    assert sorted(classes) == [2, 4, 5, 8, 9]


def naive_order(heads):
    order = []

    def visit(node):
        children = [d for d in range(1, len(heads)) if heads[d] == node]
        for child in (d for d in children if d < node):
            visit(child)
        order.append(node)
        for child in (d for d in children if d > node):
            visit(child)

    visit(0)
    return [order.index(node) for node in range(len(heads))]


def dominates(heads, ancestor, word):
    while word != ancestor and word > 0:
        word = heads[word]
    return word == ancestor


def naive_arcs(heads):
    return [False] + [
        any(
            not dominates(heads, heads[d], k) for k in range(min(d, heads[d]) + 1, max(d, heads[d]))
        )
        for d in range(1, len(heads))
    ]


def test_every_small_tree_agrees_with_the_definitions():
    for n in range(1, 6):
        for heads in all_trees(n):
            assert projective_order(heads) == naive_order(heads)
            arcs = nonprojective_arcs(heads)
            assert arcs == naive_arcs(heads)
            assert is_projective(heads) is not any(arcs)


@given(trees)
def test_long_trees(heads):
    arcs = nonprojective_arcs(heads)
    assert sorted(projective_order(heads)) == list(range(len(heads)))
    assert is_projective(heads) is not any(arcs)
    assert all(dominates(heads, top, word) for word, top in enumerate(mpc(heads)))


def test_a_projective_tree_is_one_component():
    for heads in filter(is_projective, all_trees(5)):
        assert mpc(heads) == [0] * 6


def test_is_tree():
    assert is_tree((0,))
    assert is_tree((7, 0, 1))
    assert not is_tree((0, 0, 0))
    assert is_tree((0, 0, 0), single_root=False)
    assert not is_tree((0, 2, 1), single_root=False)
    assert not is_tree((0, 3, 0))
    assert not is_tree((0, -1, 0))
    assert not is_tree(())


@pytest.mark.parametrize(
    ("heads", "message"),
    [
        ((0, 2, 3, 1), "cycle: 1 <- 2 <- 3 <- 1"),
        ((0, 1), "cycle: 1 <- 1"),
        ((0, 5, 0), "word 1 has head 5, but the sentence has words 1..2"),
        ((0, -2, 0), "word 1 has head -2"),
        ((0, 0, -1), "word 2 has no head; fill missing heads with complete_heads"),
        ((), "n \\+ 1"),
    ],
)
@pytest.mark.parametrize("function", [projective_order, mpc, nonprojective_arcs, is_projective])
def test_what_is_no_tree_is_refused(function, heads, message):
    with pytest.raises(ValueError, match=message):
        function(heads)


def test_missing_heads_are_completed():
    assert complete_heads((0, 0, -1, -1)) == [-1, 0, 1, 2]
    assert complete_heads((0, -1, 0)) == [-1, 2, 0]
    assert complete_heads((0, -1)) == [-1, 0]
    assert complete_heads((0, -1, 1, 0)) == [-1, 3, 1, 0]
    with pytest.raises(ValueError, match="cycle"):
        complete_heads((0, 2, 1, -1))


@given(trees, st.data())
def test_completed_trees_keep_what_is_known_and_add_no_root(heads, data):
    missing = data.draw(st.sets(st.integers(1, len(heads) - 1)))
    known = [-1 if d in missing else h for d, h in enumerate(heads)]
    complete = complete_heads(known)
    assert is_tree(complete)
    assert all(c == k for c, k in zip(complete[1:], known[1:], strict=True) if k != -1)
