"""Whether probabilities are calibrated: how often what is held for so probable is right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spacy_npparse.tables import Column, Table, columns, count, percent, text

N_BINS = 15


@dataclass(frozen=True)
class ReliabilityBin:
    """Predictions of similar probability.

    Attributes:
        count: How many there are.
        probability: Their mean probability.
        accuracy: The share of those that are right.
    """

    count: int
    probability: float
    accuracy: float


@dataclass(frozen=True)
class Reliability:
    """How far the probabilities of predictions can be relied on.

    Attributes:
        bins: The predictions, by probability, those without predictions left out.
        log_loss: The mean negative log-likelihood of the predictions being right or wrong.
    """

    bins: Sequence[ReliabilityBin]
    log_loss: float

    @property
    def count(self) -> int:
        """How many predictions there are."""
        return sum(one.count for one in self.bins)

    @property
    def probability(self) -> float:
        """Their mean probability."""
        return sum(one.count * one.probability for one in self.bins) / self.count

    @property
    def accuracy(self) -> float:
        """The share of those that are right."""
        return sum(one.count * one.accuracy for one in self.bins) / self.count

    @property
    def expected_calibration_error(self) -> float:
        """The mean difference between probability and accuracy, over bins, by their counts.

        Source: Naeini, Cooper and Hauskrecht (2015).
        """
        gaps = (one.count * abs(one.probability - one.accuracy) for one in self.bins)
        return sum(gaps) / self.count

    def as_dict(self) -> dict[str, Any]:
        """All numbers, for JSON."""
        return {
            "count": self.count,
            "probability": self.probability,
            "accuracy": self.accuracy,
            "expected_calibration_error": self.expected_calibration_error,
            "log_loss": self.log_loss,
            "bins": [asdict(one) for one in self.bins],
        }


def reliability(
    probabilities: NDArray[np.floating], right: NDArray[np.generic], n_bins: int = N_BINS
) -> Reliability:
    """Compare the probabilities of predictions with how many of them are right.

    Args:
        probabilities: [n], at least one.
        right: [n], 1 or True for predictions that are right.
        n_bins: Bins of equal width.

    Returns:
        The comparison.

    Source: the reliability diagrams of DeGroot and Fienberg (1983), with the bins of Guo, Pleiss,
        Sun and Weinberger (2017).
    """
    numbers = np.clip(np.ceil(probabilities * n_bins).astype(int) - 1, 0, n_bins - 1)
    bins = [
        ReliabilityBin(
            int(chosen.sum()), float(probabilities[chosen].mean()), float(right[chosen].mean())
        )
        for chosen in (numbers == number for number in np.unique(numbers))
    ]
    likelihoods = np.where(right, probabilities, 1.0 - probabilities)
    return Reliability(bins, float(np.log(1.0 / np.clip(likelihoods, 1e-6, 1.0)).mean()))


@dataclass(frozen=True)
class CalibrationComparison:
    """Probabilities before and after their calibration.

    Attributes:
        temperatures: Before and after, by what they are of.
        predictions: Before and after, by what is predicted; only what there is.
    """

    temperatures: Mapping[str, tuple[float, float]]
    predictions: Mapping[str, tuple[Reliability, Reliability]]

    def errors(self) -> Table:
        """Accuracies and probabilities, and how far they are from each other."""
        rows = [
            [
                name,
                one.count,
                one.accuracy,
                when,
                one.probability,
                one.expected_calibration_error,
                one.log_loss,
            ]
            for name, pair in self.predictions.items()
            for when, one in zip(("before", "after"), pair, strict=True)
        ]
        heads = [Column(""), Column("words", count), Column("accuracy", percent), Column("")]
        heads += [*columns(("probability", "ECE"), percent), Column("log loss", "{:.4f}".format)]
        return Table("Calibration", heads, rows)

    def table(self) -> str:
        """Everything as text."""
        temperatures = [
            f"Temperature of {name}: {before:.3f} before, {after:.3f} after"
            for name, (before, after) in self.temperatures.items()
        ]
        return text(self.errors(), "\n".join(temperatures))

    def as_dict(self) -> dict[str, Any]:
        """All numbers, for JSON."""
        return {
            "temperatures": {
                name: {"before": before, "after": after}
                for name, (before, after) in self.temperatures.items()
            },
            "predictions": {
                name: {"before": before.as_dict(), "after": after.as_dict()}
                for name, (before, after) in self.predictions.items()
            },
        }
