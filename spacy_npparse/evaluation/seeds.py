"""The scores of one parser trained with several seeds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from statistics import mean, stdev

from spacy_npparse.evaluation.attachment import rate
from spacy_npparse.evaluation.metrics import Metric
from spacy_npparse.evaluation.scores import Scores


class TrainedParser(ABC):
    """A parser that was trained with one or more seeds, and its scores."""

    @abstractmethod
    def all_scores(self) -> Sequence[Scores]:
        """The scores with each seed."""

    def score(self, metric: Metric) -> list[float | None]:
        """A score with each seed, 0..1, None where its denominator is 0."""
        return [rate(*scores.fractions()[metric]) for scores in self.all_scores()]

    def mean(self, metric: Metric) -> float | None:
        """The mean of a score over the seeds, None if it is undefined for a seed."""
        values = known(self.score(metric))
        return mean(values) if values else None

    def deviation(self, metric: Metric) -> float | None:
        """The sample standard deviation of a score over the seeds, None for a single seed."""
        values = known(self.score(metric))
        return stdev(values) if len(values) > 1 else None


def known(values: Sequence[float | None]) -> list[float]:
    """The values, an empty list if one is missing."""
    found = [value for value in values if value is not None]
    return found if len(found) == len(values) else []
