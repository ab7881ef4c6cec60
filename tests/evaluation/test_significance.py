"""Approximate randomisation against all exchanges."""

import itertools

import numpy as np
import pytest

from spacy_npparse.evaluation.significance import approximate_randomisation


def exact(first, second):
    differences = np.subtract(first, second)
    observed = abs(differences.sum())
    exchanges = itertools.product((1, -1), repeat=len(differences))
    return np.mean([abs(np.dot(signs, differences)) >= observed for signs in exchanges])


@pytest.mark.parametrize("seed", range(4))
def test_equals_all_exchanges(seed):
    rng = np.random.default_rng(seed)
    first, second = rng.integers(0, 10, (2, 12))
    p = approximate_randomisation(first, second, samples=20_000)
    assert p == pytest.approx(exact(first, second), abs=0.02)


def test_equal_parsers_do_not_differ():
    assert approximate_randomisation([3, 4, 5], [3, 4, 5]) == 1.0
    assert approximate_randomisation([], []) == 1.0


def test_a_large_difference_is_significant_whatever_its_sign():
    better, worse = [9] * 50, [4] * 50
    assert approximate_randomisation(better, worse) < 0.001
    assert approximate_randomisation(worse, better) < 0.001


def test_sentences_must_be_the_same():
    with pytest.raises(ValueError, match="3 sentences cannot be paired with 2"):
        approximate_randomisation([1, 2, 3], [1, 2])
