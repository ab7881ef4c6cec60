"""A comparison of parsers as a page: scores, differences, breakdowns and trees."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from spacy_npparse.evaluation.breakdowns import Group
from spacy_npparse.evaluation.comparison_table import (
    DIFFERENCE_HEADER,
    MOST_RELATIONS,
    difference_rows,
    equal_scores,
    seeds_note,
)
from spacy_npparse.evaluation.metrics import ArcProperty, Metric
from spacy_npparse.evaluation.parser_comparison import Parser, ParserComparison
from spacy_npparse.evaluation.provenance import Provenance
from spacy_npparse.evaluation.seeds import missing_scores, split_scores
from spacy_npparse.evaluation.significance import SAMPLES, SEED
from spacy_npparse.evaluation.text_table import p_equation, percent, score_cell
from spacy_npparse.visualisation.page import Page, render
from spacy_npparse.visualisation.plots import (
    Axis,
    Point,
    Series,
    dot_plot,
    line_plot,
    scatter_plot,
)
from spacy_npparse.visualisation.reports.differing_sentences import differing_sentences
from spacy_npparse.visualisation.reports.parts import (
    Cell,
    Plot,
    Table,
    keys,
    percent_axis,
    rates_point,
    without_precision,
)

_MOST_PAIRS = 10
_CROSSING_PRECISION = Metric.NONPROJECTIVE_PRECISION
_CROSSING_RECALL = Metric.NONPROJECTIVE_RECALL
_MAIN = (
    Metric.UAS,
    Metric.LAS,
    Metric.CLAS,
    Metric.MLAS,
    Metric.BLEX,
    Metric.EXACT_MATCH,
    Metric.NONPROJECTIVE_LAS,
    _CROSSING_PRECISION,
    _CROSSING_RECALL,
)
# For these, higher is not better.
_SHARES = (Metric.NONPROJECTIVE_SHARE, Metric.NONPROJECTIVE_SENTENCE_SHARE)


def render_comparison(
    comparison: ParserComparison, source: Provenance, *, n_sentences: int = 10
) -> Page:
    """Write an HTML page about a comparison of parsers.

    Args:
        comparison: From `evaluation.compare_parsers`.
        source: What it was computed from.
        n_sentences: The number of sentences whose trees are drawn: those that differ most.

    Returns:
        A complete page that needs no network; its plots need scripts, their figures do not.
    """
    names = [parser.name for parser in comparison.parsers]
    n_words = sum(len(sentence.words) for sentence in comparison.gold)
    return render(
        "comparison.html",
        title=f"Comparison of {len(names)} parsers",
        summary=f"{len(comparison.gold):,} sentences, {n_words:,} words",
        source=source,
        first=names[0],
        several_seeds=any(len(parser.seeds) > 1 for parser in comparison.parsers),
        samples=SAMPLES,
        seed=SEED,
        keys=keys(names),
        score_plots=[_main(comparison), _intervals(comparison), _crossing(comparison)],
        scores=_scores(comparison),
        equal_scores=equal_scores(comparison),
        missing_scores=missing_scores(comparison.parsers),
        differences=Table("Differences", DIFFERENCE_HEADER, difference_rows(comparison)),
        fold_differences=len(comparison.pairs) > _MOST_PAIRS,
        seeds_note=seeds_note(comparison),
        breakdown_plots=[
            _line_plot(comparison, ArcProperty.ARC_LENGTH, "recall"),
            _line_plot(comparison, ArcProperty.ARC_LENGTH, "precision"),
            _line_plot(comparison, ArcProperty.SENTENCE_LENGTH, "recall"),
            _line_plot(comparison, ArcProperty.ROOT_DISTANCE, "recall"),
            _line_plot(comparison, ArcProperty.ROOT_DISTANCE, "precision"),
            _dot_plot(comparison, ArcProperty.PROJECTIVITY, ["recall", "precision"]),
            _dot_plot(comparison, ArcProperty.RELATION, ["recall"]),
        ],
        sentences=differing_sentences(comparison, n_sentences),
    )


def _main(comparison: ParserComparison) -> Plot:
    """A plot of the main scores."""
    shown = [name for name in _MAIN if name in comparison.score_names]
    drawing = dot_plot(
        [
            Series(parser.name, [_score_point(i, parser, name) for i, name in enumerate(shown)])
            for parser in comparison.parsers
        ],
        title="Main scores of the parsers",
        x=percent_axis("percent"),
        names=[name.label for name in shown],
    )
    return Plot("Main scores", drawing)


def _scores(comparison: ParserComparison) -> Table:
    """All scores that differ, with p-values against the first parser."""
    first = comparison.parsers[0]
    p_values = {pair.second: pair.differences for pair in comparison.pairs_with(first)}
    cells: list[list[str | Cell]] = []
    for name in split_scores(comparison.parsers, comparison.score_names)[0]:
        best = max(parser.mean(name) or 0.0 for parser in comparison.parsers)
        cells.append([name.label])
        for parser in comparison.parsers:
            p = p_values[parser.name][name].p_sentences if parser is not first else None
            strong = parser.mean(name) == best and name not in _SHARES
            cells[-1].append(
                Cell(score_cell(parser, name), "" if p is None else p_equation(p), strong)
            )
    return Table("Scores", ["Score", *(parser.name for parser in comparison.parsers)], cells)


def _score_point(row: int, parser: Parser, name: Metric) -> Point:
    values = [100 * value for value in parser.score(name) if value is not None]
    mean = parser.mean(name)
    if mean is None:
        return Point(row, None)
    if len(values) == 1:
        return Point(row, 100 * mean)
    return Point(row, 100 * mean, min(values), max(values))


def _intervals(comparison: ParserComparison) -> Plot:
    """A plot of the differences in LAS from the first parser."""
    first = comparison.parsers[0]
    pairs = comparison.pairs_with(first)
    # The first parser has no difference from itself, but keeps its colour.
    series = [Series(first.name, [])]
    for row, pair in enumerate(pairs):
        found = pair.differences[Metric.LAS]
        low, high = (100 * end for end in found.interval) if found.interval else (None, None)
        value = None if found.difference is None else 100 * found.difference
        series.append(
            Series(pair.second, [Point(row, value, low, high, p_equation(found.p_sentences))])
        )
    drawing = dot_plot(
        series,
        title=f"Differences in LAS from {first.name}",
        x=Axis("percentage points, 95 % interval"),
        names=[pair.second for pair in pairs],
        reference=0.0,
    )
    return Plot(f"LAS: difference from {first.name}", drawing)


def _crossing(comparison: ParserComparison) -> Plot:
    """A plot of precision against recall of non-projective arcs, with a mark for each seed."""
    series = []
    for parser in comparison.parsers:
        rates = zip(parser.score(_CROSSING_RECALL), parser.score(_CROSSING_PRECISION), strict=True)
        series.append(Series(parser.name, [point for one in rates for point in rates_point(*one)]))
    drawing = scatter_plot(
        series,
        title="Precision and recall of non-projective arcs",
        x=percent_axis("recall, percent"),
        y=percent_axis("precision, percent"),
    )
    heading = "Non-projective arcs: precision and recall"
    return Plot(heading, drawing, note=without_precision(series))


def _line_plot(comparison: ParserComparison, name: ArcProperty, measure: str) -> Plot:
    """Recall or precision by a number, in ranges."""
    groups = _counted(comparison, name, [measure])
    heading = f"{measure.capitalize()} by {name.label}"
    tree = "gold" if measure == "recall" else "predicted"
    drawing = line_plot(
        _series(comparison, list(groups.values()), [measure]),
        title=heading,
        x=Axis(
            name.label
            if name is ArcProperty.SENTENCE_LENGTH
            else f"{name.label} in the {tree} tree"
        ),
        y=percent_axis(f"{measure}, percent"),
        categories=list(groups),
    )
    return Plot(heading, drawing, _figures(comparison, name, groups, [measure]))


def _dot_plot(comparison: ParserComparison, name: ArcProperty, measures: Sequence[str]) -> Plot:
    """Recall, or recall and precision, of arcs of different kinds; both in the table."""
    both = ["recall", "precision"]
    groups = _counted(comparison, name, both)
    shown = dict(islice(groups.items(), MOST_RELATIONS))
    names = [
        f"{kind}: {measure}" if measures[1:] else kind for kind in shown for measure in measures
    ]
    heading = f"{' and '.join(measures).capitalize()} by {name.label}"
    if len(shown) < len(groups):
        heading += f", the {len(shown)} most frequent"
    series = _series(comparison, list(shown.values()), measures)
    drawing = dot_plot(
        series,
        title=heading,
        x=percent_axis("percent"),
        names=names,
    )
    note = without_precision(series) if "precision" in measures else ""
    return Plot(heading, drawing, _figures(comparison, name, groups, both), note)


def _counted(
    comparison: ParserComparison, name: ArcProperty, measures: Sequence[str]
) -> dict[str, list[Group]]:
    """The groups with gold arcs (recall) or predicted arcs (precision)."""
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
    name: ArcProperty,
    kinds: dict[str, list[Group]],
    measures: Sequence[str],
) -> Table:
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
    header = [name.label, *counts, *(parser.name for parser in comparison.parsers)]
    return Table(f"Figures by {name.label}", header, cells)
