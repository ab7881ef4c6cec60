"""Tests of ranks on several treebanks, and of their p-values against all permutations."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_npparse.evaluation.rank_tests import rank_test, ranks

# Ranks of four classifiers on 14 data sets: Demšar (2006), table 6.
DEMSAR = """
4 3 2 1
1 2 3 4
4 1 2 3
4 1 3 2
4 2 3 1
1 2.5 4 2.5
3 2 4 1
2.5 2.5 4 1
4 3 2 1
2.5 2.5 2.5 2.5
4 2.5 1 2.5
3 2 4 1
4 1 2 3
3 1 4 2
"""


def exact(table):
    """Return Friedman's p-value and the p-values of pairs, from all permutations of all rows."""
    # Twice the deviations from the mean, which are integers.
    n_parsers = len(table[0])
    table = [[int(2 * rank) - n_parsers - 1 for rank in row] for row in table]

    def sums(rows):
        return [sum(column) for column in zip(*rows, strict=True)]

    def spread(found):
        return sum(one**2 for one in found)

    observed = sums(table)
    outcomes = [
        sums(rows) for rows in itertools.product(*(itertools.permutations(row) for row in table))
    ]
    p = sum(spread(one) >= spread(observed) for one in outcomes) / len(outcomes)
    ranges = [max(one) - min(one) for one in outcomes]
    pairs = [[sum(one >= abs(a - b) for one in ranges) for b in observed] for a in observed]
    return p, np.array(pairs) / len(outcomes)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=6))
def test_ranks_by_counting(scores):
    [found] = ranks(np.array([scores]) / 10)
    for score, rank in zip(scores, found, strict=True):
        places = [i for i, one in enumerate(sorted(scores, reverse=True), 1) if one == score]
        assert rank == sum(places) / len(places)


def test_rounding_errors_are_ties():
    assert ranks(np.array([[0.1 + 0.2, 0.3]])).tolist() == [[1.5, 1.5]]


@pytest.mark.parametrize("seed", range(6))
def test_equals_all_permutations(seed):
    rng = np.random.default_rng(seed)
    n_treebanks, n_parsers = [(4, 3), (5, 3), (3, 4), (7, 2), (2, 4), (1, 4)][seed]
    # Few values make ties; the first parser is better on most treebanks.
    scores = rng.integers(0, 6, (n_treebanks, n_parsers)) + np.eye(n_parsers)[0] * 3
    found = rank_test(ranks(scores))
    p, pairs = exact(ranks(scores).tolist())
    assert found.p_value == pytest.approx(p, abs=0.02)
    assert found.p_values == pytest.approx(pairs, abs=0.02)


@given(st.integers(2, 6), st.integers(1, 6), st.integers(0, 999))
def test_friedmans_statistic_without_ties(k, n, seed):
    rng = np.random.default_rng(seed)
    table = np.array([rng.permutation(k) + 1.0 for _ in range(n)])
    # The formula is from Demšar (2006).
    wanted = 12 * n / (k * (k + 1)) * ((table.mean(0) ** 2).sum() - k * (k + 1) ** 2 / 4)
    assert rank_test(table, samples=1).statistic == pytest.approx(wanted)


def test_classifiers_of_a_paper():
    table = np.array([row.split() for row in DEMSAR.strip().split("\n")], dtype=float)
    assert table.mean(0).round(3).tolist() == [3.143, 2.0, 2.893, 1.964]
    found = rank_test(table)
    # The paper does not correct for ties: three are of two classifiers, and one is of four.
    ties = 3 * (2**3 - 2) + (4**3 - 4)
    assert found.statistic * (1 - ties / (14 * (4**3 - 4))) == pytest.approx(9.28, abs=0.01)
    assert 0.01 < found.p_value < 0.03
    # The largest difference, 1.18, is just below the critical difference of 1.25.
    assert 0.05 < found.p_values[0, 3] < 0.1 and (np.diag(found.p_values) == 1).all()
    assert np.array_equal(found.p_values, found.p_values.T)


def test_two_treebanks_show_the_largest_difference_only():
    found = rank_test(np.array([[1.0, 2, 3, 4, 5, 6]] * 2))
    # One of 30 permutations of the second row has the same first and last parser as the first row.
    assert found.p_values[0, 5] == pytest.approx(1 / 30, abs=0.01)
    assert (found.p_values < 0.05).sum() == 2


def test_what_was_never_seen_is_not_impossible():
    found = rank_test(np.array([[1.0, 2, 3, 4, 5]] * 30), samples=99)
    assert found.p_value == 0.01 and found.p_values[0, 4] == 0.01


@pytest.mark.parametrize("shape", [(3, 1), (0, 3), (4, 3)])
def test_nothing_to_compare(shape):
    found = rank_test(ranks(np.ones(shape)), samples=99)
    assert found.statistic == 0 and found.p_value == 1 and (found.p_values == 1).all()
