"""A leaderboard as a page: the table, learning curves, accuracy against speed, crossing arcs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from spacy_npparse.evaluation.leaderboard import LEVEL, SCORES, Leaderboard, Standing
from spacy_npparse.evaluation.provenance import Provenance
from spacy_npparse.evaluation.significance import SEED
from spacy_npparse.evaluation.text_table import score_cell
from spacy_npparse.visualisation.marks import Point, Series, legend
from spacy_npparse.visualisation.page import Page
from spacy_npparse.visualisation.plots import lines, rows, scatter
from spacy_npparse.visualisation.report import (
    Cell,
    plot_figure,
    plot_grid,
    report,
    section,
    table,
)

# So many of the best parsers have colours, beside the peers; more could not be told apart.
_COLOURED = 5


def render_leaderboard(
    board: Leaderboard, source: Provenance, *, title: str = "Leaderboard"
) -> Page:
    """Write an HTML page about parsers trained on the same treebank.

    Args:
        board: see `evaluation.leaderboard.make_leaderboard`.
        source: what it was made from.
        title: the heading of the page.

    Returns:
        A complete page that needs no scripts and nothing from the network.
    """
    best = [standing for standing in board.standings if not standing.is_peer][:_COLOURED]
    coloured = [standing for standing in board.standings if standing.is_peer or standing in best]
    n_trials = sum(len(standing.trials) for standing in board.standings)
    return report(
        title,
        f"{len(board.standings)} parsers, {n_trials} trainings",
        [
            section(
                "Leaderboard",
                "Official CoNLL 2018 scores on gold tokens and sentences, in percent; with several "
                "seeds, mean ± standard deviation. np: LAS of non-projective sentences, precision "
                "and recall of non-projective arcs. Two parsers have a letter in common just if "
                "they do not differ significantly in LAS (approximate randomisation over "
                f"sentences, {board.samples:,} exchanges, seed {SEED}; p < {LEVEL}, corrected "
                "after Holm for all pairs; whether other seeds would show the same is not "
                "tested). Speed: words that the whole pipeline, taggers included, handles in a "
                "second of one thread's CPU time. Training: CPU minutes. Peers have encoders, "
                "objectives and iterations of their own.",
                _table(board),
            ),
            section(
                "Plots",
                f"The best {_COLOURED} parsers and the peers have colours; the others tell their "
                "names when pointed at.",
                legend([standing.name for standing in coloured]),
                plot_grid(
                    [
                        plot_figure("Accuracy", _accuracy(board, coloured)),
                        plot_figure("Learning curves", _curves(board, coloured)),
                        plot_figure("Accuracy and speed", _speed(board, coloured)),
                        plot_figure(
                            "Non-projective arcs: precision and recall", _crossing(board, coloured)
                        ),
                    ]
                ),
            ),
        ],
        source,
    )


def _table(board: Leaderboard) -> str:
    best = {
        name: max((standing.mean(name) or 0.0 for standing in board.standings), default=0.0)
        for name in SCORES.values()
    }
    cells: list[list[str | Cell]] = []
    for place, standing in enumerate(board.standings, 1):
        scores = [
            Cell(score_cell(standing, name), strong=standing.mean(name) == best[name])
            for name in SCORES.values()
        ]
        cells.append(
            [
                f"{place}.\u00a0{standing.name}",
                *scores,
                standing.groups,
                f"{standing.words_per_second:,.0f}",
                f"{standing.training_minutes:.1f}",
                ", ".join(str(trial.seed) for trial in standing.trials),
            ]
        )
    header = ["Parser", *SCORES, "Group", "Words/s", "Training, min", "Seeds"]
    return table(header, cells, label="Leaderboard")


def _series(
    board: Leaderboard,
    coloured: Sequence[Standing],
    points: Callable[[Standing], Iterable[Point]],
) -> list[Series]:
    """Of all parsers, those with colours first."""
    others = [standing for standing in board.standings if standing not in coloured]
    return [
        *(Series(standing.name, list(points(standing))) for standing in coloured),
        *(Series(standing.name, list(points(standing)), muted=True) for standing in others),
    ]


def _accuracy(board: Leaderboard, coloured: Sequence[Standing]) -> str:
    places = {standing.name: place for place, standing in enumerate(board.standings)}

    def points(standing: Standing) -> list[Point]:
        low, high = (100 * end for end in standing.interval) if standing.interval else (None, None)
        las = standing.mean("LAS")
        return [Point(places[standing.name], None if las is None else 100 * las, low, high)]

    return rows(
        _series(board, coloured, points),
        title="LAS of the parsers",
        x_label="LAS, percent; 95 % interval over sentences",
        names=list(places),
    )


def _curves(board: Leaderboard, coloured: Sequence[Standing]) -> str:
    return lines(
        _series(
            board, coloured, lambda s: [Point(update, las) for update, las in s.curve if update]
        ),
        title="Learning curves",
        x_label="updates",
        y_label="LAS on the dev file, percent",
    )


def _speed(board: Leaderboard, coloured: Sequence[Standing]) -> str:
    def points(standing: Standing) -> list[Point]:
        las = standing.mean("LAS")
        return [Point(standing.words_per_second, None if las is None else 100 * las)]

    return scatter(
        _series(board, coloured, points),
        title="LAS by speed",
        x_label="words per second, one thread",
        y_label="LAS, percent",
        log_x=True,
    )


def _crossing(board: Leaderboard, coloured: Sequence[Standing]) -> str:
    def points(standing: Standing) -> list[Point]:
        recall, precision = standing.mean(SCORES["R np"]), standing.mean(SCORES["P np"])
        if recall is None:
            return []
        return [Point(100 * recall, None if precision is None else 100 * precision)]

    return scatter(
        _series(board, coloured, points),
        title="Precision and recall of non-projective arcs",
        x_label="recall, percent",
        y_label="precision, percent",
    )
