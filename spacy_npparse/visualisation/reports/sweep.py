"""Parsers on several treebanks as a page: mean ranks, each treebank, each pair of parsers."""

from __future__ import annotations

from collections.abc import Mapping

from spacy_npparse.evaluation.leaderboard import LEVEL, TREE_SCORES
from spacy_npparse.evaluation.metrics import Metric
from spacy_npparse.evaluation.provenance import Provenance
from spacy_npparse.evaluation.significance import SEED
from spacy_npparse.evaluation.sweep import Entrant, Sweep, las_cell, rank_cell
from spacy_npparse.evaluation.text_table import p_equation, percent
from spacy_npparse.visualisation.page import Page, plural, render
from spacy_npparse.visualisation.plots import Axis, Point, dot_plot, scatter_plot
from spacy_npparse.visualisation.reports.parts import (
    N_COLOURED,
    Cell,
    Plot,
    Table,
    coloured,
    keys,
    percent_axis,
    rates_point,
    series_of,
    without_precision,
)


def render_sweep(
    sweep: Sweep, source: Provenance, links: Mapping[str, str], *, title: str = "Sweep"
) -> Page:
    """Write an HTML page about parsers trained on several treebanks.

    Args:
        sweep: From `evaluation.sweep.make_sweep`.
        source: What it was computed from.
        links: The page of each treebank, relative to this one.
        title: The heading of the page.

    Returns:
        A complete page that needs no network; its plots need scripts, their figures do not.
    """
    boards = sweep.boards.values()
    n_trials = sum(len(one.trials) for board in boards for one in board.standings)
    n_parsers, n_treebanks = len(sweep.entrants), len(sweep.boards)
    return render(
        "sweep.html",
        title=title,
        summary=f"{n_parsers} {plural('parser', n_parsers)}, {n_treebanks} "
        f"{plural('treebank', n_treebanks)}, {n_trials} trainings, {sweep.given}",
        source=source,
        samples=sweep.samples,
        seed=SEED,
        level=LEVEL,
        given=sweep.given,
        n_compared=len(sweep.compared),
        statistic=f"{sweep.test.statistic:.2f}",
        p_value=p_equation(sweep.test.p_value),
        entrants=_entrants(sweep),
        treebanks=_treebanks(sweep, links),
        pairs=_pairs(sweep),
        notes=sweep.notes,
        n_coloured=N_COLOURED,
        keys=keys(entrant.name for entrant in coloured(sweep.entrants)),
        plots=[_ranks(sweep), _accuracy(sweep), _speed(sweep), _crossing(sweep)],
    )


def _entrants(sweep: Sweep) -> Table:
    best = {
        metric: max(entrant.mean(metric) or 0.0 for entrant in sweep.entrants)
        for metric in sweep.scores.values()
    }
    cells: list[list[str | Cell]] = [
        [
            f"{place}.\u00a0{entrant.name}",
            rank_cell(entrant.mean_rank),
            entrant.groups,
            str(sweep.total_wins(entrant)),
            str(sweep.total_losses(entrant)),
            *(
                Cell(percent(entrant.mean(metric)), strong=entrant.mean(metric) == best[metric])
                for metric in sweep.scores.values()
            ),
            f"{entrant.words_per_second:,.0f}",
        ]
        for place, entrant in enumerate(sweep.entrants, 1)
    ]
    header = ["Parser", "Mean rank", "Group", "Wins", "Losses", *sweep.scores, "Words/s"]
    return Table("All treebanks", header, cells)


def _treebanks(sweep: Sweep, links: Mapping[str, str]) -> Table:
    """LAS of each parser on each treebank, and its letters there."""
    cells: list[list[str | Cell]] = []
    for treebank, board in sweep.boards.items():
        best = board.standings[0].mean(Metric.LAS)
        cells.append([Cell(treebank, link=links[treebank])])
        for entrant in sweep.entrants:
            standing = entrant.standings.get(treebank)
            cell = Cell(las_cell(entrant, treebank))
            if standing is not None:
                strong = standing.mean(Metric.LAS) == best
                cell = cell._replace(note=standing.groups, strong=strong)
            cells[-1].append(cell)
    names = [entrant.name for entrant in sweep.entrants]
    return Table("Treebanks", ["LAS", *names], cells)


def _pairs(sweep: Sweep) -> Table:
    """Wins of the parser of the row against that of the column, and the p-value of the pair."""
    cells: list[list[str | Cell]] = []
    for row, entrant in enumerate(sweep.entrants):
        cells.append([entrant.name])
        for column, other in enumerate(sweep.entrants):
            if row == column:
                cells[-1].append("")
                continue
            p = float(sweep.test.p_values[row, column])
            cells[-1].append(Cell(str(entrant.wins[other.name]), p_equation(p), strong=p < LEVEL))
    return Table("Pairs", ["Wins against", *(one.name for one in sweep.entrants)], cells)


def _ranks(sweep: Sweep) -> Plot:
    places = {entrant.name: place for place, entrant in enumerate(sweep.entrants)}
    drawing = dot_plot(
        series_of(sweep.entrants, lambda e: [Point(places[e.name], e.mean_rank)]),
        title="Mean ranks of the parsers",
        x=Axis("mean rank by LAS; 1 is the best"),
        names=list(places),
    )
    return Plot("Mean rank", drawing)


def _accuracy(sweep: Sweep) -> Plot:
    def points(entrant: Entrant) -> list[Point]:
        return [
            Point(row, 100 * las)
            for row, treebank in enumerate(sweep.boards)
            if treebank in entrant.standings
            and (las := entrant.standings[treebank].mean(Metric.LAS)) is not None
        ]

    drawing = dot_plot(
        series_of(sweep.entrants, points),
        title="LAS on each treebank",
        x=percent_axis("LAS, percent"),
        names=list(sweep.boards),
    )
    return Plot("Treebanks", drawing)


def _speed(sweep: Sweep) -> Plot:
    def points(entrant: Entrant) -> list[Point]:
        las = entrant.mean(Metric.LAS)
        return [Point(entrant.words_per_second, None if las is None else 100 * las)]

    drawing = scatter_plot(
        series_of(sweep.entrants, points),
        title="Mean LAS by speed",
        x=Axis("words per second, one thread", log=True),
        y=percent_axis("mean LAS, percent"),
    )
    return Plot("Accuracy and speed", drawing)


def _crossing(sweep: Sweep) -> Plot:
    """Mean precision against mean recall of non-projective arcs."""
    series = series_of(
        sweep.entrants,
        lambda e: rates_point(e.mean(TREE_SCORES["R np"]), e.mean(TREE_SCORES["P np"])),
    )
    drawing = scatter_plot(
        series,
        title="Mean precision and recall of non-projective arcs",
        x=percent_axis("mean recall, percent"),
        y=percent_axis("mean precision, percent"),
    )
    heading = "Non-projective arcs: precision and recall"
    return Plot(heading, drawing, note=without_precision(series))
