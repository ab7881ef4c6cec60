"""The data of plots, which must reach the browser completely and never as markup."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import Any

from spacy_npparse.tables import Cell, Table
from spacy_npparse.visualisation.page import static, templates
from spacy_npparse.visualisation.plots import (
    N_COLOURS,
    Axis,
    Plot,
    Point,
    Series,
    key,
)
from spacy_npparse.visualisation.reports.parts import (
    Bar,
    Bars,
    crossing_plot,
    percent_axis,
    rates_point,
    without_precision,
)

HOSTILE = "</script><img src=x onerror=alert(1)>'\"&"


def on_page(drawing: Plot) -> dict[str, Any]:
    """Return the data that a browser reads from the attribute of the canvas."""
    html = str(templates().get_template("macros.html").module.plot_grid([drawing]))
    [attribute] = re.findall(r"data-drawing='([^']*)'", html)
    found: dict[str, Any] = json.loads(unescape(attribute))
    return found


def headings(table: Table) -> list[str]:
    return [column.heading for column in table.columns]


def test_what_is_not_known_is_not_written() -> None:
    points = [Point(0, 1.0), Point(1, None), Point(2, 0.0, -1.0, 2.0, "p = 1")]
    drawing = Plot(
        "h",
        "lines",
        series=[Series("a", points)],
        title="t",
        x=Axis("x"),
        y=Axis("y"),
        names=list("uvw"),
    )
    assert on_page(drawing) == {
        "kind": "lines",
        "x": {"title": "x", "log": False, "percent": False},
        "y": {"title": "y", "log": False, "percent": False},
        "series": [
            {
                "name": "a",
                "muted": False,
                "colour": "--s0",
                "shape": "circle",
                "points": [
                    {"x": 0, "y": 1},
                    {"x": 1},
                    {"x": 2, "y": 0, "low": -1, "high": 2, "note": "p = 1"},
                ],
            }
        ],
        "names": ["u", "v", "w"],
        "reference": None,
    }


def test_kinds_and_axes() -> None:
    series = [Series("a", [Point(1, 50.0)])]
    log, percent = Axis("speed", log=True), percent_axis("LAS")
    scatter = on_page(Plot("h", "scatter", series=series, title="t", x=log, y=percent))
    assert scatter["kind"] == "scatter"
    assert scatter["x"] == {"title": "speed", "log": True, "percent": False}
    assert scatter["y"] == {"title": "LAS", "log": False, "percent": True}
    bars = on_page(Plot("h", "bars", series=series, title="t", x=log, y=percent, names=["c"]))
    assert (bars["kind"], bars["names"]) == ("bars", ["c"])
    # The values of rows are drawn horizontally, but are stored as y.
    rows = on_page(
        Plot("h", "rows", series=series, title="t", y=percent, names=["r"], reference=0.0)
    )
    assert (rows["kind"], rows["names"], rows["reference"]) == ("rows", ["r"], 0)
    assert rows["y"] == scatter["y"]


def test_digits_that_nobody_sees_are_left_out() -> None:
    drawing = Plot(
        "h",
        "scatter",
        series=[Series("a", [Point(200 / 3, 1e6 / 3)])],
        title="t",
        x=Axis(""),
        y=Axis(""),
    )
    [series] = on_page(drawing)["series"]
    assert series["points"] == [{"x": 66.6667, "y": 333333.3333}]


def test_what_is_muted_is_grey_and_the_others_keep_their_colours() -> None:
    series = [Series("a", []), Series("b", [], muted=True), Series("c", [])]
    drawing = Plot("h", "scatter", series=series, title="t", x=Axis("x"), y=Axis("y"))
    looks = [(one["colour"], one["shape"]) for one in drawing.data["series"]]
    assert looks == [("--s0", "circle"), ("--line", "circle"), ("--s2", "triangle")]


def test_sixteen_series_look_different_and_as_in_the_legend() -> None:
    drawing = Plot(
        "h", "scatter", series=[Series("", [])] * 16, title="t", x=Axis("x"), y=Axis("y")
    )
    looks = [(one["colour"], one["shape"]) for one in drawing.data["series"]]
    assert len(set(looks)) == 16
    marks = {"circle": "●", "rect": "■", "triangle": "▲", "rectRot": "◆"}
    keys = [key(i, "") for i in range(16)]
    assert looks == [
        (f"--s{one.colour}", shape) for one in keys for shape in marks if marks[shape] == one.mark
    ]
    style = static("plot.css")
    for i in range(N_COLOURS):
        assert f".s{i} {{ color: var(--s{i}); }}" in style
        assert style.count(f"--s{i}: #") == 2, "light and dark"


def test_figures_of_a_scatter_plot() -> None:
    series = [
        Series("a", [Point(1234.5, 50.0), Point(2000.0, None)]),
        Series("b", [Point(1.0, 100 / 3)], muted=True),
    ]
    table = Plot(
        "h", "scatter", series=series, title="t", x=Axis("speed"), y=percent_axis("LAS")
    ).figures
    assert (table.title, headings(table)) == ("t", ["", "speed", "LAS"])
    assert [[cell.value for cell in row] for row in table.cells()] == [
        ["a", "1,234.50", "50.00"],
        ["a", "2,000", "-"],
        ["b", "1", "33.33"],
    ]


def test_figures_by_place() -> None:
    series = [
        Series("a", [Point(10.0, 50.0, 40.0, 60.5), Point(5.0, 1.0)]),
        Series("b", [Point(10.0, None)]),
    ]
    table = Plot(
        "h", "lines", series=series, title="t", x=Axis("updates"), y=percent_axis("LAS")
    ).figures
    assert headings(table) == ["updates", "a", "b"]
    assert table.cells() == [
        [Cell("5"), Cell("1.00"), Cell("")],
        [Cell("10"), Cell("50.00", "40.00 to 60.50"), Cell("-")],
    ]
    table = Plot(
        "h", "rows", series=[Series("c", [Point(1, -2.0)])], title="t", y=Axis("d"), names="pq"
    ).figures
    assert table.cells() == [[Cell("p"), Cell("")], [Cell("q"), Cell("-2")]]
    assert Plot("h", "rows", series=[], title="t", y=Axis("x"), names=[]).figures.rows == []


def test_series_without_precision_are_named() -> None:
    assert rates_point(None, 0.5) == []
    series = [Series("a", rates_point(0.25, 0.5)), Series("b", rates_point(0.0, None))]
    assert series[0].points == [Point(25.0, 50.0)]
    assert without_precision(series[:1]) == ""
    assert without_precision(series).endswith("without predictions: b.")


def test_precision_and_recall_are_plotted_if_there_are_some() -> None:
    macros = templates().get_template("macros.html").module
    some, none = Series("a", rates_point(0.25, 0.5)), Series("b", rates_point(0.0, None))
    for series, reason in (
        ([Series("a", rates_point(None, None))] * 2, "The gold trees have no non-projective arcs."),
        ([none, none], "No parser predicts non-projective arcs"),
        ([some, none], "Not in the plot, since precision is undefined without predictions: b."),
    ):
        html = str(macros.plot_grid([crossing_plot(series)]))
        assert reason in html and ("<canvas" in html) == (some in series)


def test_text_is_never_markup() -> None:
    series = [Series(HOSTILE, [Point(0, 1.0, note=HOSTILE)])]
    drawing = Plot(
        HOSTILE,
        "rows",
        series=series,
        note=HOSTILE,
        title=HOSTILE,
        y=Axis(HOSTILE),
        names=[HOSTILE],
    )
    macros = templates().get_template("macros.html").module
    plots = [drawing]
    html = macros.plot_grid(plots, [Bars(HOSTILE, HOSTILE, [Bar(HOSTILE, 1, HOSTILE)])])
    html += macros.legend_of([key(0, HOSTILE)])
    assert "<img" not in html and "</script" not in html
    names = on_page(drawing)["series"][0]["name"]
    assert names == HOSTILE


def test_bars_have_the_lengths_of_their_shares() -> None:
    bars = Bars("h", "percent", [Bar("all", 100.0, "4"), Bar("third", 100 / 3, "1.33")])
    html = str(templates().get_template("macros.html").module.plot_grid([], [bars]))
    found = re.findall(r"--share: ([\d.]+)%\"><dt>(.*?)</dt><dd>(.*?)</dd>", html)
    assert found == [("100.00", "all", "4"), ("33.33", "third", "1.33")]


def test_the_library_is_the_one_that_is_documented() -> None:
    [version] = re.findall(r"Chart\.js v([\d.]+)\n", static("vendor/chart.umd.min.js"))
    assert f" {version}, unchanged" in static("vendor/README.md")
    assert "Chart.js Contributors" in static("vendor/chart.LICENSE.md")
