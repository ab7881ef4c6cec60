"""Scores, p-values and tables of them as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from spacy_npparse.evaluation.metrics import Metric
from spacy_npparse.evaluation.seeds import TrainedParser

_NAME_WIDTH = 34


def percent(value: float | None) -> str:
    """A rate in percent, - if it is undefined."""
    return "-" if value is None else f"{100 * value:.2f}"


def p_value(p: float | None) -> str:
    """A p-value, - if it is None."""
    if p is None:
        return "-"
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def p_equation(p: float | None) -> str:
    """A p-value with its name, empty if it is None."""
    if p is None:
        return ""
    return f"p {p_value(p)}" if p < 0.001 else f"p = {p_value(p)}"


def score_cell(parser: TrainedParser, metric: Metric) -> str:
    """The mean of a score and, with several seeds, its standard deviation."""
    deviation = parser.deviation(metric)
    spread = "" if deviation is None else f" ± {percent(deviation)}"
    return percent(parser.mean(metric)) + spread


def scores_in_words(parser: TrainedParser, metrics: Sequence[Metric]) -> str:
    """The means of scores as a list."""
    return ", ".join(f"{metric.label} {percent(parser.mean(metric))}" for metric in metrics)


def text_table(
    header: Sequence[str], rows: Sequence[Sequence[str]], text_last: bool = False
) -> Iterator[str]:
    """A table for the terminal.

    Args:
        header: The heads of the columns.
        rows: The cells.
        text_last: Whether the last column holds text; it is left-aligned, as the first one is.

    Yields:
        The lines of the table.
    """
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    widths[0] = max(widths[0], _NAME_WIDTH)
    if text_last:
        widths[-1] = len(header[-1])
    for number, row in enumerate([header, *rows]):
        cells = [
            cell.ljust(width) if i == 0 or (text_last and i == len(row) - 1) else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield " | ".join(cells).rstrip()
        if number == 0:
            yield "-+-".join("-" * width for width in widths)
