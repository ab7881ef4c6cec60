"""Whether one parser is better than another, or just luckier on these sentences or seeds."""

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


def approximate_randomisation(
    first: Sequence[float], second: Sequence[float], samples: int = SAMPLES, seed: int = SEED
) -> float:
    """The probability of a difference at least as large if the two parsers were equally good: how
    often it comes about when, sentence by sentence, their results are exchanged by chance.

    first, second: [sentences] what each parser gets right (words, say, summed over its seeds) in
        the same sentences.
    samples: random exchanges of them all.
    seed: of these.

    Returns the two-sided p-value. Raises ValueError if the numbers of sentences differ.

    Source: Yeh (2000), after Noreen (1989).
    """
    if len(first) != len(second):
        raise ValueError(f"{len(first)} sentences cannot be paired with {len(second)}")
    if len(first) == 0:
        return 1.0
    right = np.array([first, second], dtype=np.float64)[..., None]
    counts = np.stack([right, np.ones_like(right)], axis=-1)
    return float(randomisation_of_rates(counts[0], counts[1], samples, seed)[0])


def randomisation_of_rates(
    first: Counts, second: Counts, samples: int = SAMPLES, seed: int = SEED
) -> Counts:
    """`approximate_randomisation` of scores that are rates, such as F1 or precision, whose
    denominators are exchanged too.

    first, second: [sentences, scores, 2] numerators and denominators of the two parsers' scores.
    samples, seed: see there.

    Returns the p-values [scores], NaN where a parser has no score because nothing is counted.
    """
    totals, differences = (first + second).sum(0), first - second
    changing = differences.any((1, 2))
    differences = differences[changing]

    def gaps(sums: Counts) -> Counts:
        return _rates((totals + sums) / 2) - _rates((totals - sums) / 2)

    observed = abs(gaps(differences.sum(0)))
    as_large = np.zeros(len(totals))
    flat = differences.reshape(len(differences), totals.size)
    for signs in _exchanges(len(differences), samples, seed):
        exchanged = gaps((signs @ flat).reshape(-1, *totals.shape))
        # Exchanges that leave a parser without a score are no evidence of a difference.
        as_large += (np.isnan(exchanged) | (abs(exchanged) >= observed - 1e-12)).sum(0)
    return np.where(np.isnan(observed), np.nan, (as_large + 1) / (samples + 1))


def pairwise_randomisation(correct: Counts, samples: int = SAMPLES, seed: int = SEED) -> Counts:
    """`approximate_randomisation` of all pairs of parsers, with the same exchanges.

    correct: [parsers, sentences] what each gets right. samples, seed: see there.

    Returns the p-values [parsers, parsers].
    """
    n_parsers, n_sentences = correct.shape
    first, second = np.triu_indices(n_parsers, 1)
    differences = (correct[first] - correct[second]).T
    observed = abs(differences.sum(0))
    as_large = np.zeros(len(observed))
    for signs in _exchanges(n_sentences, samples, seed):
        as_large += (abs(signs @ differences) >= observed - 1e-9).sum(0)
    p_values = np.ones((n_parsers, n_parsers))
    p_values[first, second] = p_values[second, first] = (as_large + 1) / (samples + 1)
    return p_values


