"""The frame of a plot: scales, ticks, grid and axis titles."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from spacy_npparse.visualisation.layout import text_width
from spacy_npparse.visualisation.svg import escape, number

# Wide enough to be read where the plot fills a small telephone, so small that three fit on a desk.
WIDTH = 360.0
HEIGHT = 236.0
TICK_SIZE = 11.0
_TOP = 30.0
_BOTTOM = 42.0
_RIGHT = 14.0
_TICKS = 6


@dataclass(frozen=True)
class Scale:
    """From values to px.

    low, high: the values at the ends; start, end: their places; log: whether factors, and not
    differences, have the same width.
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


def ticks(low: float, high: float) -> list[float]:
    """Round numbers in equal steps; the first is not above `low`, the last not below `high`."""
    if low == high:
        low, high = low - 1, high + 1
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
    for size, suffix in ((1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:.4g}{suffix}"
    return f"{value:.4g}".replace("-", "−")


@dataclass(frozen=True)
class Frame:
    """The place for the marks of a plot, and the markup around them."""

    x: Scale
    y: Scale
    markup: list[str]


def frame(
    x_ticks: Sequence[float],
    y_ticks: Sequence[float],
    *,
    x_label: str,
    y_label: str,
    log_x: bool = False,
    categories: Sequence[str] = (),
) -> Frame:
    """Draw grid, ticks and titles of a plot.

    x_ticks, y_ticks: ascending; the first and the last are the ends of the axes.
    x_label, y_label: the titles of the axes.
    log_x: whether the horizontal scale is logarithmic.
    categories: instead of x_ticks: what stands at x = 0, 1, ….
    """
    labels = [tick_label(value) for value in y_ticks]
    left = max(text_width(label, TICK_SIZE) for label in labels) + 12.0
    right, foot = WIDTH - _RIGHT, HEIGHT - _BOTTOM
    stops: list[tuple[float, str]]
    if categories:
        x = Scale(-0.5, len(categories) - 0.5, left, right)
        stops = list(enumerate(categories))
    else:
        x = Scale(x_ticks[0], x_ticks[-1], left + 8.0, right - 8.0, log_x)
        stops = [(value, tick_label(value)) for value in x_ticks]
    y = Scale(y_ticks[0], y_ticks[-1], foot, _TOP)
    markup = [text(2.0, 14.0, y_label, "start", "title")]
    for value, label in zip(y_ticks, labels, strict=True):
        kind = "axis" if value == 0 or value == y_ticks[0] else "grid"
        markup.append(line(left, y(value), right, y(value), kind))
        markup.append(text(left - 6.0, y(value) + 4.0, label, "end"))
    free = -math.inf
    for value, label in stops:
        half = text_width(label, TICK_SIZE) / 2
        if free < x(value) - half and x(value) + half <= WIDTH:
            markup.append(text(x(value), foot + 16.0, label, "middle"))
            free = x(value) + half + 3.0
    markup.append(text((left + right) / 2, HEIGHT - 8.0, x_label, "middle", "title"))
    return Frame(x, y, markup)


def text(x: float, y: float, content: str, anchor: str, kind: str = "tick") -> str:
    """A text in a plot."""
    return (
        f'<text class="{kind}" text-anchor="{anchor}" x="{number(x)}" y="{number(y)}">'
        f"{escape(content)}</text>"
    )


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    """A straight line in a plot."""
    return (
        f'<line class="{kind}" x1="{number(x1)}" y1="{number(y1)}" x2="{number(x2)}" '
        f'y2="{number(y2)}"/>'
    )


def picture(title: str, parts: Iterable[str], height: float = HEIGHT) -> str:
    """The SVG element of a plot; a page brings the style sheet."""
    size = f"{number(WIDTH)} {number(height)}"
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="npparse-plot" role="img" direction="ltr" '
        f'aria-label="{escape(title)}" viewBox="0 0 {size}">\n{body}\n</svg>'
    )
