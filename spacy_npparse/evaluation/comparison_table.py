"""A comparison of parsers as tables for the terminal, and its figures as text."""

from __future__ import annotations

from collections.abc import Iterator

from spacy_npparse.evaluation.metrics import ArcProperty, Metric
from spacy_npparse.evaluation.parser_comparison import Difference, ParserComparison, sentence_text
from spacy_npparse.evaluation.seeds import missing_scores, split_scores
from spacy_npparse.evaluation.text_table import (
    p_value,
    percent,
    score_cell,
    scores_in_words,
    text_table,
)

# The scores whose differences are shown for all pairs of parsers.
PAIRED_SCORES = (Metric.UAS, Metric.LAS)
MOST_RELATIONS = 12
DIFFERENCE_HEADER = (
    "Difference",
    "points",
    "95 % interval",
    "p sentences",
    "p words",
    "p seeds",
)
_TEXT_WIDTH = 50


def signed(value: float | None) -> str:
    """A difference of rates in percentage points."""
    return "-" if value is None else f"{100 * value:+.2f}"


def interval(difference: Difference) -> str:
    """The confidence interval of a difference in percentage points."""
    if difference.interval is None:
        return "-"
    return " to ".join(map(signed, difference.interval))


def stars(p: float | None) -> str:
    """Significance at the levels 0.05, 0.01 and 0.001."""
    return "" if p is None else "*" * sum(p < level for level in (0.05, 0.01, 0.001))


def equal_scores(comparison: ParserComparison) -> str:
    """A list of the scores that are all equal, empty if there are none."""
    _, metrics = split_scores(comparison.parsers, comparison.score_names)
    return scores_in_words(comparison.parsers[0], metrics)


def seeds_note(comparison: ParserComparison) -> str:
    """The smallest possible p-value over seeds, empty for single seeds."""
    numbers = {len(parser.seeds) for parser in comparison.parsers} - {1}
    return " ".join(
        f"With {n} seeds, Wilcoxon's p is never below {p_value(2 / 2**n)}." for n in sorted(numbers)
    )


def comparison_table(comparison: ParserComparison, n_sentences: int) -> str:
    """All tables of a comparison.

    Args:
        comparison: The comparison.
        n_sentences: Maximum number of sentences, those that differ most, to list.
    """
    parts = [
        _scores_lines(comparison),
        _pairs_lines(comparison),
        *(_breakdown_lines(comparison, by) for by in comparison.breakdown_names),
        _sentences_lines(comparison, n_sentences),
    ]
    return "\n\n".join("\n".join(part) for part in parts)


def _scores_lines(comparison: ParserComparison) -> Iterator[str]:
    first, *others = comparison.parsers
    p_values = {pair.second: pair.differences for pair in comparison.pairs_with(first)}
    rows = []
    for metric in split_scores(comparison.parsers, comparison.score_names)[0]:
        cells = [score_cell(first, metric)]
        for parser in others:
            marks = stars(p_values[parser.name][metric].p_sentences)
            cells.append(f"{score_cell(parser, metric)} {marks:3}")
        rows.append([metric.label, *cells])
    names = [
        f"{parser.name}   " if parser is not first else first.name for parser in comparison.parsers
    ]
    yield from text_table(["Score", *names], rows)
    if equal := equal_scores(comparison):
        yield f"The same everywhere: {equal}."
    if missing := missing_scores(comparison.parsers):
        yield missing
    yield (
        f"Different from {first.name} with p < 0.05 (*), 0.01 (**), 0.001 (***): approximate "
        "randomisation over sentences."
    )


def difference_rows(comparison: ParserComparison) -> list[list[str]]:
    """Differences in UAS and LAS of all pairs, with the columns of `DIFFERENCE_HEADER`."""
    return [
        [
            f"{metric.label}: {pair.second} - {pair.first}",
            signed(difference.difference),
            interval(difference),
            p_value(difference.p_sentences),
            p_value(difference.p_words),
            p_value(difference.p_seeds),
        ]
        for metric in PAIRED_SCORES
        for pair in comparison.pairs
        for difference in [pair.differences[metric]]
    ]


def _pairs_lines(comparison: ParserComparison) -> Iterator[str]:
    yield from text_table(DIFFERENCE_HEADER, difference_rows(comparison))
    yield (
        "Sentences: approximate randomisation, the interval by bootstrap. With equally many "
        "seeds: words, McNemar; seeds, Wilcoxon. Not corrected for the number of comparisons."
    )
    if note := seeds_note(comparison):
        yield note


def _breakdown_lines(comparison: ParserComparison, by: ArcProperty) -> Iterator[str]:
    found = [
        (kind, comparison.gold_arcs(groups), groups)
        for kind, groups in comparison.breakdown(by).items()
    ]
    rows = [
        [kind, f"{count:,}", *(percent(group.recall) for group in groups)]
        for kind, count, groups in found
        if count
    ]
    n_kinds = len(rows)
    if by is ArcProperty.RELATION:
        rows = rows[:MOST_RELATIONS]
    names = [parser.name for parser in comparison.parsers]
    yield from text_table([f"LAS by {by.label}", "words", *names], rows)
    if n_kinds > len(rows):
        yield f"The {len(rows)} most frequent of {n_kinds}."


def _sentences_lines(comparison: ParserComparison, limit: int) -> Iterator[str]:
    chosen = comparison.most_different(limit)
    rows = [
        [
            f"{sentence + 1}",
            f"{len(comparison.gold[sentence].words)}",
            *(f"{parser.correct_words(sentence):.3g}" for parser in comparison.parsers),
            _shortened(sentence_text(comparison.gold[sentence])),
        ]
        for sentence in chosen
    ]
    names = [parser.name for parser in comparison.parsers]
    yield from text_table(["Right words in sentence", "of", *names, "text"], rows, text_last=True)


def _shortened(text: str) -> str:
    return text if len(text) <= _TEXT_WIDTH else f"{text[: _TEXT_WIDTH - 1]}…"
