"""A ranking of parsers by LAS, with the significance of their differences."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import mean
from typing import Any

import numpy as np

from spacy_npparse.evaluation.metrics import SEGMENTATION, TAGS, TREES, Metric
from spacy_npparse.evaluation.scores import Scores
from spacy_npparse.evaluation.seeds import (
    TrainedParser,
    informative_scores,
    score_cells,
    score_notes,
    split_scores,
)
from spacy_npparse.evaluation.significance import (
    SAMPLES,
    Counts,
    bootstrap,
    holm,
    pairwise_randomisation,
    percentile_intervals,
    significance_groups,
)
from spacy_npparse.tables import Cell, Column, Table, columns, count, percent, text

LEVEL = 0.05
# The scores of trees, by the headings of their columns.
TREE_SCORES = {
    **{metric.label: metric for metric in TREES},
    "LAS np": Metric.NONPROJECTIVE_LAS,
    "P np": Metric.NONPROJECTIVE_PRECISION,
    "R np": Metric.NONPROJECTIVE_RECALL,
}
_TERMS = {"LAS np": "non-projective arc", "P np": "precision", "R np": "recall"}
# The scores of tokens, sentences, tags and lemmas.
_WORD_SCORES = (*SEGMENTATION, *TAGS)


@dataclass(frozen=True)
class Trial:
    """The results of a parser trained with one seed.

    Attributes:
        seed: The seed.
        file: The name of the file with its predictions.
        scores: The scores of the predictions.
        words_per_second: The parsing speed, by CPU time on one thread.
        training_minutes: The CPU time of the training, on one thread.
        curve: The learning curve: pairs of a number of updates and LAS on the dev file in percent.
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
        name: The name of the parser.
        trials: The results with each seed.
        is_peer: Whether it is a parser of another package.
        groups: The letters of the compact letter display. Two parsers share a letter if and only if
            they do not differ significantly in LAS.
        interval: The 95 % confidence interval of LAS, by bootstrap over sentences.
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
        """The parsing speed, averaged over the seeds."""
        return mean(trial.words_per_second for trial in self.trials)

    @property
    def training_minutes(self) -> float:
        """The training time, averaged over the seeds."""
        return mean(trial.training_minutes for trial in self.trials)

    @property
    def curve(self) -> list[tuple[int, float]]:
        """The learning curve, averaged over the seeds at the updates where all of them were
        evaluated."""
        curves = [dict(trial.curve) for trial in self.trials]
        common = [update for update in curves[0] if all(update in curve for curve in curves)]
        return [(update, mean(curve[update] for curve in curves)) for update in sorted(common)]


