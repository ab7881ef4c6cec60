"""Line plots, scatter plots, bars and dot plots in rows, as SVG markup.

Every mark has a tooltip with its value, so that no plot needs a script.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from markupsafe import Markup

from spacy_npparse.visualisation.markup import element, number
from spacy_npparse.visualisation.plots.axes import (
    WIDTH,
    Axis,
    Frame,
    Scale,
    frame,
    line,
    picture,
    text,
    tick_label,
)
from spacy_npparse.visualisation.plots.marks import (
    NAME_SIZE,
    Series,
    bar,
    colour,
    mark,
    numbered,
    tooltip,
)
from spacy_npparse.visualisation.trees.layout import text_width

_ROW_HEIGHT = 36.0
_HEAD = 28.0
_TITLE_FOOT = 17.0  # the title of the vertical axis ends here


def line_plot(
    series: Sequence[Series], *, title: str, x: Axis, y: Axis, categories: Sequence[str] = ()
) -> Markup:
    """A line with marks for each series, broken where values are missing.

    Args:
        series: The series, their points from left to right.
        title: Text alternative.
        x: The horizontal axis.
        y: The vertical axis.
        categories: The names of x = 0, 1, …, if x is not numeric.

    Returns:
        An SVG element, styled by `plot.css` and `tree.css`.
    """
    place = _frame(series, x, y, categories)
    parts = list(place.markup)
    for index, one in numbered(series):
        stretches: list[list[str]] = [[]]
        for point in one.points:
            if point.y is None:
                stretches.append([])
            else:
                stretches[-1].append(f"{number(place.x(point.x))},{number(place.y(point.y))}")
        parts += [
            element("polyline", class_=f"series {colour(index)}", points=" ".join(stretch))
            for stretch in stretches
            if stretch[1:]
        ]
    return picture(title, [*parts, *_points(series, place, categories)])


def scatter_plot(series: Sequence[Series], *, title: str, x: Axis, y: Axis) -> Markup:
    """Marks for each series, with its name beside the first point where there is room.

    Args:
        series: The series; muted ones are not named.
        title: Text alternative.
        x: The horizontal axis.
        y: The vertical axis.

    Returns:
        An SVG element, styled by `plot.css` and `tree.css`.
    """
    place = _frame(series, x, y, (), margin=0.04)
    parts = [*place.markup, *_points(series, place, ())]
    places = [
        [(place.x(point.x), place.y(point.y)) for point in one.points if point.y is not None]
        for one in series
    ]
    names: list[_Box] = []
    taken = [_Box(x - 5, y - 5, x + 5, y + 5) for points in places for x, y in points]
    for one, points in zip(series, places, strict=True):
        if points and not one.muted:
            options = _label_places(*points[0], text_width(one.name, NAME_SIZE))
            box = min(options, key=lambda box: sum(map(box.overlap, taken)) + box.outside(place))
            # A name over another could not be read; the tooltip has it.
            if not any(map(box.overlap, names)):
                taken.append(box)
                names.append(box)
                parts.append(text(box.left, box.bottom - 3.0, one.name, "start", "name halo"))
    return picture(title, parts)


def bar_plot(
    series: Sequence[Series], *, title: str, x: Axis, y: Axis, categories: Sequence[str]
) -> Markup:
    """Vertical bars from zero, those of the same category side by side.

    Args:
        series: The series.
        title: Text alternative.
        x: The horizontal axis.
        y: The vertical axis.
        categories: The names of x = 0, 1, ….

    Returns:
        An SVG element, styled by `plot.css` and `tree.css`.
    """
    values = [value for one in series for value in one.values]
    place = frame(x, y, [], y.ticks([0.0, *values]), categories)
    parts = list(place.markup)
    width = 0.8 * (place.x(1.0) - place.x(0.0)) / max(1, len(series))
    for index, one in enumerate(series):
        for point in one.points:
            if point.y is not None:
                left = place.x(point.x) + (index - len(series) / 2) * width
                top = place.y(point.y)
                told = tooltip(one.name, point, categories[round(point.x)])
                parts.append(bar(index, left, top, width, place.y(0.0) - top, told))
    return picture(title, parts)


def dot_plot(
    series: Sequence[Series],
    *,
    title: str,
    x: Axis,
    names: Sequence[str],
    reference: float | None = None,
) -> Markup:
    """Marks with error bars in rows, each row under its name.

    Args:
        series: The x of a point is the number of its row, its y the value.
        title: Text alternative.
        x: The axis of the values.
        names: The names of the rows.
        reference: A value to mark by a vertical line.

    Returns:
        An SVG element, styled by `plot.css` and `tree.css`.
    """
    values = [value for one in series for value in one.values]
    values += [] if reference is None else [reference]
    # Inset by half the width of a mark.
    scale, parts, height = _rows_frame(values, x, names, inset=6.0)
    for row in range(len(names)):
        parts.append(line(scale.start, _row(row), scale.end, _row(row), "grid"))
    if reference is not None:
        at = scale(reference)
        parts.append(line(at, _HEAD - 6.0, at, _row(len(names)) - 12.0, "reference"))
    for index, one in numbered(series):
        for point in one.points:
            if point.y is None:
                continue
            middle = _row(point.x)
            if point.low is not None and point.high is not None:
                spread = f"spread {colour(index)}"
                parts.append(line(scale(point.low), middle, scale(point.high), middle, spread))
            told = tooltip(one.name, point, names[round(point.x)])
            parts.append(mark(index, scale(point.y), middle, told))
    return picture(title, parts, height)


def row_bars(
    values: Sequence[float],
    *,
    title: str,
    x: Axis,
    names: Sequence[str],
    shown: Sequence[str],
) -> Markup:
    """Horizontal bars from zero, each under its name and its value.

    Args:
        values: The value of each row, not negative.
        title: Text alternative.
        x: The axis of the values.
        names: The names of the rows.
        shown: The values as text.

    Returns:
        An SVG element, styled by `plot.css` and `tree.css`.
    """
    scale, parts, height = _rows_frame([0.0, *values], x, names, inset=0.0)
    for row, (value, name, label) in enumerate(zip(values, names, shown, strict=True)):
        width = scale(value) - scale(0.0)
        parts.append(bar(0, scale(0.0), _row(row) - 5.0, width, 9.0, f"{name}: {label}"))
        parts.append(text(WIDTH - 2.0, _row(row) - 10.0, label, "end", "value halo"))
    return picture(title, parts, height)


class _Box(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float

    def overlap(self, other: _Box) -> float:
        """The area of the intersection."""
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.bottom, other.bottom) - max(self.top, other.top)
        return max(0.0, width) * max(0.0, height)

    def outside(self, place: Frame) -> float:
        """The penalty for leaving the plot, worse than any overlap."""
        beside = max(0.0, place.x.start - self.left) + max(0.0, self.right - WIDTH)
        above = max(0.0, _TITLE_FOOT - self.top)
        return 1000.0 * (beside + above + max(0.0, self.bottom - place.y.start))


def _label_places(x: float, y: float, width: float) -> Iterator[_Box]:
    """Boxes for the name of a point, in order of preference."""
    half = (NAME_SIZE + 2.0) / 2
    for left, middle in (
        (x + 8.0, y),
        (x - 8.0 - width, y),
        (x - width / 2, y - 13.0),
        (x - width / 2, y + 13.0),
        (x + 6.0, y - 11.0),
        (x + 6.0, y + 11.0),
        (x - 6.0 - width, y - 11.0),
        (x + 6.0, y - 28.0),
        (x - 6.0 - width, y - 28.0),
        (x + 6.0, y + 28.0),
        (x - 6.0 - width, y + 28.0),
        (x - 6.0 - width, y + 11.0),
    ):
        yield _Box(left, middle - half, left + width, middle + half)


def _points(series: Sequence[Series], place: Frame, categories: Sequence[str]) -> Iterator[Markup]:
    """Marks with their error bars."""
    for index, one in numbered(series):
        for point in one.points:
            if point.y is None:
                continue
            x = place.x(point.x)
            if point.low is not None and point.high is not None:
                spread = f"spread {colour(index)}"
                yield line(x, place.y(point.low), x, place.y(point.high), spread)
            where = categories[round(point.x)] if categories else tick_label(point.x)
            yield mark(index, x, place.y(point.y), tooltip(one.name, point, where))


def _frame(
    series: Sequence[Series], x: Axis, y: Axis, categories: Sequence[str], margin: float = 0.0
) -> Frame:
    """A frame for all values, with a margin around them as a share of their range."""
    x_ticks = x.ticks((point.x for one in series for point in one.points), margin)
    y_ticks = y.ticks((value for one in series for value in one.values), margin)
    return frame(x, y, x_ticks, y_ticks, categories)


def _rows_frame(
    values: Sequence[float], x: Axis, names: Sequence[str], inset: float
) -> tuple[Scale, list[Markup], float]:
    """The scale of the values, grid and names, and the height of the picture."""
    marks = x.ticks(values)
    scale = Scale(marks[0], marks[-1], 2.0 + inset, WIDTH - 2.0 - inset)
    foot = _row(len(names)) - 12.0
    parts = [text(2.0, 14.0, x.title, "start", "title")]
    for i, value in enumerate(marks):
        parts.append(line(scale(value), _HEAD - 6.0, scale(value), foot, "grid"))
        anchor, shift = ("start", -inset) if i == 0 else ("middle", 0.0)
        if i == len(marks) - 1:
            anchor, shift = "end", inset
        parts.append(text(scale(value) + shift, foot + 15.0, tick_label(value), anchor))
    for row, name in enumerate(names):
        parts.append(text(2.0, _row(row) - 10.0, name, "start", "name halo"))
    return scale, parts, foot + 22.0


def _row(row: float) -> float:
    """y of the marks in a row, whose name stands above them."""
    return _HEAD + _ROW_HEIGHT * row + 20.0
