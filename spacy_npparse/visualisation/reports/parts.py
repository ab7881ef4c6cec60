"""The content of reports for their templates: tables, plots and trees."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, Protocol, TypeVar

from markupsafe import Markup

from spacy_npparse.evaluation.metrics import Metric
from spacy_npparse.evaluation.seeds import Scored
from spacy_npparse.treebank.sentence import EMPTY, Sentence
from spacy_npparse.visualisation.plots import Axis, Key, Plot, Point, Series, key, rate_point
from spacy_npparse.visualisation.trees.drawing import draw_tree
from spacy_npparse.visualisation.trees.layout import Arc
from spacy_npparse.visualisation.trees.picture import ROW_WIDTH

# The number of parsers in colour, in addition to those of other packages. More could not be
# distinguished.
N_COLOURED = 5


def draw_sentence(sentence: Sentence, above: Sequence[Arc], below: Sequence[Arc]) -> Markup:
    """Draw a sentence of a treebank with arcs above and below its words, and its tags if it has
    any."""
    words, tags = [row.form for row in sentence.words], [row.upos for row in sentence.words]
    tagged = tags if set(tags) != {EMPTY} else None
    return draw_tree(words, above, below=below, tags=tagged, width=ROW_WIDTH)


def percent_axis(title: str) -> Axis:
    """Make an axis of percentages."""
    return Axis(title, percent=True)


class Bar(NamedTuple):
    """A row with a bar.

    Attributes:
        name: The name of the row.
        share: The length of the bar in percent of the longest possible.
        text: The value.
    """

    name: str
    share: float
    text: str


class Bars(NamedTuple):
    """Rows with bars from zero and their values, as a table that needs no script.

    Attributes:
        heading: The heading.
        unit: The unit of the values.
        rows: The rows.
    """

    heading: str
    unit: str
    rows: Sequence[Bar]


class Ranked(Scored, Protocol):
    """A parser in a ranking."""

    @property
    def name(self) -> str: ...

    @property
    def is_peer(self) -> bool: ...

    @property
    def words_per_second(self) -> float: ...


RankedParser = TypeVar("RankedParser", bound=Ranked)


def coloured(ranking: Sequence[RankedParser]) -> list[RankedParser]:
    """Select the parsers that plots show in colour: the best ones and those of other packages."""
    best = [parser for parser in ranking if not parser.is_peer][:N_COLOURED]
    return [parser for parser in ranking if parser.is_peer or parser in best]


def series_of(
    ranking: Sequence[RankedParser], points: Callable[[RankedParser], Iterable[Point]]
) -> list[Series]:
    """Make the series of all parsers, coloured ones first.

    Args:
        ranking: The parsers, the best one first.
        points: A function that returns the points of a parser.
    """
    shown = coloured(ranking)
    others = [parser for parser in ranking if parser not in shown]
    return [
        *(Series(parser.name, list(points(parser))) for parser in shown),
        *(Series(parser.name, list(points(parser)), muted=True) for parser in others),
    ]


def keys(names: Iterable[str]) -> list[Key]:
    """Make the legend of series, in their order."""
    return [key(index, name) for index, name in enumerate(names)]


def rates_point(recall: float | None, precision: float | None) -> list[Point]:
    """Make a point of recall and precision in percent; empty if there is nothing to recall."""
    return [] if recall is None else [rate_point(100 * recall, precision)]


def without_precision(series: Sequence[Series]) -> str:
    """Name the series that predict no arc, whose points are therefore missing from the plot."""
    names = [one.name for one in series if any(point.y is None for point in one.points)]
    if not names:
        return ""
    return f"Not in the plot, since precision is undefined without predictions: {', '.join(names)}."


def speed_plot(ranking: Sequence[RankedParser], mean: str = "") -> Plot:
    """Plot LAS by speed.

    Args:
        ranking: The parsers, the best one first.
        mean: The text before the names of scores.
    """
    return Plot(
        "Accuracy and speed",
        "scatter",
        series_of(ranking, lambda p: [rate_point(p.words_per_second, p.mean(Metric.LAS))]),
        percent_axis(f"{mean}LAS, percent"),
        Axis("words per second, one thread", log=True),
        title=_capitalized(f"{mean}LAS by speed"),
    )


def crossing_points(parser: Scored) -> list[Point]:
    """Make the point of a parser in a plot of precision against recall of non-projective arcs."""
    return rates_point(
        parser.mean(Metric.NONPROJECTIVE_RECALL), parser.mean(Metric.NONPROJECTIVE_PRECISION)
    )


def crossing_plot(series: Sequence[Series], mean: str = "") -> Plot:
    """Plot precision against recall of non-projective arcs. If the gold trees have no such arcs, or
    if no parser predicts any, the plot is empty, and its note says so.

    Args:
        series: The series, with points as from `crossing_points`.
        mean: The text before the names of scores.
    """
    points = [point for one in series for point in one.points]
    if not points:
        note = "The gold trees have no non-projective arcs."
    elif all(point.y is None for point in points):
        note = "No parser predicts non-projective arcs: recall is 0, and precision is undefined."
    else:
        note = without_precision(series)
    return Plot(
        "Non-projective arcs: precision and recall",
        "scatter",
        series,
        percent_axis(f"{mean}precision, percent"),
        percent_axis(f"{mean}recall, percent"),
        title=_capitalized(f"{mean}precision and recall of non-projective arcs"),
        note=note,
    )


def _capitalized(title: str) -> str:
    return title[0].upper() + title[1:]
