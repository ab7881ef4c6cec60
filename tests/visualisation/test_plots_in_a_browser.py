"""Plots in a browser: drawing in light and dark, tooltips and ranges of axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from browser_helpers import Browsed

from spacy_npparse.evaluation.provenance import Provenance
from spacy_npparse.visualisation.page import render
from spacy_npparse.visualisation.plots import (
    Axis,
    Plot,
    Point,
    Series,
)
from spacy_npparse.visualisation.reports.parts import percent_axis

Browse = Callable[..., Browsed]
HOSTILE = "</script><img src=x onerror=alert(1)>'\"&"
CHART = "Chart.getChart(document.querySelectorAll('canvas')[{}])"
# Pixels are read from a copy of the canvas, which allows frequent reads.
READABLE = """() => {
  window.readable = (canvas) => {
    const copy = new OffscreenCanvas(canvas.width, canvas.height)
      .getContext("2d", { willReadFrequently: true });
    copy.drawImage(canvas, 0, 0);
    return copy;
  };
}"""


def page_of(*drawings: Plot) -> str:
    """Render a page with plots."""
    return render(
        "leaderboard.html",
        title="t",
        summary="",
        source=Provenance("c", "1", {}),
        samples=1,
        seed=0,
        level=0.05,
        raw=False,
        given="gold tokens",
        standings=drawings[0].figures,
        words=None,
        notes=[],
        n_coloured=5,
        keys=[],
        plots=drawings,
    )


def pixels(page: Any, number: int, colour: str) -> int:
    """Count the pixels of a plot that have the colour of a CSS variable."""
    page.evaluate(READABLE)
    found: int = page.evaluate(
        """([number, name]) => {
          const canvas = document.querySelectorAll("canvas")[number];
          const hex = getComputedStyle(document.body).getPropertyValue(name).trim();
          const rgb = [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
          const { data } = readable(canvas).getImageData(0, 0, canvas.width, canvas.height);
          let n = 0;
          for (let i = 0; i < data.length; i += 4)
            if (data[i + 3] === 255 && rgb.every((c, j) => data[i + j] === c)) n++;
          return n;
        }""",
        [number, colour],
    )
    return found


def extent(page: Any, number: int, scale: str) -> tuple[float, float]:
    """Return the ends of an axis."""
    low, high = page.evaluate(
        f"(({{min, max}}) => [min, max])({CHART.format(number)}.scales.{scale})"
    )
    return low, high


def hover(page: Any, number: int, series: int, point: int) -> list[str]:
    """Move the mouse over a point, and return the lines of its tooltip."""
    canvas = page.locator("canvas").nth(number)
    canvas.scroll_into_view_if_needed()
    chart = CHART.format(number)
    x, y = page.evaluate(f"(({{x, y}}) => [x, y])({chart}.getDatasetMeta({series}).data[{point}])")
    canvas.hover(position={"x": x, "y": y})
    page.wait_for_function(f"{chart}.tooltip.opacity === 1")
    lines: list[str] = page.evaluate(
        f"(({{title, body}}) => [...title, ...body.flatMap(({{lines}}) => lines)])({chart}.tooltip)"
    )
    return lines


SERIES = [
    Series("a", [Point(0, 60.0, 50.0, 70.0), Point(1, None), Point(2, 80.0, note="p = 1")]),
    Series("grey", [Point(0, 65.0), Point(1, 66.0), Point(2, 67.0)], muted=True),
    Series(HOSTILE, [Point(0, 90.0), Point(1, 100.0), Point(2, 95.125)]),
]


def four_plots() -> str:
    percent = percent_axis("LAS, percent")
    names = ["one", "two", HOSTILE]
    return page_of(
        Plot("h", "lines", series=SERIES, title="lines", x=Axis("place"), y=percent, names=names),
        Plot("h", "scatter", series=SERIES, title="scatter", x=Axis("speed"), y=percent),
        Plot("h", "bars", series=SERIES, title="bars", x=Axis("place"), y=percent, names=names),
        Plot("h", "rows", series=SERIES, title="rows", y=percent, names=names, reference=62.0),
    )


def test_drawn_in_light_and_dark(browse: Browse) -> None:
    browsed = browse(four_plots())
    page = browsed.page
    for _ in browsed.views():
        # The page is notified of a new size or color scheme in the next frame.
        page.evaluate("new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))")
        for number in range(4):
            # The colours of series, text and grid lines.
            for colour in ("--s0", "--line", "--s2", "--soft", "--rule"):
                assert pixels(page, number, colour) >= 5, (number, colour)
    assert page.evaluate("document.images.length") == 0


def test_the_data_arrive(browse: Browse) -> None:
    page = browse(four_plots()).page
    for number in range(4):
        sets = page.evaluate(
            f"{CHART.format(number)}.data.datasets.map(({{label, data}}) => [label, data])"
        )
        assert [label for label, _ in sets] == ["a", "grey", HOSTILE]
        first, missing, last = sets[0][1]
        across, value = ("y", "x") if number == 3 else ("x", "y")
        assert (first[across], first[value], first["low"], first["high"]) == (0, 60, 50, 70)
        assert missing.get(value) is None and last["note"] == "p = 1"
    labels = page.locator("canvas").evaluate_all("(all) => all.map((c) => c.ariaLabel)")
    assert labels == ["lines", "scatter", "bars", "rows"]
    assert page.locator("canvas[role=img]").count() == 4


def test_tooltips_have_the_exact_numbers(browse: Browse) -> None:
    page = browse(four_plots()).page
    assert hover(page, 0, 0, 0) == ["one", "a: 60 (50 to 70)"]
    assert hover(page, 0, 2, 2) == [HOSTILE, f"{HOSTILE}: 95.13"]
    assert hover(page, 1, 1, 1) == ["grey", "speed: 1", "LAS, percent: 66"]
    assert hover(page, 2, 0, 0) == ["one", "a: 60 (50 to 70)", f"{HOSTILE}: 90", "grey: 65"]
    assert hover(page, 3, 0, 2) == [HOSTILE, "a: 80, p = 1"]


def test_error_bars_are_drawn_and_part_of_the_range(browse: Browse) -> None:
    def rows(*ends: float) -> Plot:
        return Plot(
            "h",
            "rows",
            series=[Series("a", [Point(0, 50.0, *ends)])],
            title="t",
            y=Axis("x"),
            names=["r"],
        )

    page = browse(page_of(rows(), rows(-7.0, 93.0))).page
    page.evaluate(READABLE)
    counts = page.evaluate(
        """() => [...document.querySelectorAll("canvas")].map((canvas) => {
          const chart = Chart.getChart(canvas), scale = devicePixelRatio;
          const { y } = chart.getDatasetMeta(0).data[0];
          const row = readable(canvas)
            .getImageData(0, Math.round(y * scale), canvas.width, 1).data;
          let blue = 0;
          for (let i = 0; i < row.length; i += 4) if (row[i + 2] > row[i] + 40) blue++;
          return blue / chart.chartArea.width;
        })"""
    )
    assert counts[0] < 0.1 and counts[1] > 0.6
    low, high = extent(page, 1, "x")
    assert low <= -7 and high >= 93


def test_reference_lines_are_drawn_and_part_of_the_range(browse: Browse) -> None:
    series = [Series("a", [Point(0, 3.0), Point(1, 4.0)])]
    page = browse(
        page_of(
            Plot("h", "rows", series=series, title="t", y=Axis("x"), names=["p", "q"]),
            Plot(
                "h", "rows", series=series, title="t", y=Axis("x"), names=["p", "q"], reference=0.0
            ),
        )
    ).page
    assert pixels(page, 0, "--line") == 0 and pixels(page, 1, "--line") >= 10
    assert extent(page, 0, "x")[0] > 0 >= extent(page, 1, "x")[0]


@pytest.mark.parametrize("values", [[100.0], [0.0], [0.0, 100.0], [99.98, 100.0], [0.02, 0.0]])
def test_percentages_stay_between_0_and_100(browse: Browse, values: list[float]) -> None:
    percent = percent_axis("percent")
    series = [Series("a", [Point(value, value) for value in values])]
    in_rows = [Series("a", [Point(0, value, max(value - 9, 0), value) for value in values])]
    page = browse(
        page_of(
            Plot("h", "scatter", series=series, title="t", x=percent, y=percent),
            Plot("h", "rows", series=in_rows, title="t", y=percent, names=["r"]),
        )
    ).page
    for number, scale in ((0, "x"), (0, "y"), (1, "x")):
        low, high = extent(page, number, scale)
        assert 0 <= low <= min(values) and max(values) <= high <= 100 and low < high
        assert pixels(page, number, "--s0") >= 5


def along(*xs: float, log: bool = False) -> Plot:
    points = [Point(x, 1.0) for x in xs]
    axes = {"x": Axis("x", log=log), "y": Axis("y")}
    return Plot("h", "lines", series=[Series("a", points)], title="t", **axes)


def test_axes(browse: Browse) -> None:
    page = browse(
        page_of(
            along(10, 100, 1000, log=True),
            along(950, 1e5, log=True),
            along(1, 1e9, log=True),
            along(700, log=True),
            along(10, 100, 1000),
            along(-5, 3),
            Plot(
                "h",
                "bars",
                series=[Series("a", [Point(0, 40.0)])],
                title="t",
                x=Axis("x"),
                y=Axis("y"),
                names=["c"],
            ),
        )
    ).page
    a, b, c = page.evaluate(f"{CHART.format(0)}.getDatasetMeta(0).data.map((p) => p.x)")
    assert c - b == pytest.approx(b - a, abs=0.5)
    a, b, c = page.evaluate(f"{CHART.format(4)}.getDatasetMeta(0).data.map((p) => p.x)")
    assert c - b == pytest.approx(10 * (b - a), abs=0.5)
    for number in range(4):
        ticks = page.evaluate(f"{CHART.format(number)}.scales.x.ticks.map((t) => t.label)")
        assert 1 <= len(ticks) <= 10 and {tick[0] for tick in ticks} <= set("1235")
    assert extent(page, 5, "x")[0] <= -5
    # Bars begin at zero, and an axis of positive values does not extend below zero.
    assert extent(page, 6, "y")[0] == 0 and extent(page, 4, "x")[0] >= 0


def test_logarithmic_axes_of_a_narrow_range_have_numbers(browse: Browse) -> None:
    ranges = [(24_000, 40_000), (2_100, 4_900), (5_500, 9_500)]
    page = browse(page_of(*(along(*ends, log=True) for ends in ranges))).page
    for number in range(len(ranges)):
        ticks = page.evaluate(f"{CHART.format(number)}.scales.x.ticks.map((t) => t.label)")
        assert 2 <= len(ticks) <= 8


def test_names_of_points_stay_inside_and_off_each_other(browse: Browse) -> None:
    percent = percent_axis("percent")
    places = [
        [(0.0, 0.0), (100.0, 100.0), (0.0, 100.0), (100.0, 0.0)],
        [(50.0, 50.0), (51.0, 51.0), (52.0, 49.0), (50.0, 52.0), (80.0, 51.0)],
        [(10.0, 10.0)] * 6,
    ]
    plots = [
        Plot(
            "h",
            "scatter",
            series=[
                *(Series(f"parser{i}", [Point(*place)]) for i, place in enumerate(plot)),
                Series("grey", [Point(20.0, 20.0)], muted=True),
                Series("nowhere", [Point(20.0, None)]),
            ],
            title="t",
            x=percent,
            y=percent,
        )
        for plot in places
    ]
    page = browse(page_of(*plots), 500).page
    for number, plot in enumerate(places):
        names = page.evaluate(f"{CHART.format(number)}.names")
        labels = [name["label"] for name in names]
        width = page.evaluate(f"{CHART.format(number)}.width")
        height = page.evaluate(f"{CHART.format(number)}.height")
        assert labels[0] == "parser0" and set(labels) <= {f"parser{i}" for i in range(len(plot))}
        assert len(labels) == len(plot) or number == 2
        for i, a in enumerate(names):
            assert 0 <= a["x"] and a["x"] + a["width"] <= width
            assert 0 <= a["y"] and a["y"] + a["height"] <= height
            for b in names[:i]:
                assert (
                    a["x"] + a["width"] <= b["x"]
                    or b["x"] + b["width"] <= a["x"]
                    or abs(a["y"] - b["y"]) >= 14
                )


def test_a_sentence_stands_in_place_of_an_empty_plot(browse: Browse) -> None:
    empty = [Series("a", [Point(1.0, None)]), Series("b", [])]
    axis = Axis("x")
    page = browse(
        page_of(
            Plot("h", "lines", series=empty, title="t", x=axis, y=percent_axis("y")),
            Plot("h", "scatter", series=[], title="t", x=Axis("x", log=True), y=axis),
            Plot("h", "bars", series=[], title="t", x=axis, y=axis, names=["a"]),
            Plot("h", "rows", series=[], title="t", y=axis, names=[]),
        )
    ).page
    assert page.locator("canvas").count() == 0
    notes = page.locator("figure .note").all_inner_texts()
    assert notes == ["There are no values to show."] * 4


def test_without_scripts_the_figures_remain(browse: Browse) -> None:
    page = browse(four_plots(), scripts=False).page
    assert not page.locator("canvas").first.is_visible()
    page.locator("summary", has_text="Figures").first.click()
    assert "50.00 to 70.00" in page.locator("figure table").first.inner_text()