def holm(p_values: Counts) -> Counts:
    """P-values [parsers, parsers] of all pairs, corrected for their number.

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
    """A compact letter display: two parsers have a letter in common just if they do not differ
    significantly.

    p_values: [parsers, parsers] of their differences, the best parser first. level: below it they
        are significant.

    Returns the letters of each parser. Source: Piepho (2004), insert and absorb.
    """
    n = len(p_values)
    groups = [frozenset(range(n))]
    for i, j in zip(*np.nonzero(np.triu(p_values < level, 1)), strict=True):
        parts = {group - {one} for group in groups if {i, j} <= group for one in (i, j)}
        parts |= {group for group in groups if not {i, j} <= group}
        # A group within another one says nothing new.
        groups = [group for group in parts if not any(group < other for other in parts)]
    letters = [""] * n
    for number, group in enumerate(sorted(groups, key=sorted)):
        for parser in group:
            letters[parser] += _letter(number)
    return letters


def bootstrap(counts: Counts, samples: int = SAMPLES, seed: int = SEED) -> Counts:
    """Scores in test sets that might have been: as many sentences, drawn with replacement.

    counts: [parsers, sentences, scores, 2] numerators and denominators.
    samples: how many test sets. seed: of the random choice.

    Returns [samples, parsers, scores], NaN where nothing is counted. The middle 95 % of a score, or
    of a difference between two parsers in the same samples, are its confidence interval.

    Source: Efron and Tibshirani (1993), chapters 13 and 16.
    """
    n = counts.shape[1]
    rng = np.random.default_rng(seed)
    by_sentence = np.moveaxis(counts, 1, 0).reshape(n, -1)
    chunks = []
    for size in _chunks(samples):
        # How often each sample has each sentence; much faster than drawing from a multinomial.
        drawn = rng.integers(0, n, (size, n)) + n * np.arange(size)[:, None]
        times = np.bincount(drawn.ravel(), minlength=size * n).reshape(size, n)
        sums = (times.astype(np.float64) @ by_sentence).reshape(
            size, counts.shape[0], *counts.shape[2:]
        )
        chunks.append(_rates(sums))
    return np.concatenate(chunks)


def middle_intervals(samples: Counts) -> list[tuple[float, float] | None]:
    """[samples, scores], of `bootstrap`, to the middle 95 % of each score, None if no sample has
    it."""
    intervals: list[tuple[float, float] | None] = []
    for values in samples.T:
        values = values[~np.isnan(values)]
        if not len(values):
            intervals.append(None)
            continue
        low, high = np.quantile(values, ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2)).tolist()
        intervals.append((low, high))
    return intervals


def mcnemar(only_first: int, only_second: int) -> float:
    """The probability of so unequal numbers, or more unequal ones, if the parsers were equally
    good: McNemar's test in its exact, binomial form.

    only_first, only_second: words that only the one parser, or only the other, gets right.

    Returns the two-sided p-value.

    Source: McNemar (1947); Dietterich (1998), section 3.1.
    """
    n, fewer = only_first + only_second, min(only_first, only_second)
    log_choices = math.lgamma(n + 1) - math.lgamma(fewer + 1) - math.lgamma(n - fewer + 1)
    # The tail of the distribution, in units of its largest term.
    tail = part = 1.0
    for k in range(fewer, 0, -1):
        part *= k / (n - k + 1)
        tail += part
    return min(1.0, 2 * math.exp(log_choices - n * math.log(2)) * tail)


def wilcoxon_signed_rank(first: Sequence[float], second: Sequence[float]) -> float:
    """The probability of a rank sum at least as uneven if the parsers were equally good: Wilcoxon's
    signed-rank test, exact also with ties; pairs without difference are left out.

    first, second: scores of two parsers with the same seeds, in the same order.

    Returns the two-sided p-value; with n pairs it is never below 2 / 2^n. Raises ValueError if the
    numbers of scores differ.

    Source: Wilcoxon (1945).
    """
    if len(first) != len(second):
        raise ValueError(f"{len(first)} seeds cannot be paired with {len(second)}")
    # Rounded, so that the noise of floating-point numbers breaks no ties.
    differences = [round(a - b, 12) for a, b in zip(first, second, strict=True)]
    differences = [difference for difference in differences if difference]
    # Twice the ranks, which are whole numbers also where the mean of tied ranks is not.
    ranks, below = {}, 0
    for size, tied in sorted(Counter(map(abs, differences)).items()):
        ranks[size] = 2 * below + tied + 1
        below += tied
    # How many of the 2^n choices of signs give each rank sum of the positive differences.
    choices = Counter({0: 1})
    for difference in differences:
        rank = ranks[abs(difference)]
        choices += Counter({total + rank: count for total, count in choices.items()})
    middle = sum(ranks[abs(d)] for d in differences) / 2
    observed = abs(sum(ranks[d] for d in differences if d > 0) - middle)
    as_uneven = sum(count for total, count in choices.items() if abs(total - middle) >= observed)
    return as_uneven / 2 ** len(differences)


def _letter(number: int) -> str:
    """a to z, then a' to z' and so on."""
    return chr(ord("a") + number % 26) + "'" * (number // 26)


def _exchanges(n_sentences: int, samples: int, seed: int) -> Iterator[Counts]:
    """Random signs [some samples, sentences], -1 where the parsers' results are exchanged."""
    rng = np.random.default_rng(seed)
    for size in _chunks(samples):
        # Floats, because numpy multiplies matrices of integers slowly.
        yield (rng.integers(0, 2, (size, n_sentences)) * 2 - 1).astype(np.float64)


def _chunks(samples: int) -> Iterator[int]:
    for start in range(0, samples, _CHUNK):
        yield min(_CHUNK, samples - start)


def _rates(sums: Counts) -> Counts:
    """[..., 2] numerators and denominators to rates [...], NaN where nothing is counted."""
    with np.errstate(invalid="ignore"):
        rates: Counts = sums[..., 0] / sums[..., 1]
    return rates