@dataclass(frozen=True)
class Leaderboard:
    """A ranking; see `make_leaderboard`.

    Attributes:
        standings: The parsers, the best one first.
        p_values: [standings, standings], the p-values of the differences in LAS, corrected after
            Holm.
        samples: The number of random assignments in each test.
        raw: Whether the parsers got plain text instead of gold tokens and sentences.
    """

    standings: list[Standing]
    p_values: list[list[float]]
    samples: int
    raw: bool = False

    @property
    def given(self) -> str:
        """The input of the parsers, for readers."""
        return "plain text" if self.raw else "gold tokens and sentences"

    @property
    def tree_scores(self) -> dict[str, Metric]:
        """The scores of trees, by the headings of their columns."""
        known = informative_scores(self.standings)
        return {head: metric for head, metric in TREE_SCORES.items() if metric in known}

    @property
    def notes(self) -> list[str]:
        """Notes on scores without a column, because they are equal or have no gold annotation."""
        return score_notes(self.standings, self._word_scores())

    def _word_scores(self) -> list[Metric]:
        known = informative_scores(self.standings)
        return [metric for metric in _WORD_SCORES if metric in known]

    def table(self) -> str:
        """Write the leaderboard as text."""
        ranking = f"Ranked by LAS (F1) from {self.given}."
        return text(self.ranking(), self.words() or "", "\n".join([ranking, *self.notes]))

    def ranking(self) -> Table:
        """Make the table of parsers with the scores of trees, the best parser first."""
        scores = [score_cells(self.standings, metric) for metric in self.tree_scores.values()]
        rows = [
            [
                one.name,
                Cell(len(one.trials), ", ".join(str(trial.seed) for trial in one.trials)),
                *of_parser,
                one.groups,
                one.words_per_second,
                one.training_minutes,
            ]
            for one, *of_parser in zip(self.standings, *scores, strict=True)
        ]
        heads = [Column("parser", term="peer"), Column("seeds"), *score_columns(self.tree_scores)]
        heads += [Column("group"), Column("words/s", count)]
        heads.append(Column("training", "{:.1f} min".format))
        return Table("Leaderboard", heads, rows, numbered=True)

    def words(self) -> Table | None:
        """Make the table of the scores of tokens, sentences, tags and lemmas that differ; None if
        there are none."""
        differing, _ = split_scores(self.standings, self._word_scores())
        if not differing:
            return None
        scores = [score_cells(self.standings, metric) for metric in differing]
        rows = [[one.name, *row] for one, *row in zip(self.standings, *scores, strict=True)]
        heads = columns(["parser", *(metric.label for metric in differing)])
        return Table("Words and tags", heads, rows)

    def as_dict(self) -> dict[str, Any]:
        """Convert the ranking to JSON."""
        known = informative_scores(self.standings)
        return {
            "raw": self.raw,
            "level": LEVEL,
            "parsers": [
                {
                    "name": standing.name,
                    "peer": standing.is_peer,
                    "groups": standing.groups,
                    "interval": standing.interval,
                    "words_per_second": standing.words_per_second,
                    "training_minutes": standing.training_minutes,
                    "scores": {
                        metric.value: standing.mean(metric)
                        for metric in (*_WORD_SCORES, *TREE_SCORES.values())
                        if metric in known
                    },
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


def score_columns(heads: Iterable[str]) -> list[Column]:
    """Make columns for scores of trees.

    Args:
        heads: The headings, keys of `TREE_SCORES`.
    """
    return [Column(head, percent, term=_TERMS.get(head, head)) for head in heads]


def make_leaderboard(
    results: Mapping[str, Sequence[Trial]], peers: Collection[str] = (), *, raw: bool = False
) -> Leaderboard:
    """Rank parsers by LAS.

    Differences are tested by approximate randomisation over sentences, averaged over seeds, at the
    level of 0.05, and corrected for multiple comparisons after Holm. The tests exchange, and the
    bootstrap draws, gold sentences, whatever the predicted tokens and sentences are: the correct
    arcs of a gold sentence together with its gold words and the predicted words that count in it
    (see `gold_sentences`). The LAS of a sample is thus a ratio of sums, like that of the whole.

    Args:
        results: The trials of each parser, at least one, on the same gold sentences.
        peers: The names of parsers of other packages.
        raw: Whether the parsers got plain text instead of gold tokens and sentences.
    """
    las = {
        name: mean(trial.scores.official[Metric.LAS].f1 for trial in trials)
        for name, trials in results.items()
    }
    names = sorted(results, key=lambda name: (-las[name], name))
    fractions = np.stack([_las_fractions(results[name]) for name in names])
    # Take enough samples for corrected p-values to reach the level.
    n_pairs = len(names) * (len(names) - 1) // 2
    samples = max(SAMPLES, math.ceil(20 * n_pairs / LEVEL))
    p_values = holm(pairwise_randomisation(fractions, samples))
    intervals = percentile_intervals(bootstrap(fractions[:, :, None])[..., 0])
    groups = significance_groups(p_values, LEVEL)
    return Leaderboard(
        [
            Standing(name, results[name], name in peers, groups[i], intervals[i])
            for i, name in enumerate(names)
        ],
        p_values.tolist(),
        samples,
        raw,
    )


def _las_fractions(trials: Sequence[Trial]) -> Counts:
    """Average the numerator and denominator of LAS over the seeds: [sentences, 2]."""
    counts = [
        [(2 * las.correct, las.gold + las.system) for las in trial.scores.las_of_sentences]
        for trial in trials
    ]
    averaged: Counts = np.mean(np.array(counts, dtype=np.float64), axis=0)
    return averaged
