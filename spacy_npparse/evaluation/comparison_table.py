"""The tables of a comparison of parsers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from spacy_npparse.evaluation.breakdowns import Group
from spacy_npparse.evaluation.metrics import ArcProperty, Metric
from spacy_npparse.evaluation.parser_comparison import ParserComparison, sentence_text
from spacy_npparse.evaluation.seeds import score_cells, score_notes, split_scores
from spacy_npparse.evaluation.significance import p_equation, p_value, stars
from spacy_npparse.tables import Cell, Column, Table, columns, count, percent, text

# The scores whose differences are shown for all pairs of parsers.
PAIRED_SCORES = (Metric.UAS, Metric.LAS)
MOST_RELATIONS = 12
# Scores of which a higher value is not better.
_SHARES = (Metric.NONPROJECTIVE_SHARE, Metric.NONPROJECTIVE_SENTENCE_SHARE)
_TEXT_WIDTH = 50


def comparison_table(comparison: ParserComparison, n_sentences: int) -> str:
    """Write all tables of a comparison as text.

    Args:
        comparison: The comparison.
        n_sentences: The maximum number of differing sentences to list.
    """
    stars_note = (
        f"Different from {comparison.parsers[0].name} with p < 0.05 (*), 0.01 (**), 0.001 (***): "
        "approximate randomisation over sentences."
    )
    tests_note = (
        "Sentences: approximate randomisation, the interval by bootstrap. With equally many "
        "seeds: words, McNemar; seeds, Wilcoxon. Not corrected for the number of comparisons."
    )
    notes = score_notes(comparison.parsers, comparison.score_names)
    parts: list[Table | str] = [
        scores_table(comparison),
        "\n".join([*notes, stars_note]),
        differences_table(comparison),
        f"{tests_note}\n{seeds_note(comparison)}".strip(),
    ]
    for by in comparison.breakdown_names:
        table = breakdown_table(comparison, by, ["recall"])
        n_kinds = len(table.rows)
        parts.append(table)
        if by is ArcProperty.RELATION and n_kinds > MOST_RELATIONS:
            parts[-1] = replace(table, rows=table.rows[:MOST_RELATIONS])
            parts.append(f"The {MOST_RELATIONS} most frequent of {n_kinds}.")
    return text(*parts, _sentences_table(comparison, n_sentences))


def scores_table(comparison: ParserComparison) -> Table:
    """Make the table of scores that differ, with p-values against the first parser."""
    first, *_ = comparison.parsers
    p_values = {pair.second: pair.differences for pair in comparison.pairs_with(first)}
    rows = []
    for metric in split_scores(comparison.parsers, comparison.score_names)[0]:
        cells = score_cells(comparison.parsers, metric)
        for i, parser in enumerate(comparison.parsers):
            cell = cells[i]
            if metric in _SHARES:
                cell = cell._replace(strong=False)
            if parser is not first:
                p = p_values[parser.name][metric].p_sentences
                cell = cell._replace(note=p_equation(p), mark=f" {stars(p):3}")
            cells[i] = cell
        rows.append([metric.label, *cells])
    return Table("Scores", columns(["Score", *_names(comparison)]), rows)


def differences_table(comparison: ParserComparison) -> Table:
    """Make the table of the differences in UAS and LAS for all pairs, in percentage points."""
    rows = [
        [
            f"{metric.label}: {pair.second} - {pair.first}",
            difference.difference,
            difference.interval,
            difference.p_sentences,
            difference.p_words,
            difference.p_seeds,
        ]
        for metric in PAIRED_SCORES
        for pair in comparison.pairs
        for difference in [pair.differences[metric]]
    ]
    heads = [Column("Difference"), Column("points", _signed), Column("95 % interval", _interval)]
    heads += columns(["p sentences", "p words", "p seeds"], p_value)
    return Table("Differences", heads, rows)


def seeds_note(comparison: ParserComparison) -> str:
    """State the smallest possible p-value over seeds. Empty if parsers have one seed."""
    numbers = {len(parser.seeds) for parser in comparison.parsers} - {1}
    return " ".join(
        f"With {n} seeds, Wilcoxon's p is never below {p_value(2 / 2**n)}." for n in sorted(numbers)
    )


def counted_groups(
    comparison: ParserComparison, by: ArcProperty, measures: Sequence[str]
) -> dict[str, list[Group]]:
    """Select the kinds of arcs that have gold arcs (recall) or predicted arcs (precision).

    Args:
        comparison: The comparison.
        by: The property that distinguishes the kinds.
        measures: "recall", "precision", or both.

    Returns:
        The counts of all parsers by kind.
    """
    return {
        kind: groups
        for kind, groups in comparison.breakdown(by).items()
        if any(getattr(group, measure) is not None for group in groups for measure in measures)
    }


def breakdown_table(
    comparison: ParserComparison, by: ArcProperty, measures: Sequence[str]
) -> Table:
    """Make the table of recall, precision or both, with the numbers of arcs.

    Args:
        comparison: The comparison.
        by: The property of arcs by which accuracy is broken down.
        measures: "recall", "precision", or both.
    """
    rows: list[list[object]] = []
    for kind, groups in counted_groups(comparison, by, measures).items():
        for measure in measures:
            row: list[object] = [f"{kind}: {measure}" if measures[1:] else kind]
            if "recall" in measures:
                row.append(comparison.gold_arcs(groups) if measure == "recall" else "")
            for parser, group in zip(comparison.parsers, groups, strict=True):
                n_predicted = round(group.predicted / len(parser.seeds))
                note = f"of {n_predicted:,}" if measure == "precision" else ""
                row.append(Cell(getattr(group, measure), note))
            rows.append(row)
    names = columns(_names(comparison), percent)
    if "recall" in measures:
        names.insert(0, Column("words", count))
    heading = by.label if "precision" in measures else f"LAS by {by.label}"
    return Table(f"Figures by {by.label}", [Column(heading), *names], rows)


def _sentences_table(comparison: ParserComparison, limit: int) -> Table:
    rows = [
        [
            sentence + 1,
            len(comparison.gold[sentence].words),
            *(parser.correct_words(sentence) for parser in comparison.parsers),
            _shortened(sentence_text(comparison.gold[sentence])),
        ]
        for sentence in comparison.most_different(limit)
    ]
    names = columns(_names(comparison), "{:.3g}".format)
    heads = [Column("Right words in sentence"), Column("of"), *names, Column("text", left=True)]
    return Table("Sentences that differ most", heads, rows)


def _names(comparison: ParserComparison) -> list[str]:
    return [parser.name for parser in comparison.parsers]


def _signed(value: float) -> str:
    return f"{100 * value:+.2f}"


def _interval(ends: tuple[float, float]) -> str:
    return " to ".join(map(_signed, ends))


def _shortened(line: str) -> str:
    return line if len(line) <= _TEXT_WIDTH else f"{line[: _TEXT_WIDTH - 1]}…"
