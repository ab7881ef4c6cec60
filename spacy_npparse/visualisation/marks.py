"""The marks of plots: every series has a colour and a shape of its own in all plots of a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from spacy_npparse.visualisation.svg import escape, number

NAME_SIZE = 12.0
_LIGHT = "#2563c9 #c2570c #0f7f74 #8b3fc4 #a67c00 #c21e5b #4d7c0f #4a5568".split()
_DARK = "#6ea8ff #ffa05c #3fd0bd #c99bff #e6c34a #ff7fab #a3d65c #b4bfd1".split()
# Circle, square, triangle and diamond.
_SHAPES = (
    "m-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0z",
    "m-3.6,-3.6h7.2v7.2h-7.2z",
    "m0,-4.8l4.6,8h-9.2z",
    "m0,-5l5,5l-5,5l-5,-5z",
)


def _colours(values: Sequence[str]) -> str:
    return "".join(f"--s{i}:{value};" for i, value in enumerate(values))


PLOT_STYLE = f"""
.npparse{{{_colours(_LIGHT)}}}
@media (prefers-color-scheme:dark){{.npparse{{{_colours(_DARK)}}}}}
.npparse-plot{{display:block;width:100%;max-width:480px;margin:0 auto}}
.npparse-plot.npparse-swatch{{display:inline-block;width:26px;height:14px;margin:0 7px 0 0;
vertical-align:-2px}}
.npparse-plot text{{fill:var(--soft);font-size:11px}}
.npparse-plot .title{{font-size:11.5px}}
.npparse-plot .name{{fill:var(--ink);font-size:{NAME_SIZE}px}}
.npparse-plot .value{{fill:var(--ink);font-variant-numeric:tabular-nums}}
.npparse-plot .halo{{stroke:var(--paper);stroke-width:3px;stroke-linejoin:round;paint-order:stroke}}
.npparse-plot .grid{{stroke:var(--rule)}}
.npparse-plot .axis{{stroke:var(--line)}}
.npparse-plot .reference{{stroke:var(--line);stroke-dasharray:3 3}}
.npparse-plot .series{{fill:none;stroke:var(--series);stroke-width:2;stroke-linejoin:round}}
.npparse-plot .spread{{stroke:var(--series);stroke-width:1.5;opacity:.55}}
.npparse-plot .mark{{fill:var(--series);stroke:var(--paper)}}
.npparse-plot .bar{{fill:var(--series)}}
.npparse .muted{{--series:var(--line)}}
""" + "".join(f".npparse .s{i}{{--series:var(--s{i})}}\n" for i in range(len(_LIGHT)))


class Point(NamedTuple):
    """A value to show.

    x, y: where; y is None where there is no value. low, high: how far y spreads, if known.
    note: what the tooltip adds.
    """

    x: float
    y: float | None
    low: float | None = None
    high: float | None = None
    note: str = ""


@dataclass(frozen=True)
class Series:
    """Values that belong together; its place among the series of a plot gives colour and shape.

    muted: whether it stays in the background, grey and without its name.
    """

    name: str
    points: Sequence[Point]
    muted: bool = False

    @property
    def values(self) -> list[float]:
        """All that the axis of y has to show."""
        ends = [value for point in self.points for value in (point.y, point.low, point.high)]
        return [value for value in ends if value is not None]


def legend(names: Sequence[str]) -> str:
    """A list of the series with their marks, as HTML."""
    items = [f"<li>{swatch(index, name)}</li>" for index, name in enumerate(names)]
    return f'<ul class="keys">{"".join(items)}</ul>'


def swatch(index: int, name: str) -> str:
    """The name of a series behind its mark, as HTML."""
    return (
        '<svg class="npparse-plot npparse-swatch" viewBox="0 0 26 14" aria-hidden="true">'
        f'<line class="series {colour(index)}" x1="1" y1="7" x2="25" y2="7"/>'
        f"{mark(index, 13.0, 7.0, name)}</svg>{escape(name)}"
    )


def numbered(series: Sequence[Series]) -> list[tuple[int | None, Series]]:
    """Series with their numbers for colour and shape, those without one, muted, first."""
    pairs = [(None if one.muted else index, one) for index, one in enumerate(series)]
    return sorted(pairs, key=lambda pair: pair[0] is not None)


def colour(index: int | None) -> str:
    """The class of a series, for its colour."""
    return "muted" if index is None else f"s{index % len(_LIGHT)}"


def mark(index: int | None, x: float, y: float, tooltip: str) -> str:
    """The mark of a series."""
    # The second round of colours has other shapes.
    turn = 0 if index is None else index + index // len(_LIGHT)
    shape = _SHAPES[turn % len(_SHAPES)]
    return (
        f'<path class="mark {colour(index)}" d="M{number(x)},{number(y)}{shape}">'
        f"<title>{escape(tooltip)}</title></path>"
    )


def bar(index: int, x: float, y: float, width: float, height: float, tooltip: str) -> str:
    """A bar of a series; what is not quite nothing can be seen."""
    return (
        f'<rect class="bar {colour(index)}" x="{number(x)}" y="{number(y)}" '
        f'width="{number(max(width, 0.5))}" height="{number(max(height, 0.5))}">'
        f"<title>{escape(tooltip)}</title></rect>"
    )


def tooltip(name: str, point: Point, where: str) -> str:
    """What a mark tells when asked."""
    value = f"{point.y:,.2f}".removesuffix(".00")
    return f"{name}, {where}: {value}" + (f" ({point.note})" if point.note else "")
