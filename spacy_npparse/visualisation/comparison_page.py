"""A comparison of parsers as a page: scores, differences, what is right where, and trees."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from spacy_npparse.evaluation.breakdowns import Group
from spacy_npparse.evaluation.comparison_table import (
    DIFFERENCE_HEADER,
    MOST_RELATIONS,
    difference_rows,
    equal_scores,
    p_value,
    seeds_note,
    split_scores,
)
from spacy_npparse.evaluation.parser_comparison import (
    Parser,
    ParserComparison,
)
from spacy_npparse.evaluation.provenance import Provenance
from spacy_npparse.evaluation.significance import SAMPLES, SEED
from spacy_npparse.evaluation.text_table import percent, score_cell
from spacy_npparse.visualisation.comparison_trees import TREES_STYLE, differing_sentences
from spacy_npparse.visualisation.marks import Point, Series, legend
from spacy_npparse.visualisation.page import Page
from spacy_npparse.visualisation.plots import lines, rows, scatter
from spacy_npparse.visualisation.report import (
    Cell,
    folded,
    plot_figure,
    plot_grid,
    report,
    section,
    table,
)
from spacy_npparse.visualisation.svg import escape

_MOST_PAIRS = 10
_CROSSING_PRECISION = "Non-projective arcs: precision"
_CROSSING_RECALL = "Non-projective arcs: recall"
_MAIN = (
    "UAS",
    "LAS",
    "CLAS",
    "Exact match",
    "Non-projective sentences: LAS",
    _CROSSING_PRECISION,
    _CROSSING_RECALL,
)
# These are no better for being greater.
_SHARES = ("Non-projective arcs predicted", "Non-projective sentences predicted")


def render_comparison(
    comparison: ParserComparison, source: Provenance, *, n_sentences: int = 10
) -> Page:
    """Write an HTML page about a comparison of parsers.

    Args:
        comparison: see `evaluation.compare_parsers`.
        source: what it was made from.
        n_sentences: of how many of the sentences that differ most the trees are drawn.

    Returns:
        A complete page that needs no scripts and nothing from the network.
    """
    names = [parser.name for parser in comparison.parsers]
    n_words = sum(len(sentence.words) for sentence in comparison.gold)
    sections = [
        _scores(comparison),
        _differences(comparison),
        _breakdowns(comparison),
        differing_sentences(comparison, n_sentences),
    ]
    return report(
        f"Comparison of {len(names)} parsers",
        f"{len(comparison.gold):,} sentences, {n_words:,} words",
        sections,
        source,
        style=TREES_STYLE,
    )


def _scores(comparison: ParserComparison) -> str:
    first = comparison.parsers[0]
    names = [parser.name for parser in comparison.parsers]
    drawing = rows(
        [
            Series(parser.name, [_score_point(i, parser, name) for i, name in enumerate(_MAIN)])
            for parser in comparison.parsers
        ],
        title="Main scores of the parsers",
        x_label="percent",
        names=_MAIN,
    )
    p_values = {pair.second: pair.differences for pair in comparison.pairs_with(first)}
    cells: list[list[str | Cell]] = []
    for name in split_scores(comparison)[0]:
        best = max(parser.mean(name) or 0.0 for parser in comparison.parsers)
        cells.append([name])
        for parser in comparison.parsers:
            p = p_values[parser.name][name].p_sentences if parser is not first else None
            strong = parser.mean(name) == best and name not in _SHARES
            cells[-1].append(Cell(score_cell(parser, name), _small_p(p), strong))
    spread = "Mean ± standard deviation over seeds; in the plot, the least to the greatest. "
    several = any(len(parser.seeds) > 1 for parser in comparison.parsers)
    equal = equal_scores(comparison)
    return section(
        "Scores",
        "The scores of the official CoNLL 2018 evaluation (F1; punctuation counts, subtypes of "
        f"relations do not) and those of crossing arcs, in percent. {spread if several else ''}"
        f"Below a score: the p-value of its difference from that of {first.name} (approximate "
        f"randomisation over sentences, {SAMPLES:,} exchanges, seed {SEED}).",
        legend(names),
        plot_grid(
            [plot_figure("Main scores", drawing), _intervals(comparison), _crossing(comparison)]
        ),
        table(["Score", *names], cells, label="Scores"),
        f'<p class="note">The same everywhere: {escape(equal)}.</p>' if equal else "",
    )


def _score_point(row: int, parser: Parser, name: str) -> Point:
    values = [100 * value for value in parser.score(name) if value is not None]
    mean = parser.mean(name)
    if mean is None:
        return Point(row, None)
    if len(values) == 1:
        return Point(row, 100 * mean)
    return Point(row, 100 * mean, min(values), max(values))


def _small_p(p: float | None) -> str:
    if p is None:
        return ""
    return f"p {p_value(p)}" if p < 0.001 else f"p = {p_value(p)}"


def _intervals(comparison: ParserComparison) -> str:
    """A plot of the differences in LAS from the first parser."""
    first = comparison.parsers[0]
    pairs = comparison.pairs_with(first)
    # The first parser has no difference from itself, but keeps its colour.
    series = [Series(first.name, [])]
    for row, pair in enumerate(pairs):
        found = pair.differences["LAS"]
        low, high = (100 * end for end in found.interval) if found.interval else (None, None)
        value = None if found.difference is None else 100 * found.difference
        series.append(
            Series(pair.second, [Point(row, value, low, high, _small_p(found.p_sentences))])
        )
    drawing = rows(
        series,
        title=f"Differences in LAS from {first.name}",
        x_label="percentage points, 95 % interval",
        names=[pair.second for pair in pairs],
        reference=0.0,
    )
    return plot_figure(f"LAS: difference from {first.name}", drawing)


def _crossing(comparison: ParserComparison) -> str:
    """A plot of precision against recall of non-projective arcs, with a mark for each seed."""
    series = []
    for parser in comparison.parsers:
        rates = zip(parser.score(_CROSSING_RECALL), parser.score(_CROSSING_PRECISION), strict=True)
        points = [
            Point(100 * recall, None if precision is None else 100 * precision)
            for recall, precision in rates
            if recall is not None
        ]
        series.append(Series(parser.name, points))
    drawing = scatter(
        series,
        title="Precision and recall of non-projective arcs",
        x_label="recall, percent",
        y_label="precision, percent",
    )
    return plot_figure("Non-projective arcs: precision and recall", drawing)


def _differences(comparison: ParserComparison) -> str:
    shown = table(DIFFERENCE_HEADER, difference_rows(comparison), label="Differences")
    return section(
        "Differences",
        "Sentences: approximate randomisation, and the interval by bootstrap; words: McNemar's "
        "test; both ask whether other text would show the same difference. Seeds: Wilcoxon's "
        "signed-rank test asks whether other seeds would. Not corrected for the number of "
        f"comparisons. {seeds_note(comparison)}",
        shown if len(comparison.pairs) <= _MOST_PAIRS else folded("All pairs", shown),
    )


def _breakdowns(comparison: ParserComparison) -> str:
    figures = [
        _lines_figure(comparison, "arc length", "recall"),
        _lines_figure(comparison, "arc length", "precision"),
        _lines_figure(comparison, "sentence length", "recall"),
        _lines_figure(comparison, "distance to the root", "recall"),
        _lines_figure(comparison, "distance to the root", "precision"),
        _rows_figure(comparison, "projectivity", ["recall", "precision"]),
        _rows_figure(comparison, "relation", ["recall"]),
    ]
    return section(
        "What is right where",
        "A word is right if its head and its relation are. Recall goes by the properties of the "
        "gold arcs, precision by those of the predicted arcs. Arcs from the root have no length, "
        "and the root's distance to itself is 1. Sentences with missing gold heads are left out.",
        legend([parser.name for parser in comparison.parsers]),
        plot_grid(figures),
    )


def _lines_figure(comparison: ParserComparison, name: str, measure: str) -> str:
    """Recall or precision in ranges of a number."""
    groups = _counted(comparison, name, [measure])
    heading = f"{measure.capitalize()} by {name}"
    tree = "gold" if measure == "recall" else "predicted"
    drawing = lines(
        _series(comparison, list(groups.values()), [measure]),
        title=heading,
        x_label=name if name == "sentence length" else f"{name} in the {tree} tree",
        y_label=f"{measure}, percent",
        categories=list(groups),
    )
    return plot_figure(heading, drawing, _figures(comparison, name, groups, [measure]))


def _rows_figure(comparison: ParserComparison, name: str, measures: Sequence[str]) -> str:
    """Recall, or recall and precision, of arcs of different kinds; both in the table."""
    both = ["recall", "precision"]
    groups = _counted(comparison, name, both)
    shown = dict(islice(groups.items(), MOST_RELATIONS))
    names = [
        f"{kind}: {measure}" if measures[1:] else kind for kind in shown for measure in measures
    ]
    heading = f"{' and '.join(measures).capitalize()} by {name}"
    if len(shown) < len(groups):
        heading += f", the {len(shown)} most frequent"
    drawing = rows(
        _series(comparison, list(shown.values()), measures),
        title=heading,
        x_label="percent",
        names=names,
    )
    return plot_figure(heading, drawing, _figures(comparison, name, groups, both))


def _counted(
    comparison: ParserComparison, name: str, measures: Sequence[str]
) -> dict[str, list[Group]]:
    """The kinds of arcs that there are in the gold trees (recall) or predicted ones (precision)."""
    return {
        kind: groups
        for kind, groups in comparison.breakdown(name).items()
        if any(getattr(group, measure) is not None for group in groups for measure in measures)
    }


def _series(
    comparison: ParserComparison, kinds: Sequence[Sequence[Group]], measures: Sequence[str]
) -> list[Series]:
    """The measures of each kind in turn, for each parser."""
    series = []
    for i, parser in enumerate(comparison.parsers):
        points: list[Point] = []
        for groups in kinds:
            for measure in measures:
                value = getattr(groups[i], measure)
                points.append(Point(len(points), None if value is None else 100 * value))
        series.append(Series(parser.name, points))
    return series


def _figures(
    comparison: ParserComparison,
    name: str,
    kinds: dict[str, list[Group]],
    measures: Sequence[str],
) -> str:
    """The table below a plot, with the numbers of arcs behind the values."""
    cells: list[list[str | Cell]] = []
    for kind, groups in kinds.items():
        for measure in measures:
            row: list[str | Cell] = [f"{kind}: {measure}" if measures[1:] else kind]
            if "recall" in measures:
                row.append(f"{comparison.gold_arcs(groups):,}" if measure == "recall" else "")
            for parser, group in zip(comparison.parsers, groups, strict=True):
                n_predicted = round(group.predicted / len(parser.seeds))
                note = f"of {n_predicted:,}" if measure == "precision" else ""
                row.append(Cell(percent(getattr(group, measure)), note))
            cells.append(row)
    counts = ["gold arcs"] if "recall" in measures else []
    header = [name, *counts, *(parser.name for parser in comparison.parsers)]
    return table(header, cells, label=f"Figures by {name}")
