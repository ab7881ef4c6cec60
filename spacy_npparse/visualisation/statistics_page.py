"""The statistics of a treebank as a page with plots."""

from __future__ import annotations

from itertools import count

from spacy_npparse.evaluation.provenance import Provenance
from spacy_npparse.treebank.statistics import Statistics
from spacy_npparse.visualisation.marks import Point, Series
from spacy_npparse.visualisation.page import Page
from spacy_npparse.visualisation.plots import bars, row_bars
from spacy_npparse.visualisation.report import plot_figure, plot_grid, report, section, table

_MOST_BARS = 30


def render_statistics(
    found: Statistics, source: Provenance, *, title: str = "Statistics of a treebank"
) -> Page:
    """Write an HTML page about the trees of a treebank.

    Args:
        found: see `treebank.statistics.treebank_statistics`.
        source: what it was made from.
        title: the heading of the page.

    Returns:
        A complete page that needs no scripts and nothing from the network.
    """
    summary = f"{found.sentences:,} sentences, {found.words:,} words"
    counts = [[name, f"{n:,}", note] for name, n, note in found.rows()]
    return report(
        title,
        summary,
        [
            section(
                "Trees",
                "Sentences with missing heads are left out. Gap degree: the largest number of gaps "
                "in what a word dominates. Edge degree: the largest number of partial trees under "
                "an arc that do not hang on its head. Both are 0 in projective trees.",
                plot_grid(
                    [
                        plot_figure("Sentence lengths", _lengths(found)),
                        plot_figure("Gap degree", _degrees(found, found.gap_degrees, "gap degree")),
                        plot_figure(
                            "Edge degree", _degrees(found, found.edge_degrees, "edge degree")
                        ),
                        plot_figure("Classes of trees", _classes(found)),
                    ]
                ),
                table(["", "count", ""], counts, label="Counts"),
            ),
            section(
                "Transition systems",
                "What the static oracles of each transition system derive, in how many "
                "transitions, and how often they reorder words. Lengths and reorderings are "
                "those of the sentences that an oracle derives.",
                plot_grid(_derivations(found)),
            ),
        ],
        source,
    )


def _lengths(found: Statistics) -> str:
    longest = max(found.lengths)
    widths = (m * 10**e for e in count() for m in (1, 2, 5))
    width = next(w for w in widths if longest <= w * _MOST_BARS)
    counts = [0] * ((longest - 1) // width + 1)
    for length, n_sentences in found.lengths.items():
        counts[(length - 1) // width] += n_sentences
    starts = [1 + width * i for i in range(len(counts))]
    return bars(
        [Series("sentences", [Point(i, n) for i, n in enumerate(counts)])],
        title="Sentence lengths",
        x_label="words",
        y_label="sentences",
        categories=[f"{a}" if width == 1 else f"{a}–{a + width - 1}" for a in starts],
    )


def _degrees(found: Statistics, degrees: dict[int, int], name: str) -> str:
    shares = {f"{name} {degree}": (n, found.sentences) for degree, n in degrees.items()}
    return _shares(shares, f"Sentences by {name}", "percent of sentences")


def _classes(found: Statistics) -> str:
    sentences = {f"sentences: {name}": (n, found.sentences) for name, n in found.covered.items()}
    arcs = {f"arcs: {name}": (n, found.words) for name, n in found.covered_arcs.items()}
    return _shares({**sentences, **arcs}, "Trees of each class", "percent")


def _derivations(found: Statistics) -> list[str]:
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
        plot_figure(
            "Coverage", _shares(covered, "Coverage by system and oracle", "percent of sentences")
        ),
        plot_figure(
            "Derivation lengths", _numbers(lengths, "Derivation lengths", "transitions a word", 2)
        ),
        plot_figure(
            "Reorderings", _numbers(reorderings, "Reorderings", "reorderings a sentence", 3)
        ),
    ]


def _shares(shares: dict[str, tuple[int, int]], title: str, x_label: str) -> str:
    """Bars of parts in wholes, in percent."""
    percents = [100 * part / whole for part, whole in shares.values()]
    return row_bars(
        percents,
        title=title,
        x_label=x_label,
        names=list(shares),
        shown=[
            f"{percent:.2f} % ({part:,})"
            for percent, (part, _) in zip(percents, shares.values(), strict=True)
        ],
    )


def _numbers(values: dict[str, float], title: str, x_label: str, digits: int) -> str:
    """Bars of numbers, told with so many decimal places."""
    return row_bars(
        list(values.values()),
        title=title,
        x_label=x_label,
        names=list(values),
        shown=[f"{value:.{digits}f}" for value in values.values()],
    )
