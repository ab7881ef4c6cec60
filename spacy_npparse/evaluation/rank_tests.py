"""Ranks of parsers on several treebanks, and the significance of their differences.

There are few treebanks, and they differ as much as languages do. Their scores are not comparable,
and no mean of them is normally distributed. Therefore the tests compare the ranks of parsers on
each treebank, and find the distribution of the ranks by permutations rather than from tables for
many treebanks.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spacy_npparse.evaluation.significance import SAMPLES, SEED, Counts

# The number of digits after which scores count as equal.
_DIGITS = 12


class RankTest(NamedTuple):
    """The result of `rank_test`.

    Attributes:
        statistic: Friedman's chi-squared, corrected for ties; 0 if all parsers tie everywhere.
        p_value: The p-value of the hypothesis that all parsers are equal.
        p_values: [parsers, parsers], the p-values of the difference between two parsers, corrected
            for all pairs.
    """

    statistic: float
    p_value: float
    p_values: Counts


def ranks(scores: Counts) -> Counts:
    """Rank the parsers on each treebank, with 1 for the highest score.

    Args:
        scores: [treebanks, parsers], scores of which higher ones are better.

    Returns:
        [treebanks, parsers], the ranks. Parsers that tie share the mean of their ranks.

    Examples:
        >>> ranks(np.array([[0.8, 0.7, 0.8, 0.6]]))
        array([[1.5, 3. , 1.5, 4. ]])
    """
    rounded = np.round(scores, _DIGITS)
    better = (rounded[:, None, :] > rounded[:, :, None]).sum(2)
    equal = (rounded[:, None, :] == rounded[:, :, None]).sum(2)
    found: Counts = better + (equal + 1) / 2
    return found


def rank_test(found: Counts, samples: int = SAMPLES) -> RankTest:
    """Run Friedman's test, and Nemenyi's test for pairs of parsers, as approximate permutation
    tests.

    Under the null hypothesis, the parsers are exchangeable on each treebank. Friedman's statistic
    is large if their mean ranks differ. Two parsers differ significantly if the difference between
    their mean ranks is one that the largest difference of all pairs rarely reaches. This bounds the
    probability of an error in any pair. With permutations in place of tables, this is the procedure
    of Wilcoxon, Nemenyi, McDonald and Thompson.

    Nemenyi's test finds differences on a few treebanks, where tests of a single pair cannot: the
    signed-rank test of n treebanks has no p-value below 2 / 2^n, which is then multiplied by the
    number of pairs. The price is that a difference between two parsers depends on the other parsers
    in the comparison (Benavoli, Corani and Mangili 2016).

    Args:
        found: [treebanks, parsers], the ranks that `ranks` returned.
        samples: The number of random permutations.

    Returns:
        The result. P-values are never below 1 / (samples + 1).

    Source: Friedman (1937); Nemenyi (1963); Hollander, Wolfe and Chicken (2014), sections 7.1 and
    7.3; their use for classifiers on several data sets: Demšar (2006), section 3.2.2.
    """
    n_treebanks, n_parsers = found.shape
    sums = found.sum(0)
    spread, gaps = _spread(sums), abs(sums[:, None] - sums)
    rng = np.random.default_rng(SEED)
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
    """Sum the squared deviations of rank sums from their mean."""
    return float(((sums - sums.mean()) ** 2).sum())
