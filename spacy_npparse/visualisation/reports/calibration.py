"""The calibration of a parser as a page with reliability diagrams."""

from __future__ import annotations

from spacy_npparse.evaluation.provenance import Provenance
from spacy_npparse.evaluation.reliability import COLUMNS, CalibrationComparison, Reliability
from spacy_npparse.visualisation.page import Page, render
from spacy_npparse.visualisation.plots import Point, Series, line_plot
from spacy_npparse.visualisation.reports.parts import Plot, Table, keys, percent_axis

_NAMES = ("before", "after")


def render_calibration(
    found: CalibrationComparison, source: Provenance, *, title: str = "Calibration of a parser"
) -> Page:
    """Write an HTML page about the probabilities of a parser.

    Args:
        found: The probabilities before and after.
        source: What they were computed from.
        title: The heading of the page.

    Returns:
        A complete page that needs no network; its plots need scripts, their figures do not.
    """
    temperatures = ", ".join(
        f"{name} {after:.3f}" for name, (_, after) in found.temperatures.items()
    )
    return render(
        "calibration.html",
        title=title,
        summary=f"Temperatures: {temperatures}",
        source=source,
        keys=keys(_NAMES),
        diagrams=[_diagram(name, *pair) for name, pair in found.predictions.items()],
        errors=Table("Calibration", COLUMNS, found.rows()),
    )


def _diagram(name: str, before: Reliability, after: Reliability) -> Plot:
    series = [
        *(
            Series(when, [_point(*bin_of) for bin_of in _bins(one)])
            for when, one in zip(_NAMES, (before, after), strict=True)
        ),
        Series("calibrated", [Point(0.0, 0.0), Point(100.0, 100.0)], muted=True),
    ]
    drawing = line_plot(
        series,
        title=f"Reliability diagram of {name}",
        x=percent_axis("mean probability"),
        y=percent_axis("accuracy"),
    )
    rows = [
        [when, f"{count:,}", f"{100 * probability:.2f}", f"{100 * accuracy:.2f}"]
        for when, one in zip(_NAMES, (before, after), strict=True)
        for count, probability, accuracy in _bins(one)
    ]
    figures = Table(drawing.title, ["", "words", "mean probability", "accuracy"], rows)
    return Plot(name.capitalize(), drawing, figures)


def _bins(one: Reliability) -> list[tuple[int, float, float]]:
    return [(of_bin.count, of_bin.probability, of_bin.accuracy) for of_bin in one.bins]


def _point(count: int, probability: float, accuracy: float) -> Point:
    return Point(100 * probability, 100 * accuracy, note=f"{count:,} words")
