"""Ranks of parsers on several treebanks, and whether their differences could be chance.

Treebanks are few and as different as languages are: their scores are not comparable, and no mean of
them is normally distributed. The tests compare the ranks that parsers have on each treebank, and
take the distribution of these from permutations instead of tables for many treebanks.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spacy_npparse.evaluation.significance import SAMPLES, SEED, Counts

# Below, scores are equal but for rounding errors.
_DIGITS = 12


class RankTest(NamedTuple):
    """Result of `rank_test`.

    Attributes:
        statistic: Friedman's chi-squared, corrected for ties; 0 if all parsers tie everywhere.
        p_value: Of the hypothesis that no parser differs from another.
        p_values: [parsers, parsers] Of the difference between two of them, corrected for all pairs.
    """

    statistic: float
    p_value: float
    p_values: Counts


def ranks(scores: Counts) -> Counts:
    """The rank of each parser on each treebank, 1 for the highest score.

    Args:
        scores: [treebanks, parsers] A score that is better the higher it is.

    Returns:
        Ranks [treebanks, parsers]; parsers that tie share the mean of their ranks.

    Examples:
        >>> ranks(np.array([[0.8, 0.7, 0.8, 0.6]]))
        array([[1.5, 3. , 1.5, 4. ]])
    """
    rounded = np.round(scores, _DIGITS)
    better = (rounded[:, None, :] > rounded[:, :, None]).sum(2)
    equal = (rounded[:, None, :] == rounded[:, :, None]).sum(2)
    found: Counts = better + (equal + 1) / 2
    return found


def rank_test(found: Counts, samples: int = SAMPLES, seed: int = SEED) -> RankTest:
    """Friedman's test and, for pairs of parsers, Nemenyi's, as approximate permutation tests.

    Under the null hypothesis, the parsers are exchangeable on each treebank. Friedman's statistic
    is large if their mean ranks differ. Two parsers differ significantly if the difference between
    their mean ranks is one that the largest of all pairs hardly ever reaches, so that all pairs
    together are in error as rarely as one should be. Where permutations replace the tables, this is
    the procedure of Wilcoxon, Nemenyi, McDonald and Thompson.

    Nemenyi's test finds differences on a few treebanks, where tests of one pair alone cannot: the
    signed-rank test of n treebanks has no p-value below 2 / 2^n, which is then multiplied by the
    number of pairs. The price is that a difference between two parsers depends on
    which others are compared (Benavoli, Corani and Mangili 2016).

    Args:
        found: [treebanks, parsers] From `ranks`.
        samples: Number of random permutations.
        seed: Seed of the random number generator.

    Returns:
        The result; p-values are never below 1 / (samples + 1).

    Source: Friedman (1937); Nemenyi (1963); Hollander, Wolfe and Chicken (2014), sections 7.1 and
    7.3; their use for classifiers on several data sets: Demšar (2006), section 3.2.2.
    """
    n_treebanks, n_parsers = found.shape
    sums = found.sum(0)
    spread, gaps = _spread(sums), abs(sums[:, None] - sums)
    rng = np.random.default_rng(seed)
    as_spread, as_apart = 1, np.ones_like(gaps)
    for _ in range(samples):
        permuted = rng.permuted(found, axis=1).sum(0)
        # Sums of halves are exact.
        as_spread += _spread(permuted) >= spread - 1e-9
        as_apart += np.ptp(permuted) >= gaps
    variance = found.var(axis=1, ddof=1).sum() if n_parsers > 1 else 0.0
    statistic = spread / variance if variance else 0.0
    p_values = as_apart / (samples + 1)
    return RankTest(float(statistic), as_spread / (samples + 1), p_values)


def _spread(sums: Counts) -> float:
    """The squared deviations of rank sums from their mean, summed."""
    return float(((sums - sums.mean()) ** 2).sum())
