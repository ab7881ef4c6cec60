"""The scores of parsers that are trained with several seeds, and their display in tables."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from statistics import mean, stdev
from typing import Protocol

from spacy_npparse.evaluation.attachment import rate
from spacy_npparse.evaluation.metrics import Metric
from spacy_npparse.evaluation.scores import Scores, missing_columns
from spacy_npparse.tables import Cell, percent


class Scored(Protocol):
    """A parser that has scores."""

    def mean(self, metric: Metric) -> float | None:
        """Average a score over the seeds, 0 to 1."""

    def written(self, metric: Metric) -> str:
        """Write a score for a table."""


class TrainedParser(ABC):
    """A parser that was trained with one or more seeds, and its scores."""

    @abstractmethod
    def all_scores(self) -> Sequence[Scores]:
        """The scores with each seed."""

    def score(self, metric: Metric) -> list[float | None]:
        """Find a score with each seed, 0 to 1; None where its denominator is 0 or the parser does
        not predict its column."""
        return [
            None if metric in scores.without_prediction else rate(*scores.fractions()[metric])
            for scores in self.all_scores()
        ]

    def mean(self, metric: Metric) -> float | None:
        """Average a score over the seeds; None if it is undefined for a seed."""
        values = known(self.score(metric))
        return mean(values) if values else None

    def deviation(self, metric: Metric) -> float | None:
        """Compute the sample standard deviation of a score over the seeds; None for a single
        seed."""
        values = known(self.score(metric))
        return stdev(values) if len(values) > 1 else None

    def written(self, metric: Metric) -> str:
        """Write the mean of a score and, with several seeds, its standard deviation, in percent."""
        deviation = self.deviation(metric)
        spread = "" if deviation is None else f" ± {percent(deviation)}"
        return percent(self.mean(metric)) + spread


def score_cells(parsers: Sequence[Scored], metric: Metric) -> list[Cell]:
    """A score of each parser, the best one marked.

    Args:
        parsers: The parsers.
        metric: The score.
    """
    means = [parser.mean(metric) for parser in parsers]
    best = max(value or 0.0 for value in means)
    return [
        Cell(parser.written(metric), strong=value == best)
        for parser, value in zip(parsers, means, strict=True)
    ]


def score_notes(parsers: Sequence[TrainedParser], metrics: Sequence[Metric]) -> list[str]:
    """Make notes on scores that tables leave out: those that are equal for all parsers and seeds,
    and those whose column the gold annotation lacks.

    Args:
        parsers: The parsers.
        metrics: The informative scores, see `informative_scores`.
    """
    _, equal = split_scores(parsers, metrics)
    values = ", ".join(f"{metric.label} {percent(parsers[0].mean(metric))}" for metric in equal)
    scores = [one for parser in parsers for one in parser.all_scores()]
    enhanced = any(one.predicts_enhanced for one in scores)
    lacking = missing_columns(m for m in scores[0].without_gold if enhanced or m is not Metric.ELAS)
    found = [f"The same everywhere: {values}." if equal else "", lacking]
    return [note for note in found if note]


def informative_scores(parsers: Sequence[TrainedParser]) -> list[Metric]:
    """Select the scores that are informative for parsers evaluated on the same sentences.

    The scores of columns that the gold annotation lacks are not informative, nor is ELAS if no
    parser predicts enhanced dependencies.

    Args:
        parsers: The parsers.
    """
    scores = [one for parser in parsers for one in parser.all_scores()]
    excluded = set(scores[0].without_gold)
    if not any(one.predicts_enhanced for one in scores):
        excluded.add(Metric.ELAS)
    return [metric for metric in scores[0].fractions() if metric not in excluded]


def split_scores(
    parsers: Sequence[TrainedParser], metrics: Sequence[Metric]
) -> tuple[list[Metric], list[Metric]]:
    """Divide scores into those that differ between parsers or seeds, and those that are all equal.

    Args:
        parsers: The parsers.
        metrics: The scores.
    """
    differing: list[Metric] = []
    equal: list[Metric] = []
    for metric in metrics:
        values = {value for parser in parsers for value in parser.score(metric)}
        (differing if len(values) > 1 else equal).append(metric)
    return differing, equal


def known(values: Sequence[float | None]) -> list[float]:
    """Return the values, or an empty list if one is missing."""
    found = [value for value in values if value is not None]
    return found if len(found) == len(values) else []
