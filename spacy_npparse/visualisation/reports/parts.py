"""What the templates of reports are given: tables and plots."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from markupsafe import Markup

from spacy_npparse.visualisation.plots.axes import Axis
from spacy_npparse.visualisation.plots.marks import Key, Point, Series, key


def percent_axis(title: str) -> Axis:
    """An axis of percentages."""
    return Axis(title, at_most=100.0)


class Cell(NamedTuple):
    """A cell of a table.

    Attributes:
        text: Its text.
        note: A note in small print below.
        strong: Whether it stands out.
    """

    text: str
    note: str = ""
    strong: bool = False


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
        drawing: The SVG element.
        table: The values as a table, if there is one.
        note: A sentence below the plot, or nothing.
    """

    heading: str
    drawing: Markup
    table: Table | None = None
    note: str = ""


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
