"""The marks of plots: a series has the same colour and shape in all plots of a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from markupsafe import Markup

from spacy_npparse.visualisation.markup import element, number

NAME_SIZE = 12.0
# Colours --s0, --s1, … in static/plot.css.
N_COLOURS = 8
# Circle, square, triangle and diamond.
_SHAPES = (
    "m-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0z",
    "m-3.6,-3.6h7.2v7.2h-7.2z",
    "m0,-4.8l4.6,8h-9.2z",
    "m0,-5l5,5l-5,5l-5,-5z",
)


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

    @property
    def values(self) -> list[float]:
        """All values that the axis of y has to show, error bars included."""
        ends = [value for point in self.points for value in (point.y, point.low, point.high)]
        return [value for value in ends if value is not None]


class Key(NamedTuple):
    """An entry of a legend.

    Attributes:
        swatch: The mark of a series, as SVG.
        name: Its name.
    """

    swatch: Markup
    name: str


def key(index: int, name: str) -> Key:
    """The entry of a series in a legend.

    Args:
        index: Its number in the plots.
        name: Its name.

    Returns:
        The entry.
    """
    stroke = element("line", class_=f"series {colour(index)}", x1=1, y1=7, x2=25, y2=7)
    swatch = element(
        "svg",
        stroke,
        mark(index, 13.0, 7.0, name),
        class_="npparse-plot npparse-swatch",
        viewBox="0 0 26 14",
        aria_hidden="true",
    )
    return Key(swatch, name)


def numbered(series: Sequence[Series]) -> list[tuple[int | None, Series]]:
    """Series with their numbers for colour and shape; muted ones, without a number, come first."""
    pairs = [(None if one.muted else index, one) for index, one in enumerate(series)]
    return sorted(pairs, key=lambda pair: pair[0] is not None)


def colour(index: int | None) -> str:
    """The CSS class of a series."""
    return "muted" if index is None else f"s{index % N_COLOURS}"


def mark(index: int | None, x: float, y: float, tooltip: str) -> Markup:
    """The mark of a series."""
    # When the colours start over, the shapes shift.
    turn = 0 if index is None else index + index // N_COLOURS
    path = f"M{number(x)},{number(y)}{_SHAPES[turn % len(_SHAPES)]}"
    return element("path", element("title", tooltip), class_=f"mark {colour(index)}", d=path)


def bar(index: int, x: float, y: float, width: float, height: float, tooltip: str) -> Markup:
    """A bar of a series, visible even if its value is small."""
    return element(
        "rect",
        element("title", tooltip),
        class_=f"bar {colour(index)}",
        x=x,
        y=y,
        width=max(width, 0.5),
        height=max(height, 0.5),
    )


def tooltip(name: str, point: Point, where: str) -> str:
    """The tooltip of a mark."""
    value = f"{point.y:,.2f}".removesuffix(".00")
    return f"{name}, {where}: {value}" + (f" ({point.note})" if point.note else "")
