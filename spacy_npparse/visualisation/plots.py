"""Plots as data, which Chart.js draws in the browser.

`static/plots.js` draws the plots. Chart.js keeps a page self-contained and small: 210 kB once in
each page with plots, including tooltips. Error bars, names of points and dark mode take a few lines
each. A table beside every plot contains its figures, for readers without scripts, for screen
readers and for search. The alternatives, with the size of the script in each page:

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

# The number of colours --s0, --s1, … in static/plot.css.
N_COLOURS = 8
# The shapes by their names in Chart.js and as characters in legends.
_SHAPES = (("circle", "●"), ("rect", "■"), ("triangle", "▲"), ("rectRot", "◆"))
_DIGITS = 4


class Point(NamedTuple):
    """A value to show.

    Attributes:
        x: The x value, or the number of the category or row.
        y: The value; None if it is undefined.
        low: The lower end of the error bar; None if there is none.
        high: The upper end of the error bar.
        note: Text that is added to the tooltip.
    """

    x: float
    y: float | None
    low: float | None = None
    high: float | None = None
    note: str = ""


def rate_point(
    x: float, rate: float | None, interval: tuple[float, float] | None = None, note: str = ""
) -> Point:
    """Make a point on an axis of percentages.

    Args:
        x: The x value, or the number of the category or row.
        rate: The value, 0 to 1; None if it is undefined.
        interval: The ends of the error bar; None if there is none.
        note: Text that is added to the tooltip.
    """
    low, high = (100 * end for end in interval) if interval else (None, None)
    return Point(x, None if rate is None else 100 * rate, low, high, note)


@dataclass(frozen=True)
class Series:
    """The points of one parser. Its index in the plot determines its colour and shape.

    Attributes:
        name: The name of the parser.
        points: The points, from left to right.
        muted: Whether the series is in the background, grey and without its name.
    """

    name: str
    points: Sequence[Point]
    muted: bool = False


class Axis(NamedTuple):
    """An axis of a plot.

    Attributes:
        title: The title of the axis, with the unit.
        log: Whether the axis is logarithmic.
        percent: Whether its values are percentages, so that it ends at 100 at the latest.
    """

    title: str
    log: bool = False
    percent: bool = False


@dataclass(frozen=True)
class Plot:
    """A plot with a heading, as data.

    Attributes:
        heading: The heading.
        kind: The kind of plot: "lines", with a line and marks for each series, interrupted where
            values are missing; "scatter", with marks, and the name of the series beside its first
            point where there is room; "bars", vertical bars from zero, with those of a category
            side by side; or "rows", with marks and error bars in named rows.
        series: The series, with points from left to right.
        y: The axis of the values, which is the horizontal one in a plot with rows.
        x: The horizontal axis, or that of categories. It has no title in a plot with rows.
        names: The names of x = 0, 1, …, if x is not numeric.
        reference: A value that a line marks across the rows.
        title: The text alternative; by default the heading.
        table: The figures, if there are more than the plot shows.
        note: A sentence below the plot, or in place of an empty one; may be empty.
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
        """Convert the values to a table. A scatter plot has a row for each point. Other plots have
        a row for each x and a column for each series, with error bars."""
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
        """Convert the plot to JSON for `plots.js`."""
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
    """Make the entry of a series in a legend.

    Args:
        index: The index of the series in the plot.
        name: The name of the series.

    Returns:
        The entry.
    """
    return Key(index % N_COLOURS, _shape(index)[1], name)


def _shape(index: int) -> tuple[str, str]:
    # When the colours repeat, the shapes shift.
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
    """Convert a point to JSON, without invisible digits."""
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
    """Choose the function that writes the values of an axis."""
    if axis.percent:
        return "{:.2f}".format
    return lambda value: f"{value:,.2f}".removesuffix(".00")
