"""Ranking of parsers by LAS, with the significance of their differences."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import mean
from typing import Any

import numpy as np

from spacy_npparse.evaluation.metrics import Metric
from spacy_npparse.evaluation.scores import Scores
from spacy_npparse.evaluation.seeds import TrainedParser
from spacy_npparse.evaluation.significance import (
    SAMPLES,
    bootstrap,
    holm,
    pairwise_randomisation,
    percentile_intervals,
    significance_groups,
)
from spacy_npparse.evaluation.text_table import score_cell, text_table

LEVEL = 0.05
# The scores of a leaderboard by the heads of their columns.
SCORES = {
    "UAS": Metric.UAS,
    "LAS": Metric.LAS,
    "LAS np": Metric.NONPROJECTIVE_LAS,
    "P np": Metric.NONPROJECTIVE_PRECISION,
    "R np": Metric.NONPROJECTIVE_RECALL,
}


@dataclass(frozen=True)
class Trial:
    """Results of a parser trained with one seed.

    Attributes:
        seed: The seed.
        file: Its predictions.
        scores: Their scores.
        words_per_second: Parsing speed, CPU time on one thread.
        training_minutes: CPU time on one thread.
        curve: Learning curve: number of updates, and LAS on the dev file in percent.
    """

    seed: int
    file: str
    scores: Scores
    words_per_second: float
    training_minutes: float
    curve: Sequence[tuple[int, float]]


@dataclass(frozen=True)
class Standing(TrainedParser):
    """A parser in the ranking.

    Attributes:
        name: Its name.
        trials: Its results with each seed.
        is_peer: Whether it is a parser of another package.
        groups: Compact letter display: two parsers share a letter if and only if they do not differ
            significantly in LAS.
        interval: 95 % confidence interval of LAS, by bootstrap over sentences.
    """

    name: str
    trials: Sequence[Trial]
    is_peer: bool
    groups: str
    interval: tuple[float, float] | None

    def all_scores(self) -> list[Scores]:
        """The scores with each seed."""
        return [trial.scores for trial in self.trials]

    @property
    def words_per_second(self) -> float:
        """Parsing speed, averaged over the seeds."""
        return mean(trial.words_per_second for trial in self.trials)

    @property
    def training_minutes(self) -> float:
        """Training time, averaged over the seeds."""
        return mean(trial.training_minutes for trial in self.trials)

    @property
    def curve(self) -> list[tuple[int, float]]:
        """The learning curve, averaged over the seeds where all of them were evaluated."""
        curves = [dict(trial.curve) for trial in self.trials]
        common = [update for update in curves[0] if all(update in curve for curve in curves)]
        return [(update, mean(curve[update] for curve in curves)) for update in sorted(common)]


@dataclass(frozen=True)
class Leaderboard:
    """A ranking; see `make_leaderboard`.

    Attributes:
        standings: The parsers, the best one first.
        p_values: [standings, standings] of the differences in LAS, corrected after Holm.
        samples: Number of random assignments per test.
    """

    standings: list[Standing]
    p_values: list[list[float]]
    samples: int

    def table(self) -> str:
        """The table for the terminal."""
        header = ["parser", "seeds", *SCORES, "group", "words/s", "training"]
        rows = [
            [
                standing.name,
                str(len(standing.trials)),
                *(score_cell(standing, metric) for metric in SCORES.values()),
                standing.groups,
                f"{standing.words_per_second:,.0f}",
                f"{standing.training_minutes:.1f} min",
            ]
            for standing in self.standings
        ]
        return "\n".join(text_table(header, rows))

    def as_dict(self) -> dict[str, Any]:
        """The ranking, for JSON."""
        return {
            "level": LEVEL,
            "parsers": [
                {
                    "name": standing.name,
                    "peer": standing.is_peer,
                    "groups": standing.groups,
                    "interval": standing.interval,
                    "words_per_second": standing.words_per_second,
                    "training_minutes": standing.training_minutes,
                    "scores": {metric.value: standing.mean(metric) for metric in SCORES.values()},
                    "trials": [
                        {**asdict(trial), "scores": trial.scores.as_dict()}
                        for trial in standing.trials
                    ],
                }
                for standing in self.standings
            ],
            "holm_p_values": self.p_values,
            "samples": self.samples,
        }


def make_leaderboard(
    results: Mapping[str, Sequence[Trial]], words: Sequence[int], peers: Collection[str] = ()
) -> Leaderboard:
    """Rank parsers by LAS.

    Differences are tested by approximate randomisation over sentences (averaged over seeds) at the
    level of 0.05, corrected for multiple comparisons after Holm.

    Args:
        results: The trials of each parser, at least one each, on the same sentences.
        words: Number of words with gold heads in each of these sentences.
        peers: The names of the parsers of other packages.
    """
    correct = {
        name: np.mean([trial.scores.correct_words for trial in trials], axis=0)
        for name, trials in results.items()
    }
    names = sorted(results, key=lambda name: (-correct[name].sum(), name))
    numbers = np.array([correct[name] for name in names])
    # Enough samples for corrected p-values to reach the level.
    n_pairs = len(names) * (len(names) - 1) // 2
    samples = max(SAMPLES, math.ceil(20 * n_pairs / LEVEL))
    p_values = holm(pairwise_randomisation(numbers, samples))
    fractions = np.stack([numbers, np.broadcast_to(words, numbers.shape)], axis=-1)
    intervals = percentile_intervals(bootstrap(fractions[:, :, None])[..., 0])
    groups = significance_groups(p_values, LEVEL)
    return Leaderboard(
        [
            Standing(name, results[name], name in peers, groups[i], intervals[i])
            for i, name in enumerate(names)
        ],
        p_values.tolist(),
        samples,
    )
