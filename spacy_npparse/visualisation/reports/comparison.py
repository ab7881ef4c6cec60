"""A comparison of parsers as a page: scores, differences, breakdowns and trees."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from spacy_npparse.evaluation.breakdowns import Group
from spacy_npparse.evaluation.comparison_table import (
    MOST_RELATIONS,
    breakdown_table,
    counted_groups,
    differences_table,
    scores_table,
    seeds_note,
)
from spacy_npparse.evaluation.metrics import ArcProperty, Metric
from spacy_npparse.evaluation.parser_comparison import Parser, ParserComparison
from spacy_npparse.evaluation.provenance import Provenance
from spacy_npparse.evaluation.seeds import known, score_notes
from spacy_npparse.evaluation.significance import SAMPLES, SEED, p_equation
from spacy_npparse.visualisation.page import Page, render
from spacy_npparse.visualisation.plots import Axis, Plot, Point, Series, rate_point
from spacy_npparse.visualisation.reports.differing_sentences import differing_sentences
from spacy_npparse.visualisation.reports.parts import (
    crossing_plot,
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


def render_comparison(
    comparison: ParserComparison, source: Provenance, *, n_sentences: int = 10
) -> Page:
    """Make an HTML page about a comparison of parsers.

    Args:
        comparison: The comparison that `evaluation.compare_parsers` returned.
        source: The provenance of the results.
        n_sentences: The number of sentences whose trees are drawn, those that differ most.

    Returns:
        A complete page that needs no network. Its plots need scripts, but their figures do not.
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
        scores=scores_table(comparison),
        score_notes=score_notes(comparison.parsers, comparison.score_names),
        differences=differences_table(comparison),
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
    """Plot the main scores."""
    shown = [name for name in _MAIN if name in comparison.score_names]
    return Plot(
        "Main scores",
        "rows",
        [
            Series(parser.name, [_score_point(i, parser, name) for i, name in enumerate(shown)])
            for parser in comparison.parsers
        ],
        percent_axis("percent"),
        names=[name.label for name in shown],
        title="Main scores of the parsers",
    )


def _score_point(row: int, parser: Parser, name: Metric) -> Point:
    values = known(parser.score(name))
    ends = (min(values), max(values)) if len(values) > 1 else None
    return rate_point(row, parser.mean(name), ends)


def _intervals(comparison: ParserComparison) -> Plot:
    """Plot the differences in LAS from the first parser."""
    first = comparison.parsers[0]
    pairs = comparison.pairs_with(first)
    # The first parser has no difference from itself, but keeps its colour.
    series = [Series(first.name, [])]
    for row, pair in enumerate(pairs):
        found = pair.differences[Metric.LAS]
        note = p_equation(found.p_sentences)
        point = rate_point(row, found.difference, found.interval, note)
        series.append(Series(pair.second, [point]))
    return Plot(
        f"LAS: difference from {first.name}",
        "rows",
        series,
        Axis("percentage points, 95 % interval"),
        names=[pair.second for pair in pairs],
        reference=0.0,
        title=f"Differences in LAS from {first.name}",
    )


def _crossing(comparison: ParserComparison) -> Plot:
    """Plot precision against recall of non-projective arcs, with a mark for each seed."""
    series = []
    for parser in comparison.parsers:
        rates = zip(parser.score(_CROSSING_RECALL), parser.score(_CROSSING_PRECISION), strict=True)
        series.append(Series(parser.name, [point for one in rates for point in rates_point(*one)]))
    return crossing_plot(series)


def _line_plot(comparison: ParserComparison, name: ArcProperty, measure: str) -> Plot:
    """Plot recall or precision by ranges of a number."""
    groups = counted_groups(comparison, name, [measure])
    heading = f"{measure.capitalize()} by {name.label}"
    tree = "gold" if measure == "recall" else "predicted"
    of_arcs = "" if name is ArcProperty.SENTENCE_LENGTH else f" in the {tree} tree"
    return Plot(
        heading,
        "lines",
        _series(comparison, list(groups.values()), [measure]),
        percent_axis(f"{measure}, percent"),
        Axis(name.label + of_arcs),
        names=list(groups),
        table=breakdown_table(comparison, name, [measure]),
    )


def _dot_plot(comparison: ParserComparison, name: ArcProperty, measures: Sequence[str]) -> Plot:
    """Plot recall, or recall and precision, of arcs of different kinds. The table has both."""
    both = ["recall", "precision"]
    groups = counted_groups(comparison, name, both)
    shown = dict(islice(groups.items(), MOST_RELATIONS))
    names = [
        f"{kind}: {measure}" if measures[1:] else kind for kind in shown for measure in measures
    ]
    heading = f"{' and '.join(measures).capitalize()} by {name.label}"
    if len(shown) < len(groups):
        heading += f", the {len(shown)} most frequent"
    series = _series(comparison, list(shown.values()), measures)
    return Plot(
        heading,
        "rows",
        series,
        percent_axis("percent"),
        names=names,
        table=breakdown_table(comparison, name, both),
        note=without_precision(series) if "precision" in measures else "",
    )


def _series(
    comparison: ParserComparison, kinds: Sequence[Sequence[Group]], measures: Sequence[str]
) -> list[Series]:
    """Make the series of each parser, with the measures of each kind in turn."""
    series = []
    for i, parser in enumerate(comparison.parsers):
        points: list[Point] = []
        for groups in kinds:
            for measure in measures:
                points.append(rate_point(len(points), getattr(groups[i], measure)))
        series.append(Series(parser.name, points))
    return series
