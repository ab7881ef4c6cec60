"""A leaderboard as a page: scores, learning curves, accuracy and speed, non-projective arcs."""

from __future__ import annotations

from spacy_npparse.evaluation.leaderboard import LEVEL, Leaderboard, Standing
from spacy_npparse.evaluation.metrics import Metric
from spacy_npparse.evaluation.provenance import Provenance
from spacy_npparse.evaluation.significance import SEED
from spacy_npparse.visualisation.page import Page, render
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


def render_leaderboard(
    board: Leaderboard, source: Provenance, *, title: str = "Leaderboard"
) -> Page:
    """Make an HTML page about parsers trained on the same treebank.

    Args:
        board: The leaderboard that `evaluation.leaderboard.make_leaderboard` returned.
        source: The provenance of the results.
        title: The heading of the page.

    Returns:
        A complete page that needs no network. Its plots need scripts, but their figures do not.
    """
    n_trials = sum(len(standing.trials) for standing in board.standings)
    return render(
        "leaderboard.html",
        title=title,
        summary=f"{len(board.standings)} parsers, {n_trials} trainings, {board.given}",
        source=source,
        samples=board.samples,
        seed=SEED,
        level=LEVEL,
        raw=board.raw,
        given=board.given,
        standings=board.ranking(),
        words=board.words(),
        notes=board.notes,
        n_coloured=N_COLOURED,
        keys=keys(standing.name for standing in coloured(board.standings)),
        plots=[
            _accuracy(board),
            _curves(board),
            speed_plot(board.standings),
            crossing_plot(series_of(board.standings, crossing_points)),
        ],
    )


def _accuracy(board: Leaderboard) -> Plot:
    places = {standing.name: place for place, standing in enumerate(board.standings)}

    def points(standing: Standing) -> list[Point]:
        return [rate_point(places[standing.name], standing.mean(Metric.LAS), standing.interval)]

    return Plot(
        "Accuracy",
        "rows",
        series_of(board.standings, points),
        percent_axis("LAS, percent; 95 % interval over sentences"),
        names=list(places),
        title="LAS of the parsers",
    )


def _curves(board: Leaderboard) -> Plot:
    return Plot(
        "Learning curves",
        "lines",
        series_of(
            board.standings, lambda s: [Point(update, las) for update, las in s.curve if update]
        ),
        percent_axis("LAS on the dev file, percent"),
        Axis("updates"),
    )
