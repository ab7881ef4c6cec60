"""Significance tests and confidence intervals for differences between parsers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.float64]
SAMPLES = 10_000
SEED = 0
CONFIDENCE = 0.95
_CHUNK = 500


def randomisation_of_rates(first: Counts, second: Counts, samples: int = SAMPLES) -> Counts:
    """Test differences of ratios such as F1 or precision by approximate randomisation, a paired
    permutation test.

    Under the null hypothesis, the results of the two parsers for a sentence are exchangeable.
    Numerators and denominators are exchanged together.

    Args:
        first: [sentences, scores, 2], the numerators and denominators of the first parser's scores.
        second: [sentences, scores, 2], those of the second parser's scores.
        samples: The number of random assignments.

    Returns:
        [scores], the two-sided p-values, never below 1 / (samples + 1); NaN if a score is undefined
        for a parser because its denominator is 0.

    Source: Yeh (2000), after Noreen (1989).
    """
    totals, differences = (first + second).sum(0), first - second
    p_values = _exchange(totals, differences[differences.any((1, 2))], samples)
    return np.where(np.isnan(_gaps(totals, differences.sum(0))), np.nan, p_values)


def pairwise_randomisation(fractions: Counts, samples: int = SAMPLES) -> Counts:
    """Test all pairs of parsers by approximate randomisation with the same random assignments.

    As in `randomisation_of_rates`, the counts of a sentence are exchanged together.

    Args:
        fractions: [parsers, sentences, 2], the numerators and denominators of a score.
        samples: The number of random assignments.

    Returns:
        [parsers, parsers], the p-values.
    """
    n_parsers = len(fractions)
    first, second = np.triu_indices(n_parsers, 1)
    differences = np.moveaxis(fractions[first] - fractions[second], 0, 1)
    found = _exchange((fractions[first] + fractions[second]).sum(1), differences, samples)
    p_values = np.ones((n_parsers, n_parsers))
    p_values[first, second] = p_values[second, first] = found
    return p_values


def holm(p_values: Counts) -> Counts:
    """Apply the Holm–Bonferroni correction for multiple comparisons.

    Args:
        p_values: [parsers, parsers], the uncorrected p-values of all pairs.

    Returns:
        [parsers, parsers], the corrected p-values.

    Source: Holm (1979).
    """
    pairs = np.triu_indices(len(p_values), 1)
    found = p_values[pairs]
    order = np.argsort(found, kind="stable")
    factors = np.arange(len(found), 0, -1)
    corrected = np.empty_like(found)
    corrected[order] = np.minimum(1.0, np.maximum.accumulate(found[order] * factors))
    result = np.ones_like(p_values)
    result[pairs] = result.T[pairs] = corrected
    return result


def significance_groups(p_values: Counts, level: float) -> list[str]:
    """Make a compact letter display: two parsers share a letter if and only if they do not differ
    significantly.

    Args:
        p_values: [parsers, parsers], the p-values of the differences, with the best parser first.
        level: The significance level.

    Returns:
        The letters of each parser.

    Source: Piepho (2004), insert-and-absorb algorithm.
    """
    n = len(p_values)
    groups = [frozenset(range(n))]
    for i, j in zip(*np.nonzero(np.triu(p_values < level, 1)), strict=True):
        parts = {group - {one} for group in groups if {i, j} <= group for one in (i, j)}
        parts |= {group for group in groups if not {i, j} <= group}
        # Absorb: subsets of other groups are redundant.
        groups = [group for group in parts if not any(group < other for other in parts)]
    letters = [""] * n
    for number, group in enumerate(sorted(groups, key=sorted)):
        for parser in group:
            letters[parser] += _letter(number)
    return letters


def bootstrap(counts: Counts, samples: int = SAMPLES) -> Counts:
    """Resample test sets with replacement, by sentence, and compute their scores.

    The same samples are drawn for all parsers, so that their differences are paired.

    Args:
        counts: [parsers, sentences, scores, 2], the numerators and denominators.
        samples: The number of bootstrap samples.

    Returns:
        [samples, parsers, scores], the scores, NaN where the denominator is 0.

    Source: Efron and Tibshirani (1993), chapters 13 and 16.
    """
    n = counts.shape[1]
    rng = np.random.default_rng(SEED)
    by_sentence = np.moveaxis(counts, 1, 0).reshape(n, -1)
    chunks = []
    for size in _chunks(samples):
        # The number of times that each sentence is drawn; much faster than rng.multinomial.
        drawn = rng.integers(0, n, (size, n)) + n * np.arange(size)[:, None]
        times = np.bincount(drawn.ravel(), minlength=size * n).reshape(size, n)
        sums = (times.astype(np.float64) @ by_sentence).reshape(
            size, counts.shape[0], *counts.shape[2:]
        )
        chunks.append(_rates(sums))
    return np.concatenate(chunks)


def percentile_intervals(samples: Counts) -> list[tuple[float, float] | None]:
    """Compute percentile intervals with a confidence of 95 %.

    Args:
        samples: [samples, scores], bootstrap samples of scores or differences.

    Returns:
        The interval of each score; None if it is undefined in all samples.
    """
    intervals: list[tuple[float, float] | None] = []
    for values in samples.T:
        values = values[~np.isnan(values)]
        if not len(values):
            intervals.append(None)
            continue
        low, high = np.quantile(values, ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2)).tolist()
        intervals.append((low, high))
    return intervals


def p_value(p: float | None) -> str:
    """Write a p-value for a table, - if it is None."""
    if p is None:
        return "-"
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def p_equation(p: float | None) -> str:
    """Write a p-value with its name. Empty if it is None."""
    if p is None:
        return ""
    return f"p {p_value(p)}" if p < 0.001 else f"p = {p_value(p)}"


def stars(p: float | None) -> str:
    """Mark significance at the levels 0.05, 0.01 and 0.001 with stars."""
    return "" if p is None else "*" * sum(p < level for level in (0.05, 0.01, 0.001))


def mcnemar(only_first: int, only_second: int) -> float:
    """Run McNemar's test, exact (binomial).

    Args:
        only_first: The number of words that only the first parser has correct.
        only_second: The number of words that only the second parser has correct.

    Returns:
        The two-sided p-value.

    Source: McNemar (1947); Dietterich (1998), section 3.1.
    """
    n, fewer = only_first + only_second, min(only_first, only_second)
    log_choices = math.lgamma(n + 1) - math.lgamma(fewer + 1) - math.lgamma(n - fewer + 1)
    # The tail of the binomial distribution relative to its largest term.
    tail = part = 1.0
    for k in range(fewer, 0, -1):
        part *= k / (n - k + 1)
        tail += part
    return min(1.0, 2 * math.exp(log_choices - n * math.log(2)) * tail)


def wilcoxon_signed_rank(first: Sequence[float], second: Sequence[float]) -> float:
    """Run the Wilcoxon signed-rank test, which is exact also with ties. Zero differences are
    ignored.

    Args:
        first: The scores of the first parser with each seed.
        second: The scores of the second parser with the same seeds.

    Returns:
        The two-sided p-value. With n pairs it is never below 2 / 2^n.

    Raises:
        ValueError: The numbers of scores differ.

    Source: Wilcoxon (1945).
    """
    if len(first) != len(second):
        raise ValueError(f"{len(first)} seeds cannot be paired with {len(second)}")
    # Rounding keeps floating-point noise from breaking ties.
    differences = [round(a - b, 12) for a, b in zip(first, second, strict=True)]
    differences = [difference for difference in differences if difference]
    # Ranks are doubled, so that they are integers even for ties (midranks).
    ranks, below = {}, 0
    for size, tied in sorted(Counter(map(abs, differences)).items()):
        ranks[size] = 2 * below + tied + 1
        below += tied
    # The null distribution: the number of the 2^n sign assignments with each positive rank sum.
    choices = Counter({0: 1})
    for difference in differences:
        rank = ranks[abs(difference)]
        choices += Counter({total + rank: count for total, count in choices.items()})
    middle = sum(ranks[abs(d)] for d in differences) / 2
    observed = abs(sum(ranks[d] for d in differences if d > 0) - middle)
    as_uneven = sum(count for total, count in choices.items() if abs(total - middle) >= observed)
    return as_uneven / 2 ** len(differences)


def _letter(number: int) -> str:
    """Name a group: a to z, then a' to z' and so on."""
    return chr(ord("a") + number % 26) + "'" * (number // 26)


def _exchange(totals: Counts, differences: Counts, samples: int) -> Counts:
    """Compute the p-values [k] of k differences between two parsers by approximate randomisation.

    totals: [k, 2], the sums of numerators and denominators over both parsers.
    differences: [sentences, k, 2], the counts of the first parser minus those of the second.
    """
    observed = abs(_gaps(totals, differences.sum(0)))
    as_large = np.zeros(len(totals))
    flat = differences.reshape(len(differences), totals.size)
    rng = np.random.default_rng(SEED)
    for size in _chunks(samples):
        # +1 keeps the parsers' results, and -1 exchanges them. They are floats, because integer
        # matrix products do not use BLAS.
        signs = (rng.integers(0, 2, (size, len(flat))) * 2 - 1).astype(np.float64)
        exchanged = _gaps(totals, (signs @ flat).reshape(size, *totals.shape))
        # Assignments with an undefined score count as no difference.
        as_large += (np.isnan(exchanged) | (abs(exchanged) >= observed - 1e-12)).sum(0)
    return (as_large + 1) / (samples + 1)


def _gaps(totals: Counts, sums: Counts) -> Counts:
    """Compute differences of scores from the sums of their counts and the differences of these."""
    return _rates((totals + sums) / 2) - _rates((totals - sums) / 2)


def _chunks(samples: int) -> Iterator[int]:
    for start in range(0, samples, _CHUNK):
        yield min(_CHUNK, samples - start)


def _rates(sums: Counts) -> Counts:
    """Divide numerators by denominators [..., 2]: rates [...], NaN if the denominator is 0."""
    with np.errstate(invalid="ignore"):
        rates: Counts = sums[..., 0] / sums[..., 1]
    return rates
