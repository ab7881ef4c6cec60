"""The calibration of a parser as a page with reliability diagrams."""

from __future__ import annotations

from spacy_npparse.evaluation.provenance import Provenance
from spacy_npparse.evaluation.reliability import (
    CalibrationComparison,
    Reliability,
    ReliabilityBin,
)
from spacy_npparse.tables import Column, Table, columns, count, percent
from spacy_npparse.visualisation.page import Page, render
from spacy_npparse.visualisation.plots import Plot, Point, Series, rate_point
from spacy_npparse.visualisation.reports.parts import keys, percent_axis

_NAMES = ("before", "after")


def render_calibration(
    found: CalibrationComparison, source: Provenance, *, title: str = "Calibration of a parser"
) -> Page:
    """Make an HTML page about the calibration of a parser.

    Args:
        found: The reliability of the probabilities before and after calibration.
        source: The provenance of the results.
        title: The heading of the page.

    Returns:
        A complete page that needs no network. Its plots need scripts, but their figures do not.
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
        errors=found.errors(),
    )


def _diagram(name: str, *both: Reliability) -> Plot:
    bins = [(when, one) for when, of in zip(_NAMES, both, strict=True) for one in of.bins]
    series = [Series(when, [_point(one) for of, one in bins if of == when]) for when in _NAMES]
    series.append(Series("calibrated", [Point(0.0, 0.0), Point(100.0, 100.0)], muted=True))
    title = f"Reliability diagram of {name}"
    rates = columns(("mean probability", "accuracy"), percent)
    heads = [Column(""), Column("words", count), *rates]
    rows = [[when, one.count, one.probability, one.accuracy] for when, one in bins]
    return Plot(
        name.capitalize(),
        "lines",
        series,
        percent_axis("accuracy"),
        percent_axis("mean probability"),
        title=title,
        table=Table(title, heads, rows),
    )


def _point(one: ReliabilityBin) -> Point:
    return rate_point(100 * one.probability, one.accuracy, note=f"{one.count:,} words")
