"""Plots as SVG markup for pages: lines, scattered points, bars and rows.

Values are told by tooltips too, so that no plot needs a script.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from spacy_npparse.visualisation.axes import (
    WIDTH,
    Frame,
    Scale,
    frame,
    line,
    log_ticks,
    picture,
    text,
    tick_label,
    ticks,
)
from spacy_npparse.visualisation.layout import text_width
from spacy_npparse.visualisation.marks import (
    NAME_SIZE,
    Series,
    bar,
    colour,
    mark,
    numbered,
    tooltip,
)
from spacy_npparse.visualisation.svg import number

_ROW_HEIGHT = 36.0
_HEAD = 28.0


def lines(
    series: Sequence[Series],
    *,
    title: str,
    x_label: str,
    y_label: str,
    categories: Sequence[str] = (),
    log_x: bool = False,
) -> str:
    """A line with marks for each series, broken where values are missing.

    Args:
        series: their points from left to right.
        title: what the plot shows, for readers who cannot see it.
        x_label: the title of the horizontal axis.
        y_label: the title of the vertical axis.
        categories: the names of x = 0, 1, …, if x is no number.
        log_x: whether x has a logarithmic scale.

    Returns:
        An SVG element; `marks.PLOT_STYLE` and the style of pages belong to it.
    """
    place = _frame(series, x_label, y_label, categories, log_x)
    parts = list(place.markup)
    for index, one in numbered(series):
        stretches: list[list[str]] = [[]]
        for point in one.points:
            if point.y is None:
                stretches.append([])
            else:
                stretches[-1].append(f"{number(place.x(point.x))},{number(place.y(point.y))}")
        parts += [
            f'<polyline class="series {colour(index)}" points="{" ".join(stretch)}"/>'
            for stretch in stretches
            if stretch[1:]
        ]
    return picture(title, [*parts, *_points(series, place, categories)])


def scatter(
    series: Sequence[Series], *, title: str, x_label: str, y_label: str, log_x: bool = False
) -> str:
    """Marks for each series, named beside its first point where there is room, unless it is muted.

    For arguments and result see `lines`.
    """
    place = _frame(series, x_label, y_label, (), log_x, margin=0.04)
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
            # Names on names could not be read; the mark tells it, too.
            if not any(map(box.overlap, names)):
                taken.append(box)
                names.append(box)
                parts.append(text(box.left, box.bottom - 3.0, one.name, "start", "name halo"))
    return picture(title, parts)


def bars(
    series: Sequence[Series], *, title: str, x_label: str, y_label: str, categories: Sequence[str]
) -> str:
    """Upright bars from zero, those of the same category side by side.

    For arguments and result see `lines`.
    """
    highest = max((value for one in series for value in one.values), default=0.0)
    y_ticks = ticks(0.0, highest or 1.0)
    place = frame([], y_ticks, x_label=x_label, y_label=y_label, categories=categories)
    parts = list(place.markup)
    width = 0.8 * (place.x(1.0) - place.x(0.0)) / max(1, len(series))
    for index, one in enumerate(series):
        for point in one.points:
            if point.y is not None:
                x = place.x(point.x) + (index - len(series) / 2) * width
                y = place.y(point.y)
                told = tooltip(one.name, point, categories[round(point.x)])
                parts.append(bar(index, x, y, width, place.y(0.0) - y, told))
    return picture(title, parts)


def rows(
    series: Sequence[Series],
    *,
    title: str,
    x_label: str,
    names: Sequence[str],
    reference: float | None = None,
) -> str:
    """Marks from left to right in rows, one below the other, each under its name.

    Args:
        series: the x of a point is the number of its row, its y the value.
        title: what the plot shows, for readers who cannot see it.
        x_label: what the values are.
        names: of the rows.
        reference: a value to mark by an upright line.

    Returns:
        An SVG element, see `lines`.
    """
    values = [value for one in series for value in one.values]
    values += [] if reference is None else [reference]
    # Marks at the ends of the scale have room for their halves.
    scale, parts, height = _rows_frame(values or [0.0], x_label, names, inset=6.0)
    for row in range(len(names)):
        parts.append(line(scale.start, _row(row), scale.end, _row(row), "grid"))
    if reference is not None:
        x = scale(reference)
        parts.append(line(x, _HEAD - 6.0, x, _row(len(names)) - 12.0, "reference"))
    for index, one in numbered(series):
        for point in one.points:
            if point.y is None:
                continue
            y = _row(point.x)
            if point.low is not None and point.high is not None:
                spread = f"spread {colour(index)}"
                parts.append(line(scale(point.low), y, scale(point.high), y, spread))
            told = tooltip(one.name, point, names[round(point.x)])
            parts.append(mark(index, scale(point.y), y, told))
    return picture(title, parts, height)


def row_bars(
    values: Sequence[float],
    *,
    title: str,
    x_label: str,
    names: Sequence[str],
    shown: Sequence[str],
) -> str:
    """Bars from zero to the right, one below the other, each under its name and its value.

    Args:
        values: not negative, one for each row.
        title: what the plot shows, for readers who cannot see it.
        x_label: what the values are.
        names: of the rows.
        shown: the values as they are written.

    Returns:
        An SVG element, see `lines`.
    """
    scale, parts, height = _rows_frame([0.0, *values], x_label, names, inset=0.0)
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
        """The area in common."""
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.bottom, other.bottom) - max(self.top, other.top)
        return max(0.0, width) * max(0.0, height)

    def outside(self, place: Frame) -> float:
        """How far it leaves the plot, which is worse than any overlap."""
        beside = max(0.0, place.x.start - self.left) + max(0.0, self.right - WIDTH)
        return 1000.0 * (beside + max(0.0, self.bottom - place.y.start))


def _label_places(x: float, y: float, width: float) -> Iterator[_Box]:
    """Where the name of a point can stand, the best place first."""
    half = (NAME_SIZE + 2.0) / 2
    for left, middle in (
        (x + 8.0, y),
        (x - 8.0 - width, y),
        (x - width / 2, y - 13.0),
        (x - width / 2, y + 13.0),
        (x + 6.0, y - 11.0),
        (x + 6.0, y + 11.0),
        (x - 6.0 - width, y - 11.0),
        (x - 6.0 - width, y + 11.0),
    ):
        yield _Box(left, middle - half, left + width, middle + half)


def _points(series: Sequence[Series], place: Frame, categories: Sequence[str]) -> Iterator[str]:
    """Marks with their spread."""
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
    series: Sequence[Series],
    x_label: str,
    y_label: str,
    categories: Sequence[str],
    log_x: bool,
    margin: float = 0.0,
) -> Frame:
    """A frame for all values, with a margin around them as a share of their range. It does not
    reach below 0 if they do not."""
    xs = [point.x for one in series for point in one.points] or [1.0]
    ys = [value for one in series for value in one.values] or [0.0]
    x_ticks = log_ticks(min(xs), max(xs)) if log_x else ticks(*_range(xs, margin))
    y_ticks = ticks(*_range(ys, margin))
    return frame(
        x_ticks, y_ticks, x_label=x_label, y_label=y_label, log_x=log_x, categories=categories
    )


def _range(values: Sequence[float], margin: float) -> tuple[float, float]:
    low, high = min(values), max(values)
    space = margin * (high - low)
    return (max(0.0, low - space) if low >= 0 else low - space), high + space


def _rows_frame(
    values: Sequence[float], x_label: str, names: Sequence[str], inset: float
) -> tuple[Scale, list[str], float]:
    """The scale of the values, grid and names, and the height of the picture."""
    marks = ticks(min(values), max(values))
    scale = Scale(marks[0], marks[-1], 2.0 + inset, WIDTH - 2.0 - inset)
    foot = _row(len(names)) - 12.0
    parts = [text(2.0, 14.0, x_label, "start", "title")]
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
    """The y of the marks in a row, whose name stands above them."""
    return _HEAD + _ROW_HEIGHT * row + 20.0
