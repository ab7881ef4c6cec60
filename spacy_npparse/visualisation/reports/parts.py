"""What the templates of reports are given: tables and plots."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, Protocol, TypeVar

from spacy_npparse.visualisation.plots import Axis, Drawing, Key, Point, Series, key

# The number of parsers in colour, beside the peers; more could not be told apart.
N_COLOURED = 5


def percent_axis(title: str) -> Axis:
    """An axis of percentages."""
    return Axis(title, percent=True)


class Cell(NamedTuple):
    """A cell of a table.

    Attributes:
        text: Its text.
        note: A note in small print below.
        strong: Whether it stands out.
        link: Where it leads, if anywhere.
        anchor: Where it leads on the same page, if anywhere.
    """

    text: str
    note: str = ""
    strong: bool = False
    link: str = ""
    anchor: str = ""


class Table(NamedTuple):
    """A table.

    Attributes:
        label: Text alternative.
        header: The heading of each column.
        rows: A cell for each column; the first one names the row.
    """

    label: str
    header: Sequence[str]
    rows: Sequence[Sequence[str | Cell]]


class Plot(NamedTuple):
    """A plot with its heading.

    Attributes:
        heading: The heading.
        drawing: What is drawn.
        table: Its figures, if there are more than the drawing shows.
        note: A sentence below the plot, or nothing.
    """

    heading: str
    drawing: Drawing
    table: Table | None = None
    note: str = ""

    @property
    def figures(self) -> Table:
        """The values as a table."""
        return self.table or figures(self.drawing)


class Bar(NamedTuple):
    """A row with a bar.

    Attributes:
        name: Its name.
        share: The length of the bar in percent of the longest possible.
        text: The value.
    """

    name: str
    share: float
    text: str


class Bars(NamedTuple):
    """Rows with bars from zero, each with its value: a table that needs no script.

    Attributes:
        heading: The heading.
        unit: What the values are.
        rows: The rows.
    """

    heading: str
    unit: str
    rows: Sequence[Bar]


class Ranked(Protocol):
    """A parser in a ranking."""

    @property
    def name(self) -> str: ...

    @property
    def is_peer(self) -> bool: ...


RankedParser = TypeVar("RankedParser", bound=Ranked)


def coloured(ranking: Sequence[RankedParser]) -> list[RankedParser]:
    """The parsers that plots show in colour: the best ones and the peers."""
    best = [parser for parser in ranking if not parser.is_peer][:N_COLOURED]
    return [parser for parser in ranking if parser.is_peer or parser in best]


def series_of(
    ranking: Sequence[RankedParser], points: Callable[[RankedParser], Iterable[Point]]
) -> list[Series]:
    """The series of all parsers, coloured ones first.

    Args:
        ranking: The parsers, the best one first.
        points: The points of a parser.
    """
    shown = coloured(ranking)
    others = [parser for parser in ranking if parser not in shown]
    return [
        *(Series(parser.name, list(points(parser))) for parser in shown),
        *(Series(parser.name, list(points(parser)), muted=True) for parser in others),
    ]


def keys(names: Iterable[str]) -> list[Key]:
    """The legend of series, in their order."""
    return [key(index, name) for index, name in enumerate(names)]


def rates_point(recall: float | None, precision: float | None) -> list[Point]:
    """Recall and precision as a point in percent; none if there is nothing to recall."""
    if recall is None:
        return []
    return [Point(100 * recall, None if precision is None else 100 * precision)]


def without_precision(series: Sequence[Series]) -> str:
    """A note about series that predict no arc, so that their points are not in the plot."""
    names = [one.name for one in series if any(point.y is None for point in one.points)]
    if not names:
        return ""
    return f"Not in the plot, since precision is undefined without predictions: {', '.join(names)}."


def figures(drawing: Drawing) -> Table:
    """All values of a plot, with their error bars.

    Args:
        drawing: The plot.

    Returns:
        A row for each point of a scatter plot; for each place of another, with a column for each
        series.
    """
    if drawing.kind == "scatter":
        points = [(one.name, point) for one in drawing.series for point in one.points]
        cells = [
            [name, _figure(point.x, drawing.x), _figure(point.y, drawing.y)]
            for name, point in points
        ]
        return Table(drawing.title, ["", drawing.x.title, drawing.y.title], cells)
    by_place = [{point.x: point for point in one.points} for one in drawing.series]
    places = range(len(drawing.names)) if drawing.names else sorted(set().union(*by_place))
    rows: list[list[str | Cell]] = [
        [
            drawing.names[round(place)] if drawing.names else _figure(place, drawing.x),
            *(_cell(points.get(place), drawing.y) for points in by_place),
        ]
        for place in places
    ]
    return Table(drawing.title, [drawing.x.title, *(one.name for one in drawing.series)], rows)


def _cell(point: Point | None, axis: Axis) -> Cell:
    if point is None:
        return Cell("")
    if point.low is None or point.high is None:
        return Cell(_figure(point.y, axis))
    interval = f"{_figure(point.low, axis)} to {_figure(point.high, axis)}"
    return Cell(_figure(point.y, axis), interval)


def _figure(value: float | None, axis: Axis) -> str:
    if value is None:
        return "-"
    return f"{value:.2f}" if axis.percent else f"{value:,.2f}".removesuffix(".00")
