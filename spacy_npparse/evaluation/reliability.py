"""Reliability of probabilities: how often predictions with a given probability are correct."""

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
        count: The number of predictions.
        probability: The mean probability of the predictions.
        accuracy: The share of correct predictions.
    """

    count: int
    probability: float
    accuracy: float


@dataclass(frozen=True)
class Reliability:
    """The reliability of the probabilities of predictions.

    Attributes:
        bins: The bins of predictions by probability, without empty ones.
        log_loss: The mean negative log-likelihood of the predictions being correct or not.
    """

    bins: Sequence[ReliabilityBin]
    log_loss: float

    @property
    def count(self) -> int:
        """The number of predictions."""
        return sum(one.count for one in self.bins)

    @property
    def probability(self) -> float:
        """The mean probability of the predictions."""
        return sum(one.count * one.probability for one in self.bins) / self.count

    @property
    def accuracy(self) -> float:
        """The share of correct predictions."""
        return sum(one.count * one.accuracy for one in self.bins) / self.count

    @property
    def expected_calibration_error(self) -> float:
        """The mean difference between probability and accuracy over bins, weighted by their counts.

        Source: Naeini, Cooper and Hauskrecht (2015).
        """
        gaps = (one.count * abs(one.probability - one.accuracy) for one in self.bins)
        return sum(gaps) / self.count

    def as_dict(self) -> dict[str, Any]:
        """Convert all numbers to JSON."""
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
    """Compare the probabilities of predictions with the share of correct ones.

    Args:
        probabilities: [n], the probabilities of predictions, at least one.
        right: [n], 1 or True for correct predictions.
        n_bins: The number of bins of equal width.

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
    """The reliability of probabilities before and after calibration.

    Attributes:
        temperatures: The temperatures before and after, by the name of the scores.
        predictions: The reliability before and after, by the kind of predictions. Kinds without
            predictions are missing.
    """

    temperatures: Mapping[str, tuple[float, float]]
    predictions: Mapping[str, tuple[Reliability, Reliability]]

    def errors(self) -> Table:
        """Make the table of accuracies, probabilities and their differences."""
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
        """Write the table as text."""
        temperatures = [
            f"Temperature of {name}: {before:.3f} before, {after:.3f} after"
            for name, (before, after) in self.temperatures.items()
        ]
        return text(self.errors(), "\n".join(temperatures))

    def as_dict(self) -> dict[str, Any]:
        """Convert all numbers to JSON."""
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
