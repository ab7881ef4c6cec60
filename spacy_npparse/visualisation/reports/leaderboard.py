"""A leaderboard as a page: scores, learning curves, accuracy and speed, non-projective arcs."""

from __future__ import annotations

from collections.abc import Collection

from spacy_npparse.evaluation.leaderboard import LEVEL, TREE_SCORES, Leaderboard, Standing
from spacy_npparse.evaluation.metrics import Metric
from spacy_npparse.evaluation.provenance import Provenance
from spacy_npparse.evaluation.significance import SEED
from spacy_npparse.evaluation.text_table import score_cell
from spacy_npparse.visualisation.page import Page, render
from spacy_npparse.visualisation.plots import (
    Axis,
    Point,
    dot_plot,
    line_plot,
    scatter_plot,
)
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


def render_leaderboard(
    board: Leaderboard, source: Provenance, *, title: str = "Leaderboard"
) -> Page:
    """Write an HTML page about parsers trained on the same treebank.

    Args:
        board: From `evaluation.leaderboard.make_leaderboard`.
        source: What it was computed from.
        title: The heading of the page.

    Returns:
        A complete page that needs no network; its plots need scripts, their figures do not.
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
        standings=_table(board),
        words=_word_table(board),
        notes=board.notes,
        n_coloured=N_COLOURED,
        keys=keys(standing.name for standing in coloured(board.standings)),
        plots=[_accuracy(board), _curves(board), _speed(board), _crossing(board)],
    )


def _table(board: Leaderboard) -> Table:
    scores = _cells(board, board.tree_scores.values())
    cells: list[list[str | Cell]] = [
        [
            f"{place}.\u00a0{standing.name}",
            *scores[standing.name],
            standing.groups,
            f"{standing.words_per_second:,.0f}",
            f"{standing.training_minutes:.1f}",
            ", ".join(str(trial.seed) for trial in standing.trials),
        ]
        for place, standing in enumerate(board.standings, 1)
    ]
    header = ["Parser", *board.tree_scores, "Group", "Words/s", "Training, min", "Seeds"]
    return Table("Leaderboard", header, cells)


def _word_table(board: Leaderboard) -> Table | None:
    """Tokens, sentences, tags and lemmas; None if all parsers have the same."""
    if not board.word_scores:
        return None
    scores = _cells(board, board.word_scores.values())
    cells: list[list[str | Cell]] = [[name, *found] for name, found in scores.items()]
    return Table("Words and tags", ["Parser", *board.word_scores], cells)


def _cells(board: Leaderboard, metrics: Collection[Metric]) -> dict[str, list[Cell]]:
    """The scores of each parser, the best ones marked."""
    best = {
        metric: max((standing.mean(metric) or 0.0 for standing in board.standings), default=0.0)
        for metric in metrics
    }
    return {
        standing.name: [
            Cell(score_cell(standing, metric), strong=standing.mean(metric) == best[metric])
            for metric in metrics
        ]
        for standing in board.standings
    }


def _accuracy(board: Leaderboard) -> Plot:
    places = {standing.name: place for place, standing in enumerate(board.standings)}

    def points(standing: Standing) -> list[Point]:
        low, high = (100 * end for end in standing.interval) if standing.interval else (None, None)
        las = standing.mean(Metric.LAS)
        return [Point(places[standing.name], None if las is None else 100 * las, low, high)]

    drawing = dot_plot(
        series_of(board.standings, points),
        title="LAS of the parsers",
        x=percent_axis("LAS, percent; 95 % interval over sentences"),
        names=list(places),
    )
    return Plot("Accuracy", drawing)


def _curves(board: Leaderboard) -> Plot:
    drawing = line_plot(
        series_of(
            board.standings, lambda s: [Point(update, las) for update, las in s.curve if update]
        ),
        title="Learning curves",
        x=Axis("updates"),
        y=percent_axis("LAS on the dev file, percent"),
    )
    return Plot("Learning curves", drawing)


def _speed(board: Leaderboard) -> Plot:
    def points(standing: Standing) -> list[Point]:
        las = standing.mean(Metric.LAS)
        return [Point(standing.words_per_second, None if las is None else 100 * las)]

    drawing = scatter_plot(
        series_of(board.standings, points),
        title="LAS by speed",
        x=Axis("words per second, one thread", log=True),
        y=percent_axis("LAS, percent"),
    )
    return Plot("Accuracy and speed", drawing)


def _crossing(board: Leaderboard) -> Plot:
    """Precision against recall of non-projective arcs."""
    series = series_of(
        board.standings,
        lambda s: rates_point(s.mean(TREE_SCORES["R np"]), s.mean(TREE_SCORES["P np"])),
    )
    drawing = scatter_plot(
        series,
        title="Precision and recall of non-projective arcs",
        x=percent_axis("recall, percent"),
        y=percent_axis("precision, percent"),
    )
    heading = "Non-projective arcs: precision and recall"
    return Plot(heading, drawing, note=without_precision(series))
