"""The frame of a plot: scales, ticks, grid and axis titles."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from spacy_npparse.visualisation.markup import element, number
from spacy_npparse.visualisation.trees.layout import text_width

# Readable at the width of a phone; three fit side by side on a desktop screen.
WIDTH = 360.0
HEIGHT = 236.0
TICK_SIZE = 11.0
_TOP = 30.0
_BOTTOM = 42.0
_RIGHT = 14.0
_TICKS = 6


@dataclass(frozen=True)
class Scale:
    """A map from values to px.

    Attributes:
        low: The value at the start.
        high: The value at the end.
        start: x or y of the start, px.
        end: x or y of the end, px.
        log: Whether the scale is logarithmic.
    """

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def __call__(self, value: float) -> float:
        low, high = self.low, self.high
        if self.log:
            low, high, value = math.log(low), math.log(high), math.log(value)
        return self.start + (value - low) / (high - low) * (self.end - self.start)


@dataclass(frozen=True)
class Axis:
    """An axis of a plot.

    Attributes:
        title: What its values are, with their unit.
        log: Whether it is logarithmic.
        at_most: Its upper limit, 100 for percentages.
    """

    title: str
    log: bool = False
    at_most: float = math.inf

    def ticks(self, values: Iterable[float], margin: float = 0.0) -> list[float]:
        """Ticks around all values.

        Args:
            values: The values; if there are none, 1 on a logarithmic axis, 0 on a linear one.
            margin: Space on both sides of linear axes, as a share of the range of the values. It
                does not extend the axis below 0.

        Returns:
            Round numbers in ascending order; the first and the last are the ends of the axis.
        """
        values = list(values) or [1.0 if self.log else 0.0]
        low, high = min(values), max(values)
        if self.log:
            return log_ticks(low, high)
        space = margin * (high - low)
        start = max(0.0, low - space) if low >= 0 else low - space
        return ticks(start, min(high + space, self.at_most), self.at_most)


def ticks(low: float, high: float, at_most: float = math.inf) -> list[float]:
    """Round numbers at equal distances.

    Args:
        low: The first is not above it. It is below 0 only if `low` is.
        high: The last is not below it.
        at_most: The upper limit of the ticks, a round number.

    Returns:
        Between three and nine numbers.
    """
    if low == high:
        low, high = (max(0.0, low - 1) if low >= 0 else low - 1), min(high + 1, at_most)
    power = 10.0 ** math.floor(math.log10((high - low) / _TICKS))
    step = next(m * power for m in (1, 2, 5, 10) if (high - low) / (m * power) <= _TICKS + 1e-9)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(step * i, 10) for i in range(first, last + 1)]


def log_ticks(low: float, high: float) -> list[float]:
    """Round numbers 1, 2, 5, 10, …, or some of them, around a range of positive numbers."""
    decades = range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 2)
    for factors in ((1, 2, 5), (1, 3), (1,)):
        marks = [factor * 10.0**decade for decade in decades for factor in factors]
        first = max(i for i, mark in enumerate(marks) if mark <= low * (1 + 1e-9))
        last = min(i for i, mark in enumerate(marks) if mark >= high * (1 - 1e-9))
        if last - first <= _TICKS:
            break
    return marks[first : max(last, first + 1) + 1]


def tick_label(value: float) -> str:
    """A number, as short as it can be: thousands as k, millions as M."""
    sizes = ((1e6, "M"), (1e3, "k"))
    size, suffix = next((pair for pair in sizes if abs(value) >= pair[0]), (1.0, ""))
    return f"{value / size:.4g}{suffix}".replace("-", "−")


@dataclass(frozen=True)
class Frame:
    """The scales of a plot, and its grid, ticks and axis titles.

    Attributes:
        x: The horizontal scale.
        y: The vertical scale.
        markup: SVG elements.
    """

    x: Scale
    y: Scale
    markup: list[Markup]


def frame(
    x: Axis,
    y: Axis,
    x_ticks: Sequence[float],
    y_ticks: Sequence[float],
    categories: Sequence[str] = (),
) -> Frame:
    """Draw grid, ticks and axis titles of a plot.

    Args:
        x: The horizontal axis.
        y: The vertical axis.
        x_ticks: Ascending; the first and the last are the ends of the axis.
        y_ticks: Likewise.
        categories: Instead of `x_ticks`: the names of x = 0, 1, ….

    Returns:
        The frame.
    """
    labels = [tick_label(value) for value in y_ticks]
    left = max(text_width(label, TICK_SIZE) for label in labels) + 12.0
    right, foot = WIDTH - _RIGHT, HEIGHT - _BOTTOM
    stops: list[tuple[float, str]]
    if categories:
        across = Scale(-0.5, len(categories) - 0.5, left, right)
        stops = list(enumerate(categories))
    else:
        across = Scale(x_ticks[0], x_ticks[-1], left + 8.0, right - 8.0, x.log)
        stops = [(value, tick_label(value)) for value in x_ticks]
    up = Scale(y_ticks[0], y_ticks[-1], foot, _TOP)
    markup = [text(2.0, 14.0, y.title, "start", "title")]
    for value, label in zip(y_ticks, labels, strict=True):
        kind = "axis" if value == 0 or value == y_ticks[0] else "grid"
        markup.append(line(left, up(value), right, up(value), kind))
        markup.append(text(left - 6.0, up(value) + 4.0, label, "end"))
    free = -math.inf
    for value, label in stops:
        half = text_width(label, TICK_SIZE) / 2
        if free < across(value) - half and across(value) + half <= WIDTH:
            markup.append(text(across(value), foot + 16.0, label, "middle"))
            free = across(value) + half + 3.0
    markup.append(text((left + right) / 2, HEIGHT - 8.0, x.title, "middle", "title"))
    return Frame(across, up, markup)


def text(x: float, y: float, content: str, anchor: str, kind: str = "tick") -> Markup:
    """A text in a plot; `anchor` is "start", "middle" or "end"."""
    return element("text", content, class_=kind, text_anchor=anchor, x=x, y=y)


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> Markup:
    """A straight line in a plot."""
    return element("line", class_=kind, x1=x1, y1=y1, x2=x2, y2=y2)


def picture(title: str, parts: Iterable[str], height: float = HEIGHT) -> Markup:
    """The SVG element of a plot; the page brings the style sheet."""
    return element(
        "svg",
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        class_="npparse-plot",
        role="img",
        direction="ltr",
        aria_label=title,
        viewBox=f"0 0 {number(WIDTH)} {number(height)}",
    )
