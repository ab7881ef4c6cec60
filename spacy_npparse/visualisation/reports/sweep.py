"""Parsers on several treebanks as a page, with mean ranks, each treebank and each pair of
parsers."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote

from spacy_npparse.evaluation.leaderboard import LEVEL
from spacy_npparse.evaluation.metrics import Metric
from spacy_npparse.evaluation.provenance import Provenance
from spacy_npparse.evaluation.significance import SEED, p_equation
from spacy_npparse.evaluation.sweep import Entrant, Sweep
from spacy_npparse.visualisation.page import Page, plural, render
from spacy_npparse.visualisation.plots import Axis, Plot, Point, rate_point
from spacy_npparse.visualisation.reports.parts import (
    N_COLOURED,
    coloured,
    crossing_plot,
    crossing_points,
    keys,
    percent_axis,
    series_of,
    speed_plot,
)


def render_sweep(
    sweep: Sweep, source: Provenance, links: Mapping[str, str], *, title: str = "Sweep"
) -> Page:
    """Make an HTML page about parsers trained on several treebanks.

    Args:
        sweep: The results that `evaluation.sweep.make_sweep` returned.
        source: The provenance of the results.
        links: The page of each treebank, relative to this page.
        title: The heading of the page.

    Returns:
        A complete page that needs no network. Its plots need scripts, but their figures do not.
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
        entrants=sweep.ranking(),
        treebanks=sweep.las({name: quote(link) for name, link in links.items()}),
        pairs=sweep.pairs(),
        notes=sweep.notes,
        n_coloured=N_COLOURED,
        keys=keys(entrant.name for entrant in coloured(sweep.entrants)),
        plots=[
            _ranks(sweep),
            _accuracy(sweep),
            speed_plot(sweep.entrants, "mean "),
            crossing_plot(series_of(sweep.entrants, crossing_points), "mean "),
        ],
    )


def _ranks(sweep: Sweep) -> Plot:
    places = {entrant.name: place for place, entrant in enumerate(sweep.entrants)}
    return Plot(
        "Mean rank",
        "rows",
        series_of(sweep.entrants, lambda e: [Point(places[e.name], e.mean_rank)]),
        Axis("mean rank by LAS; 1 is the best"),
        names=list(places),
        title="Mean ranks of the parsers",
    )


def _accuracy(sweep: Sweep) -> Plot:
    def points(entrant: Entrant) -> list[Point]:
        return [
            rate_point(row, entrant.standings[treebank].mean(Metric.LAS))
            for row, treebank in enumerate(sweep.boards)
            if treebank in entrant.standings
        ]

    return Plot(
        "Treebanks",
        "rows",
        series_of(sweep.entrants, points),
        percent_axis("LAS, percent"),
        names=list(sweep.boards),
        title="LAS on each treebank",
    )
