"""Plots as data, drawn in the browser by Chart.js.

`static/plots.js` draws them. Chart.js keeps a page self-contained and small: 210 kB once in each
page with plots, with hover; error bars, names of points and dark mode take a few lines each. The
figures of every plot stand in a table beside it, for readers without scripts, for screen readers
and for search. Considered instead, with the size of the script that each page would contain:

* uPlot 1.6 (51 kB) has scatter plots, tooltips and error bars only by code of our own.
* Observable Plot 0.6 with D3 7 (209 + 281 kB) leaves nothing of the 500 kB for trees.
* Frappe Charts 1.6 (69 kB) has neither scatter plots nor logarithmic axes.
* Vega-Lite: 899 kB with Vega and its loader; plotly.js and Bokeh exceed 1 MB.
* pygal 3.1 needs a script for tooltips too and has no dot plots in rows; Matplotlib's SVG has
  neither tooltips nor dark mode.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from spacy_npparse.tables import Cell, Column, Table, columns

# Colours --s0, --s1, … in static/plot.css.
N_COLOURS = 8
# As Chart.js calls them, and as they stand in legends.
_SHAPES = (("circle", "●"), ("rect", "■"), ("triangle", "▲"), ("rectRot", "◆"))
_DIGITS = 4


class Point(NamedTuple):
    """A value to show.

    Attributes:
        x: Its x, or the number of its category or row.
        y: The value, None if it is undefined.
        low: Lower end of the error bar, if there is one.
        high: Upper end of the error bar.
        note: Text added to the tooltip.
    """

    x: float
    y: float | None
    low: float | None = None
    high: float | None = None
    note: str = ""


def rate_point(
    x: float, rate: float | None, interval: tuple[float, float] | None = None, note: str = ""
) -> Point:
    """A point on an axis of percentages.

    Args:
        x: Its x, or the number of its category or row.
        rate: The value, 0..1, None if it is undefined.
        interval: Ends of the error bar, if there is one.
        note: Text added to the tooltip.
    """
    low, high = (100 * end for end in interval) if interval else (None, None)
    return Point(x, None if rate is None else 100 * rate, low, high, note)


@dataclass(frozen=True)
class Series:
    """The points of one parser. Its position among the series of a plot gives colour and shape.

    Attributes:
        name: Its name.
        points: Its points, from left to right.
        muted: Whether it stays in the background, grey and without its name.
    """

    name: str
    points: Sequence[Point]
    muted: bool = False


class Axis(NamedTuple):
    """An axis of a plot.

    Attributes:
        title: What its values are, with their unit.
        log: Whether it is logarithmic.
        percent: Whether its values are percentages, so that it ends at 100 at the latest.
    """

    title: str
    log: bool = False
    percent: bool = False


@dataclass(frozen=True)
class Plot:
    """A plot with its heading, as data.

    Attributes:
        heading: The heading.
        kind: How it is drawn: lines, a line with marks for each series, broken where values are
            missing; scatter, marks with the name of the series beside the first point where there
            is room; bars, vertical ones from zero, those of the same category side by side; rows,
            marks with error bars, each row under its name.
        series: The series; their points from left to right.
        y: The axis of the values; the horizontal one of a plot in rows.
        x: The horizontal axis; the axis of the categories if there are some, without title for
            rows.
        names: The names of x = 0, 1, …, if x is not numeric.
        reference: A value to mark by a line across the rows.
        title: Text alternative; the heading, unless another one is given.
        table: Its figures, if there are more than the plot shows.
        note: A sentence below the plot, or in place of an empty one; or nothing.
    """

    heading: str
    kind: Literal["lines", "scatter", "bars", "rows"]
    series: Sequence[Series]
    y: Axis
    x: Axis = Axis("")
    names: Sequence[str] = ()
    reference: float | None = None
    title: str = ""
    table: Table | None = None
    note: str = ""

    @property
    def figures(self) -> Table:
        """The values as a table: for a scatter plot a row for each point, for another a row for
        each place and a column for each series, with error bars."""
        if self.table is not None:
            return self.table
        title, form = self.title or self.heading, _form(self.y)
        x = Column(self.x.title, _form(self.x))
        if self.kind == "scatter":
            points = [[one.name, p.x, p.y] for one in self.series for p in one.points]
            return Table(title, [Column(""), x, Column(self.y.title, form)], points)
        by_place = [{point.x: point for point in one.points} for one in self.series]
        places = range(len(self.names)) if self.names else sorted(set().union(*by_place))
        rows = [
            [
                self.names[round(place)] if self.names else place,
                *(_cell(points.get(place), form) for points in by_place),
            ]
            for place in places
        ]
        return Table(title, [x, *columns([one.name for one in self.series], form)], rows)

    @property
    def is_empty(self) -> bool:
        """Whether no value is known, so that there is nothing to draw."""
        return all(point.y is None for one in self.series for point in one.points)

    @property
    def data(self) -> dict[str, object]:
        """What `plots.js` reads, for JSON."""
        return {
            "kind": self.kind,
            "x": self.x._asdict(),
            "y": self.y._asdict(),
            "series": [_series(index, one) for index, one in enumerate(self.series)],
            "names": list(self.names),
            "reference": self.reference,
        }


class Key(NamedTuple):
    """An entry of a legend.

    Attributes:
        colour: The number of the colour.
        mark: The shape of the points, as a character.
        name: The name of the series.
    """

    colour: int
    mark: str
    name: str


def key(index: int, name: str) -> Key:
    """The entry of a series in a legend.

    Args:
        index: Its number in the plots.
        name: Its name.

    Returns:
        The entry.
    """
    return Key(index % N_COLOURS, _shape(index)[1], name)


def _shape(index: int) -> tuple[str, str]:
    # When the colours start over, the shapes shift.
    return _SHAPES[(index + index // N_COLOURS) % len(_SHAPES)]


def _series(index: int, one: Series) -> dict[str, object]:
    return {
        "name": one.name,
        "muted": one.muted,
        "colour": "--line" if one.muted else f"--s{index % N_COLOURS}",
        "shape": _SHAPES[0][0] if one.muted else _shape(index)[0],
        "points": [_point(point) for point in one.points],
    }


def _point(point: Point) -> dict[str, float | str]:
    """What is known about a point, without digits that nobody sees."""
    return {
        name: round(value, _DIGITS) if isinstance(value, float) else value
        for name, value in point._asdict().items()
        if value not in (None, "")
    }


def _cell(point: Point | None, form: Callable[[float], str]) -> Cell:
    if point is None:
        return Cell("")
    if point.low is None or point.high is None:
        return Cell(point.y)
    return Cell(point.y, f"{form(point.low)} to {form(point.high)}")


def _form(axis: Axis) -> Callable[[float], str]:
    """How the values of an axis are written."""
    if axis.percent:
        return "{:.2f}".format
    return lambda value: f"{value:,.2f}".removesuffix(".00")
