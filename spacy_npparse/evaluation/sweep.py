"""Parsers on several treebanks: ranks, wins and losses, and their significance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Any, NamedTuple

import numpy as np

from spacy_npparse.evaluation.leaderboard import LEVEL, Leaderboard, Standing, score_columns
from spacy_npparse.evaluation.metrics import Metric
from spacy_npparse.evaluation.rank_tests import RankTest, rank_test, ranks
from spacy_npparse.evaluation.seeds import known, score_cells
from spacy_npparse.evaluation.significance import (
    SAMPLES,
    Counts,
    p_equation,
    significance_groups,
)
from spacy_npparse.tables import Cell, Column, Table, columns, count, percent, text


class Wins(NamedTuple):
    """The number of treebanks on which a parser has a higher LAS than another one.

    Attributes:
        all: The number of these treebanks.
        significant: The number of those on which the difference is significant.
    """

    all: int = 0
    significant: int = 0

    def __str__(self) -> str:
        return f"{self.all} ({self.significant})"


@dataclass(frozen=True)
class Entrant:
    """A parser on several treebanks.

    Attributes:
        name: The name of the parser.
        is_peer: Whether it is a parser of another package.
        standings: Its standing on each treebank that it has results on.
        ranks: Its ranks by LAS on the compared treebanks. Parsers that tie share the mean of their
            ranks.
        groups: The letters of the compact letter display. Two parsers share a letter if and only if
            they do not differ significantly across treebanks.
        wins: Its wins against each other parser.
    """

    name: str
    is_peer: bool
    standings: Mapping[str, Standing]
    ranks: Mapping[str, float]
    groups: str
    wins: Mapping[str, Wins]

    @property
    def mean_rank(self) -> float | None:
        """The mean of its ranks; None without treebanks to compare."""
        return mean(self.ranks.values()) if self.ranks else None

    def mean(self, metric: Metric) -> float | None:
        """Average a score over the compared treebanks with equal weights; None if it is undefined
        on one of them."""
        values = known([self.standings[treebank].mean(metric) for treebank in self.ranks])
        return mean(values) if values else None

    def written(self, metric: Metric) -> str:
        """Write the mean of a score in percent."""
        return percent(self.mean(metric))

    @property
    def words_per_second(self) -> float:
        """The parsing speed, averaged over all treebanks."""
        return mean(standing.words_per_second for standing in self.standings.values())


@dataclass(frozen=True)
class Sweep:
    """Parsers ranked on several treebanks; see `make_sweep`.

    Attributes:
        boards: The leaderboard of each treebank.
        entrants: The parsers, with the best mean rank first.
        compared: The treebanks on which all parsers have results.
        test: The significance of differences across treebanks.
        samples: The number of random permutations.
    """

    boards: Mapping[str, Leaderboard]
    entrants: list[Entrant]
    compared: list[str]
    test: RankTest
    samples: int

    @property
    def given(self) -> str:
        """The input of the parsers, for readers."""
        return next(iter(self.boards.values())).given

    @property
    def raw(self) -> bool:
        """Whether the parsers got plain text."""
        return next(iter(self.boards.values())).raw

    @property
    def scores(self) -> dict[str, Metric]:
        """The scores of trees that all treebanks have, by the headings of their columns."""
        found = [board.tree_scores for board in self.boards.values()]
        return {
            head: metric for head, metric in found[0].items() if all(head in one for one in found)
        }

    @property
    def notes(self) -> list[str]:
        """Notes on results that are not compared, and the reasons."""
        found = []
        for treebank in self.boards:
            if treebank not in self.compared:
                missing = [one.name for one in self.entrants if treebank not in one.standings]
                found.append(f"Not compared: {treebank}, without results of {', '.join(missing)}.")
        return found

    def total_wins(self, entrant: Entrant) -> Wins:
        """Sum the wins of a parser over the others."""
        return _sum(list(entrant.wins.values()))

    def total_losses(self, entrant: Entrant) -> Wins:
        """Sum the wins of all others against a parser."""
        return _sum([one.wins[entrant.name] for one in self.entrants if one is not entrant])

    def table(self) -> str:
        """Write the results as text."""
        n = len(self.compared)
        notes = [
            f"Ranked by LAS (F1) from {self.given} on {n} treebank{'s' * (n != 1)}; wins and "
            "losses: in brackets those that are significant.",
            "Parsers with a letter in common do not differ significantly across treebanks "
            "(Nemenyi's test).",
            f"Friedman's test: chi-squared {self.test.statistic:.2f}, "
            f"{p_equation(self.test.p_value)}.",
            *self.notes,
        ]
        return text(self.ranking(), self.las(), "\n".join(notes))

    def ranking(self) -> Table:
        """Make the table of parsers with their scores on all treebanks, the best parser first."""
        scores = [score_cells(self.entrants, metric) for metric in self.scores.values()]
        rows = [
            [
                one.name,
                one.mean_rank,
                *of_parser,
                self.total_wins(one),
                self.total_losses(one),
                one.groups,
                one.words_per_second,
            ]
            for one, *of_parser in zip(self.entrants, *scores, strict=True)
        ]
        heads = [Column("parser", term="peer"), Column("mean rank", "{:.2f}".format)]
        heads += [*score_columns(self.scores), *columns(("wins", "losses", "group"))]
        heads.append(Column("words/s", count, on_page=True))
        return Table("All treebanks", heads, rows, numbered=True)

    def las(self, links: Mapping[str, str] | None = None) -> Table:
        """Make the table of the LAS and the letters of each parser on each treebank.

        Args:
            links: The escaped URL of each treebank's page; None if there are none.
        """
        rows = []
        for treebank, board in self.boards.items():
            found = zip(board.standings, score_cells(board.standings, Metric.LAS), strict=True)
            cells = {one.name: cell._replace(note=one.groups) for one, cell in found}
            name = Cell(treebank, link=(links or {}).get(treebank, ""))
            rows.append([name, *(cells.get(one.name) for one in self.entrants)])
        heads = columns(["LAS", *(one.name for one in self.entrants)])
        return Table("Treebanks", heads, rows)

    def pairs(self) -> Table:
        """Make the table of wins of the row's parser against the column's, and the p-value of the
        pair."""
        rows = [
            [
                one.name,
                *(
                    Cell(one.wins[other.name], p_equation(p), strong=p < LEVEL)
                    if other is not one
                    else ""
                    for other, p in zip(self.entrants, p_values, strict=True)
                ),
            ]
            for one, p_values in zip(self.entrants, self.test.p_values.tolist(), strict=True)
        ]
        return Table("Pairs", columns(["Wins against", *(one.name for one in self.entrants)]), rows)

    def as_dict(self) -> dict[str, Any]:
        """Convert the ranking to JSON."""
        return {
            "raw": self.raw,
            "level": LEVEL,
            "treebanks": list(self.boards),
            "compared": self.compared,
            "parsers": [
                {
                    "name": entrant.name,
                    "peer": entrant.is_peer,
                    "mean_rank": entrant.mean_rank,
                    "ranks": dict(entrant.ranks),
                    "groups": entrant.groups,
                    "wins": {name: wins._asdict() for name, wins in entrant.wins.items()},
                    "words_per_second": entrant.words_per_second,
                    "scores": {
                        metric.value: entrant.mean(metric) for metric in self.scores.values()
                    },
                    "las": {
                        treebank: standing.mean(Metric.LAS)
                        for treebank, standing in entrant.standings.items()
                    },
                }
                for entrant in self.entrants
            ],
            "friedman": {"statistic": self.test.statistic, "p_value": self.test.p_value},
            "nemenyi_p_values": self.test.p_values.tolist(),
            "samples": self.samples,
        }


def make_sweep(boards: Mapping[str, Leaderboard]) -> Sweep:
    """Rank parsers by the mean of their ranks on several treebanks.

    Differences on one treebank are tested over its sentences (see `make_leaderboard`), which shows
    whether a parser is better on this treebank. Differences across treebanks are tested over the
    treebanks (see `rank_test`), which shows whether it would be better on another similar treebank.
    Only treebanks on which all parsers have results are compared.

    Args:
        boards: The leaderboards by the name of the treebank, at least one.

    Returns:
        The ranking.
    """
    standings: dict[str, dict[str, Standing]] = {}
    for treebank, board in boards.items():
        for standing in board.standings:
            standings.setdefault(standing.name, {})[treebank] = standing
    compared = [
        treebank for treebank in boards if all(treebank in found for found in standings.values())
    ]
    las = _las(standings, compared)
    by_treebank = ranks(las)
    # Sorting is stable: parsers with the same mean rank and LAS are sorted by name.
    names = sorted(standings)
    columns = {name: column for column, name in enumerate(standings)}
    names.sort(key=lambda name: (by_treebank[:, columns[name]].sum(), -las[:, columns[name]].sum()))
    by_treebank = by_treebank[:, [columns[name] for name in names]]
    test = rank_test(by_treebank)
    groups = significance_groups(test.p_values, LEVEL)
    by_parser = {
        name: dict(zip(compared, by_treebank[:, place].tolist(), strict=True))
        for place, name in enumerate(names)
    }
    significant = {treebank: _significant(boards[treebank]) for treebank in compared}
    entrants = [
        Entrant(
            name,
            next(iter(standings[name].values())).is_peer,
            standings[name],
            by_parser[name],
            groups[place],
            {other: _wins(name, other, by_parser, significant) for other in names if other != name},
        )
        for place, name in enumerate(names)
    ]
    return Sweep(boards, entrants, compared, test, SAMPLES)


def _las(standings: Mapping[str, Mapping[str, Standing]], treebanks: Sequence[str]) -> Counts:
    """Collect LAS: [treebanks, parsers]."""
    values = [
        [found[treebank].mean(Metric.LAS) or 0.0 for found in standings.values()]
        for treebank in treebanks
    ]
    return np.array(values, dtype=np.float64).reshape(len(treebanks), len(standings))


def _significant(board: Leaderboard) -> set[tuple[str, str]]:
    """Find the pairs of parsers that differ significantly on a treebank."""
    names = [standing.name for standing in board.standings]
    pairs = np.argwhere(np.array(board.p_values) < LEVEL).tolist()
    return {(names[i], names[j]) for i, j in pairs}


def _wins(
    name: str,
    other: str,
    ranks_of: Mapping[str, Mapping[str, float]],
    significant: Mapping[str, set[tuple[str, str]]],
) -> Wins:
    """Count the treebanks on which a parser is better than another one."""
    won = [one for one in significant if ranks_of[name][one] < ranks_of[other][one]]
    return Wins(len(won), sum((name, other) in significant[one] for one in won))


def _sum(wins: Sequence[Wins]) -> Wins:
    return Wins(sum(one.all for one in wins), sum(one.significant for one in wins))
