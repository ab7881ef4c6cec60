"""The statistics of a treebank as a page with plots."""

from __future__ import annotations

from itertools import count

from markupsafe import Markup

from spacy_npparse.evaluation.provenance import Provenance
from spacy_npparse.treebank.statistics import Statistics
from spacy_npparse.visualisation.page import Page, render
from spacy_npparse.visualisation.plots.axes import Axis
from spacy_npparse.visualisation.plots.charts import bar_plot, row_bars
from spacy_npparse.visualisation.plots.marks import Point, Series
from spacy_npparse.visualisation.reports.parts import Plot, Table, percent_axis

_MOST_BARS = 30


def render_statistics(
    found: Statistics, source: Provenance, *, title: str = "Statistics of a treebank"
) -> Page:
    """Write an HTML page about the trees of a treebank.

    Args:
        found: From `treebank.statistics.treebank_statistics`.
        source: What it was computed from.
        title: The heading of the page.

    Returns:
        A complete page that needs neither scripts nor network.
    """
    return render(
        "statistics.html",
        title=title,
        summary=f"{found.sentences:,} sentences, {found.words:,} words",
        source=source,
        tree_plots=[
            Plot("Sentence lengths", _lengths(found)),
            Plot("Gap degree", _degrees(found, found.gap_degrees, "gap degree")),
            Plot("Edge degree", _degrees(found, found.edge_degrees, "edge degree")),
            Plot("Classes of trees", _classes(found)),
        ],
        counts=Table(
            "Counts",
            ["", "count", ""],
            [[name, f"{n:,}", note] for name, n, note in found.rows()],
        ),
        derivation_plots=_derivations(found),
    )


def _lengths(found: Statistics) -> Markup:
    longest = max(found.lengths)
    widths = (m * 10**e for e in count() for m in (1, 2, 5))
    width = next(w for w in widths if longest <= w * _MOST_BARS)
    counts = [0] * ((longest - 1) // width + 1)
    for length, n_sentences in found.lengths.items():
        counts[(length - 1) // width] += n_sentences
    starts = [1 + width * i for i in range(len(counts))]
    return bar_plot(
        [Series("sentences", [Point(i, n) for i, n in enumerate(counts)])],
        title="Sentence lengths",
        x=Axis("words"),
        y=Axis("sentences"),
        categories=[f"{a}" if width == 1 else f"{a}–{a + width - 1}" for a in starts],
    )


def _degrees(found: Statistics, degrees: dict[int, int], name: str) -> Markup:
    shares = {f"{name} {degree}": (n, found.sentences) for degree, n in degrees.items()}
    return _shares(shares, f"Sentences by {name}", "percent of sentences")


def _classes(found: Statistics) -> Markup:
    sentences = {f"sentences: {name}": (n, found.sentences) for name, n in found.covered.items()}
    arcs = {f"arcs: {name}": (n, found.words) for name, n in found.covered_arcs.items()}
    return _shares({**sentences, **arcs}, "Trees of each class", "percent")


def _derivations(found: Statistics) -> list[Plot]:
    """Coverage, lengths and reorderings, by system and oracle."""
    oracles = {
        f"{system} {oracle}": derivations
        for system, of_system in found.derivations.items()
        for oracle, derivations in of_system.items()
    }
    covered = {name: (d.sentences, found.sentences) for name, d in oracles.items()}
    derived = {name: d for name, d in oracles.items() if d.sentences}
    lengths = {name: d.transitions / d.words for name, d in derived.items()}
    reorderings = {
        name: d.reorderings / d.sentences
        for name, d in derived.items()
        if d.reorderings is not None
    }
    return [
        Plot("Coverage", _shares(covered, "Coverage by system and oracle", "percent of sentences")),
        Plot(
            "Derivation lengths", _numbers(lengths, "Derivation lengths", "transitions a word", 2)
        ),
        Plot("Reorderings", _numbers(reorderings, "Reorderings", "reorderings a sentence", 3)),
    ]


def _shares(shares: dict[str, tuple[int, int]], title: str, x_title: str) -> Markup:
    """Bars of shares, from parts and wholes."""
    percents = [100 * part / whole for part, whole in shares.values()]
    return row_bars(
        percents,
        title=title,
        x=percent_axis(x_title),
        names=list(shares),
        shown=[
            f"{percent:.2f} % ({part:,})"
            for percent, (part, _) in zip(percents, shares.values(), strict=True)
        ],
    )


def _numbers(values: dict[str, float], title: str, x_title: str, digits: int) -> Markup:
    """Bars of numbers, written with so many decimal places."""
    return row_bars(
        list(values.values()),
        title=title,
        x=Axis(x_title),
        names=list(values),
        shown=[f"{value:.{digits}f}" for value in values.values()],
    )
