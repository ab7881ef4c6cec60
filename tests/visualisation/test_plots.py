"""Plots: round ticks, marks where the values are, nothing that a browser would refuse."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_npparse.visualisation.page import static
from spacy_npparse.visualisation.plots.axes import (
    HEIGHT,
    WIDTH,
    Axis,
    Scale,
    log_ticks,
    tick_label,
    ticks,
)
from spacy_npparse.visualisation.plots.charts import (
    bar_plot,
    dot_plot,
    line_plot,
    row_bars,
    scatter_plot,
)
from spacy_npparse.visualisation.plots.marks import N_COLOURS, NAME_SIZE, Point, Series, key
from spacy_npparse.visualisation.trees.layout import text_width

SVG = "{http://www.w3.org/2000/svg}"


def elements(svg: str, name: str, kind: str) -> list[ElementTree.Element]:
    """The elements of a plot with a class."""
    found = ElementTree.fromstring(svg).iter(f"{SVG}{name}")
    return [element for element in found if kind in (element.get("class") or "").split()]


def marks(svg: str, series: int = 0) -> list[tuple[float, float]]:
    """Where the marks of a series are."""
    places = [element.get("d") or "" for element in elements(svg, "path", f"s{series}")]
    return [
        (float(x), float(y)) for x, y in (re.findall(r"M(\S+?),([\d.]+)m", d)[0] for d in places)
    ]


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))
def test_ticks_are_few_round_and_around_all_values(low: float, width: float) -> None:
    high = low + width
    marks = ticks(low, high)
    step = marks[1] - marks[0]
    assert marks[0] <= low + 1e-6 * step and high - 1e-6 * step <= marks[-1]
    assert marks[0] > low - step * 1.001 and marks[-1] < high + step * 1.001
    assert 3 <= len(marks) <= 9
    assert f"{step:.0e}"[0] in "125"


shares = st.one_of(st.just(0.0), st.just(100.0), st.floats(0, 100).map(lambda x: round(x, 3)))


@given(st.lists(shares, min_size=1, max_size=4), st.sampled_from([0.0, 0.04]))
def test_percentages_stay_between_0_and_100(values: list[float], margin: float) -> None:
    marks = Axis("percent", at_most=100.0).ticks(values, margin)
    assert 0 <= marks[0] <= min(values) and max(values) <= marks[-1] <= 100
    assert len(marks) >= 2


def test_ticks_of_one_value() -> None:
    assert ticks(5, 5)[0] < 5 < ticks(5, 5)[-1]
    assert ticks(0, 100) == [0, 20, 40, 60, 80, 100]


@given(st.floats(1e-3, 1e6), st.floats(1.0, 1e6))
def test_logarithmic_ticks(low: float, factor: float) -> None:
    high = low * factor
    marks = log_ticks(low, high)
    assert marks[0] <= low * 1.001 and high * 0.999 <= marks[-1]
    assert 2 <= len(marks) <= 14 and marks == sorted(marks)
    assert all(f"{mark:.0e}"[0] in "1235" for mark in marks)


def test_tick_labels() -> None:
    values = [0.5, -2.0, 75.0, 1500.0, -20_000.0, 3e6]
    assert [tick_label(value) for value in values] == ["0.5", "−2", "75", "1.5k", "−20k", "3M"]


def test_scales() -> None:
    assert Scale(0, 10, 100, 200)(2.5) == 125
    assert Scale(0, 10, 200, 100)(2.5) == 175
    assert Scale(1, 100, 0, 50, log=True)(10) == pytest.approx(25)


def test_lines_break_where_values_are_missing() -> None:
    series = [
        Series("a", [Point(0, 1.0), Point(1, 2.0), Point(2, None), Point(3, 1.0), Point(4, 3.0)]),
        Series("b", [Point(0, 2.0, 1.5, 2.5), Point(1, None), Point(2, 2.0)]),
    ]
    svg = line_plot(series, title="t", x=Axis("x"), y=Axis("y"), categories=list("vwxyz"))
    strokes = elements(svg, "polyline", "s0")
    assert [len((stroke.get("points") or "").split()) for stroke in strokes] == [2, 2]
    assert elements(svg, "polyline", "s1") == []
    (x0, y0), (x1, y1), (x3, y3), (_, y4) = marks(svg)
    assert x0 < x1 < x3 and y4 < y1 < y0 == y3
    (spread,) = elements(svg, "line", "spread")
    assert float(spread.get("y1") or 0) > marks(svg, 1)[0][1] > float(spread.get("y2") or 0)
    assert {"x", "y", *"vwxyz"} <= set(texts(svg))
    assert "<title>b, v: 2</title>" in svg


def test_lines_over_numbers() -> None:
    points = [Point(10.0, 1.0), Point(100.0, 2.0), Point(1000.0, 3.0)]
    svg = line_plot([Series("a", points)], title="t", x=Axis("x", log=True), y=Axis("y"))
    (a, _), (b, _), (c, _) = marks(svg)
    assert c - b == pytest.approx(b - a, abs=0.2)
    svg = line_plot([Series("a", points)], title="t", x=Axis("x"), y=Axis("y"))
    (a, _), (b, _), (c, _) = marks(svg)
    assert c - b == pytest.approx(10 * (b - a), abs=1.5)


def test_bars_stand_side_by_side_on_zero() -> None:
    series = [Series("a", [Point(0, 4.0), Point(1, 2.0)]), Series("b", [Point(0, 1.0)])]
    svg = bar_plot(series, title="t", x=Axis("x"), y=Axis("y"), categories=["left", "right"])
    first, second = elements(svg, "rect", "s0")
    (other,) = elements(svg, "rect", "s1")

    def number(element: ElementTree.Element, name: str) -> float:
        return float(element.get(name) or "nan")

    assert number(first, "height") == pytest.approx(2 * number(second, "height"), abs=0.2)
    assert number(first, "x") + number(first, "width") == pytest.approx(number(other, "x"), abs=0.2)
    feet = [number(bar, "y") + number(bar, "height") for bar in (first, second, other)]
    assert feet == pytest.approx([feet[0]] * 3, abs=0.2)


def test_rows() -> None:
    series = [Series("a", []), Series("b", [Point(0, -2.0, -3.0, 1.0), Point(1, 2.0)])]
    svg = dot_plot(series, title="t", x=Axis("x"), names=["up", "down"], reference=0.0)
    (x0, y0), (x1, y1) = marks(svg, 1)
    assert x0 < x1 and y0 < y1
    (reference,) = elements(svg, "line", "reference")
    assert x0 < float(reference.get("x1") or 0) < x1
    assert marks(svg) == [] and {"up", "down"} <= set(texts(svg))


def test_row_bars() -> None:
    values = [50.0, 100.0, 0.0]
    svg = row_bars(values, title="t", x=Axis("x"), names=list("abc"), shown=["½", "1", "-"])
    widths = [float(bar.get("width") or 0) for bar in elements(svg, "rect", "bar")]
    assert widths[1] == pytest.approx(2 * widths[0], abs=0.2) and 0 < widths[2] < 1
    assert {*"abc", "½", "1", "-"} <= set(texts(svg))


coordinates = st.floats(0, 100).map(lambda value: round(value, 3))


@given(st.lists(st.tuples(coordinates, coordinates), min_size=1, max_size=5))
def test_names_stay_inside_and_off_each_other(places: list[tuple[float, float]]) -> None:
    series = [Series(f"parser{i}", [Point(*place)]) for i, place in enumerate(places)]
    percent = Axis("percent", at_most=100.0)
    svg = scatter_plot(series, title="t", x=percent, y=percent)
    names = elements(svg, "text", "name")
    shown = [name.text for name in names]
    assert shown[0] == "parser0" and shown == sorted(shown)
    assert len(shown) == len(places) or len(places) > 2
    boxes: list[tuple[float, float, float]] = []
    for name in names:
        left = float(name.get("x") or 0)
        right = left + text_width(name.text or "", NAME_SIZE)
        assert 0 <= left and right <= WIDTH + 0.1
        y = float(name.get("y") or 0)
        assert 15 < y - NAME_SIZE and y <= HEIGHT - 30
        for other in boxes:
            assert right <= other[0] + 1 or other[1] <= left + 1 or abs(y - other[2]) >= 9
        boxes.append((left, right, y))


def test_what_is_muted_is_grey_below_the_others_and_without_name() -> None:
    series = [
        Series("a", [Point(0, 0), Point(1, 1)]),
        Series("b", [Point(0, 1)], muted=True),
        Series("c", [Point(1, 0)]),
    ]
    for plot in (line_plot, scatter_plot):
        svg = plot(series, title="t", x=Axis("x"), y=Axis("y"))
        assert re.findall(r'class="mark (\w+)"', svg) == ["muted", "s0", "s0", "s2"]
        assert "<title>b, 0: 1</title>" in svg
    assert [name.text for name in elements(svg, "text", "name")] == ["a", "c"]


def test_nothing_to_show_is_no_error() -> None:
    for plot in (line_plot, scatter_plot):
        svg = plot([Series("a", [Point(1.0, None)])], title="t", x=Axis("x"), y=Axis("y"))
        assert marks(svg) == []
    assert dot_plot([], title="t", x=Axis("x"), names=[]) and row_bars(
        [], title="t", x=Axis("x"), names=[], shown=[]
    )
    assert bar_plot([], title="t", x=Axis("x"), y=Axis("y"), categories=["a"])


def test_text_of_plots_is_escaped() -> None:
    series = [Series("<a>&", [Point(0, 1.0, note="<b>")])]
    svg = dot_plot(series, title='"t"<', x=Axis("<x>"), names=["<r>"])
    assert {"<x>", "<r>"} <= set(texts(svg))
    assert "&lt;a&gt;&amp;, &lt;r&gt;: 1 (&lt;b&gt;)" in svg
    assert "<title>&lt;a&gt;</title>" in key(0, "<a>").swatch


def test_sixteen_series_look_different() -> None:
    swatches = [key(i, "").swatch for i in range(16)]
    looks = {re.findall(r'class="mark.*?>', swatch)[0] for swatch in swatches}
    assert len(looks) == 16
    style = static("plot.css")
    for i in range(N_COLOURS):
        assert f".s{i} {{ --series: var(--s{i}); }}" in style
        assert style.count(f"--s{i}: #") == 2, "light and dark"
