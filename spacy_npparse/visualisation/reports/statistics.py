"""The statistics of a treebank as a page with plots."""

from __future__ import annotations

from itertools import count

from spacy_npparse.evaluation.provenance import Provenance
from spacy_npparse.treebank.statistics import Statistics
from spacy_npparse.visualisation.page import Page, render
from spacy_npparse.visualisation.plots import Axis, Plot, Point, Series
from spacy_npparse.visualisation.reports.parts import Bar, Bars

_MOST_BARS = 30


def render_statistics(
    found: Statistics, source: Provenance, *, title: str = "Statistics of a treebank"
) -> Page:
    """Make an HTML page about the trees of a treebank.

    Args:
        found: The statistics that `treebank.statistics.treebank_statistics` returned.
        source: The provenance of the results.
        title: The heading of the page.

    Returns:
        A complete page that needs no network. Its plots need scripts, but their figures do not.
    """
    return render(
        "statistics.html",
        title=title,
        summary=f"{found.sentences:,} sentences, {found.words:,} words",
        source=source,
        lengths=_lengths(found),
        tree_bars=[
            _degrees(found, found.gap_degrees, "gap degree"),
            _degrees(found, found.edge_degrees, "edge degree"),
            _classes(found),
        ],
        counts=found.counts(),
        derivation_bars=_derivations(found),
        note=found.note(),
    )


def _lengths(found: Statistics) -> Plot:
    longest = max(found.lengths)
    widths = (m * 10**e for e in count() for m in (1, 2, 5))
    width = next(w for w in widths if longest <= w * _MOST_BARS)
    counts = [0] * ((longest - 1) // width + 1)
    for length, n_sentences in found.lengths.items():
        counts[(length - 1) // width] += n_sentences
    starts = [1 + width * i for i in range(len(counts))]
    return Plot(
        "Sentence lengths",
        "bars",
        [Series("sentences", [Point(i, n) for i, n in enumerate(counts)])],
        Axis("sentences"),
        Axis("words"),
        names=[f"{a}" if width == 1 else f"{a}–{a + width - 1}" for a in starts],
    )


def _degrees(found: Statistics, degrees: dict[int, int], name: str) -> Bars:
    shares = {f"{name} {degree}": (n, found.sentences) for degree, n in degrees.items()}
    return _shares(name.capitalize(), "percent of sentences", shares)


def _classes(found: Statistics) -> Bars:
    sentences = {f"sentences: {name}": (n, found.sentences) for name, n in found.covered.items()}
    arcs = {f"arcs: {name}": (n, found.words) for name, n in found.covered_arcs.items()}
    return _shares("Classes of trees", "percent", {**sentences, **arcs})


def _derivations(found: Statistics) -> list[Bars]:
    """Make the bars of coverage, lengths and reorderings by system and oracle."""
    oracles = found.oracles()
    covered = {name: (one.sentences, found.sentences) for name, one in oracles.items()}
    lengths = {name: one.transitions_per_word for name, one in oracles.items()}
    reorderings = {name: one.reorderings_per_sentence for name, one in oracles.items()}
    return [
        _shares("Coverage", "percent of sentences", covered),
        _numbers("Derivation lengths", "transitions per word", lengths, 2),
        _numbers("Reorderings", "reorderings per sentence", reorderings, 3),
    ]


def _shares(heading: str, unit: str, shares: dict[str, tuple[int, int]]) -> Bars:
    """Make bars of shares from parts and wholes."""
    percents = {name: 100 * part / whole for name, (part, whole) in shares.items()}
    rows = [
        Bar(name, percent, f"{percent:.2f} % ({shares[name][0]:,})")
        for name, percent in percents.items()
    ]
    return Bars(heading, unit, rows)


def _numbers(heading: str, unit: str, values: dict[str, float | None], digits: int) -> Bars:
    """Make bars of the numbers that are known, with a fixed number of decimal places."""
    known = {name: value for name, value in values.items() if value is not None}
    longest = max(known.values(), default=0.0) or 1.0
    rows = [
        Bar(name, 100 * value / longest, f"{value:.{digits}f}") for name, value in known.items()
    ]
    return Bars(heading, unit, rows)
