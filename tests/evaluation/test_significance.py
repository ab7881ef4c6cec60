"""Compare tests of significance with the enumeration of all outcomes."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_npparse.evaluation.significance import (
    bootstrap,
    mcnemar,
    pairwise_randomisation,
    randomisation_of_rates,
    wilcoxon_signed_rank,
)


def p_value(first, second, **samples):
    """Test a difference in correct words, of which each sentence has ten."""
    counts = [np.stack([side, np.full(len(side), 10)], -1)[:, None] for side in (first, second)]
    return randomisation_of_rates(*counts, **samples)[0]


def exact(first, second):
    differences = np.subtract(first, second)
    observed = abs(differences.sum())
    exchanges = itertools.product((1, -1), repeat=len(differences))
    return np.mean([abs(np.dot(signs, differences)) >= observed for signs in exchanges])


@pytest.mark.parametrize("seed", range(4))
def test_equals_all_exchanges(seed):
    rng = np.random.default_rng(seed)
    first, second = rng.integers(0, 10, (2, 12))
    p = p_value(first, second, samples=20_000)
    assert p == pytest.approx(exact(first, second), abs=0.02)


def test_equal_parsers_do_not_differ():
    assert p_value([3, 4, 5], [3, 4, 5]) == 1.0


def test_a_large_difference_is_significant_whatever_its_sign():
    better, worse = [9] * 50, [4] * 50
    assert p_value(better, worse) < 0.001
    assert p_value(worse, better) < 0.001


def test_p_values_count_the_observed_difference():
    # The probability that an exchange of 60 sentences is as extreme is 2 ** -59. The observed
    # assignment counts as well, without which a p-value could be 0.
    better, worse = np.ones(60), np.zeros(60)
    assert p_value(better, worse, samples=99) == 1 / 100
    counts = np.stack([np.stack([side, np.ones(60)], -1) for side in (better, worse, worse)])
    pairs = pairwise_randomisation(counts, samples=99)
    assert pairs.tolist() == [[1, 0.01, 0.01], [0.01, 1, 1], [0.01, 1, 1]]


def counts_of(rng, n_sentences, n_scores=2):
    """Return numerators and denominators of random scores; some denominators are 0."""
    denominators = rng.integers(0, 6, (n_sentences, n_scores))
    return np.stack([rng.integers(0, denominators + 1), denominators], -1).astype(float)


def exact_for_rates(first, second):
    def gap(a, b):
        return abs(a[0] / a[1] - b[0] / b[1])

    observed = gap(first.sum(0), second.sum(0))
    as_large = 0
    for kept in itertools.product((True, False), repeat=len(first)):
        kept = np.array(kept)[:, None]
        exchanged = gap(np.where(kept, first, second).sum(0), np.where(kept, second, first).sum(0))
        as_large += exchanged >= observed - 1e-12
    return as_large / 2 ** len(first)


@pytest.mark.parametrize("seed", range(4))
def test_rates_equal_all_exchanges(seed):
    rng = np.random.default_rng(seed)
    first, second = counts_of(rng, 10), counts_of(rng, 10)
    found = randomisation_of_rates(first, second, samples=20_000)
    wanted = [exact_for_rates(first[:, score], second[:, score]) for score in (0, 1)]
    assert found == pytest.approx(wanted, abs=0.02)


def test_a_rate_with_nothing_to_count_has_no_p_value():
    first, second = np.ones((5, 2, 2)), np.ones((5, 2, 2))
    second[:, 1] = 0
    assert randomisation_of_rates(first, second).tolist() == pytest.approx([1, np.nan], nan_ok=True)


def test_equal_rates_do_not_differ():
    counts = counts_of(np.random.default_rng(0), 10)
    assert randomisation_of_rates(counts, counts).tolist() == [1.0, 1.0]


def test_exchanges_that_leave_nothing_to_count_are_no_evidence():
    # Each parser has predictions in one sentence only. Two of four exchanges leave one parser
    # without predictions, and the other two exchanges have the observed difference.
    first, second = np.zeros((2, 1, 2)), np.zeros((2, 1, 2))
    first[0, 0], second[1, 0] = (3, 3), (1, 3)
    assert randomisation_of_rates(first, second).tolist() == [1.0]


def test_bootstrap_draws_sentences_for_all_parsers_alike():
    rng = np.random.default_rng(0)
    first = counts_of(rng, 40, 1)
    better = first.copy()
    better[:, 0, 0] = better[:, 0, 1]
    found = bootstrap(np.stack([first, better, first]), samples=600)
    assert found.shape == (600, 3, 1)
    assert (found[:, 1] == 1).all() and (found[:, 0] == found[:, 2]).all()
    assert found[:, 0].mean() == pytest.approx(
        first[:, 0, 0].sum() / first[:, 0, 1].sum(), abs=0.01
    )


def test_bootstrap_interval_is_that_of_the_normal_distribution_in_large_samples():
    n, share = 2000, 0.3
    counts = np.ones((1, n, 1, 2))
    counts[0, int(share * n) :, 0, 0] = 0
    low, high = np.quantile(bootstrap(counts)[:, 0, 0], (0.025, 0.975))
    half = 1.96 * math.sqrt(share * (1 - share) / n)
    assert (low, high) == pytest.approx((share - half, share + half), abs=0.001)


@given(st.integers(0, 30), st.integers(0, 30))
def test_mcnemar_equals_all_outcomes(b, c):
    n = b + c
    as_unequal = sum(math.comb(n, k) for k in range(n + 1) if abs(2 * k - n) >= abs(b - c))
    assert mcnemar(b, c) == pytest.approx(float(Fraction(as_unequal, 2**n)))


def test_mcnemar_of_many_words():
    # The normal approximation with continuity correction.
    b, c = 50_500, 49_500
    assert mcnemar(b, c) == pytest.approx(math.erfc((b - c - 1) / math.sqrt(2 * (b + c))), rel=1e-3)
    assert 0 <= mcnemar(9000, 1000) < 1e-300


def ranks_of(values):
    """Return mean ranks, which begin at 1."""
    return [
        sum(other < value for other in values)
        + Fraction(1 + sum(other == value for other in values), 2)
        for value in values
    ]


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=8))
def test_wilcoxon_equals_all_signs(pairs):
    differences = [a - b for a, b in pairs if a != b]
    ranks = ranks_of([abs(d) for d in differences])

    def unevenness(signs):
        return abs(sum(sign * rank for sign, rank in zip(signs, ranks, strict=True)))

    observed = unevenness([1 if d > 0 else -1 for d in differences])
    outcomes = [unevenness(s) for s in itertools.product((1, -1), repeat=len(ranks))]
    wanted = sum(outcome >= observed for outcome in outcomes) / len(outcomes)
    assert wilcoxon_signed_rank(*([p[i] / 10 for p in pairs] for i in (0, 1))) == wanted


def test_wilcoxon_of_a_textbook():
    # Table of critical values: n = 10, rank sum 8, two-sided 0.0488.
    signs = [-1 if rank in (3, 5) else 1 for rank in range(1, 11)]
    differences = [sign * rank for sign, rank in zip(signs, range(1, 11), strict=True)]
    assert wilcoxon_signed_rank(differences, [0] * 10) == pytest.approx(0.0488, abs=5e-5)


def test_seeds_must_be_the_same():
    with pytest.raises(ValueError, match="3 seeds cannot be paired with 2"):
        wilcoxon_signed_rank([1, 2, 3], [1, 2])
