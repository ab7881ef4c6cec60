"""Measures of non-projectivity."""

from itertools import combinations

import pytest
from brute_force import all_trees

from spacy_npparse.trees import (
    crossing_arcs,
    edge_degree,
    gap_degree,
    is_one_endpoint_crossing,
    is_projective,
    is_well_nested,
)


def word_yield(heads, word):
    """Return the yield of a word: the word and its descendants."""
    found = {word}
    while more := {d for d in range(1, len(heads)) if heads[d] in found} - found:
        found |= more
    return found


def interleave(first, second):
    return any(
        a < b < c < d
        for a, c in combinations(sorted(first), 2)
        for b, d in combinations(sorted(second), 2)
    )


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_projective_trees_are_those_of_degree_0(n):
    for heads in all_trees(n):
        projective = is_projective(heads)
        assert (gap_degree(heads) == 0) == (edge_degree(heads) == 0) == projective
        assert (crossing_arcs(heads) == 0) >= projective
        assert is_well_nested(heads) >= projective


@pytest.mark.parametrize("n, expected", [(1, 1), (2, 3), (3, 16), (4, 125), (5, 1104)])
def test_numbers_of_one_endpoint_crossing_trees(n, expected):
    assert sum(map(is_one_endpoint_crossing, all_trees(n))) == expected


@pytest.mark.parametrize("n", [3, 4, 5])
def test_well_nestedness_by_its_definition(n):
    for heads in all_trees(n):
        subtrees = [word_yield(heads, word) for word in range(1, n + 1)]
        clash = any(
            not first & second and (interleave(first, second) or interleave(second, first))
            for first, second in combinations(subtrees, 2)
        )
        assert is_well_nested(heads) != clash


def test_degrees_of_an_example():
    """The arcs 5 -> 1, 5 -> 3, 0 -> 2, 2 -> 4 and 2 -> 5; edge degree as in Nivre (2006) and
    Kuhlmann and Nivre (2006)."""
    heads = [-1, 5, 0, 5, 2, 2]
    # Under 5 -> 1, one component, 2 and 4, has a root that 5 does not dominate.
    assert edge_degree(heads) == 1
    # The yield of 5 is 1, 3 and 5: its gaps are 2 and 4.
    assert gap_degree(heads) == 2
    # 5 -> 1 crosses 0 -> 2 and 2 -> 4 crosses 5 -> 3.
    assert crossing_arcs(heads) == 4
    assert is_well_nested(heads)


def test_a_tree_that_is_ill_nested():
    # The yields 1, 3 and 2, 4 interleave; both words are dependents of 5.
    assert not is_well_nested([-1, 5, 5, 1, 2, 0])
    assert gap_degree([-1, 5, 5, 1, 2, 0]) == 1
