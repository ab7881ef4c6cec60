"""The scores of one parser trained with several seeds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from statistics import mean, stdev

from spacy_npparse.evaluation.attachment import rate
from spacy_npparse.evaluation.scores import Scores


class Seeds(ABC):
    """A parser that was trained once or several times, and what it reaches."""

    @abstractmethod
    def all_scores(self) -> Sequence[Scores]:
        """Those with each seed."""

    def score(self, name: str) -> list[float | None]:
        """A score of `Scores.fractions` with each seed, 0..1, None where nothing is counted."""
        return [rate(*scores.fractions()[name]) for scores in self.all_scores()]

    def mean(self, name: str) -> float | None:
        """The mean of a score over the seeds, None if a seed has none."""
        values = known(self.score(name))
        return mean(values) if values else None

    def deviation(self, name: str) -> float | None:
        """The standard deviation of a score over the seeds, None without several."""
        values = known(self.score(name))
        return stdev(values) if len(values) > 1 else None


def known(values: Sequence[float | None]) -> list[float]:
    """The values, none if one is missing."""
    found = [value for value in values if value is not None]
    return found if len(found) == len(values) else []
