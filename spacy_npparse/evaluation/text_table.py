"""Tables of scores as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from spacy_npparse.evaluation.seeds import Seeds

_NAME_WIDTH = 34


def percent(value: float | None) -> str:
    """A rate in percent, - where nothing is counted."""
    return "-" if value is None else f"{100 * value:.2f}"


def score_cell(parser: Seeds, name: str) -> str:
    """The mean of a score and, with several seeds, the standard deviation."""
    deviation = parser.deviation(name)
    spread = "" if deviation is None else f" ± {percent(deviation)}"
    return percent(parser.mean(name)) + spread


def text_table(
    header: Sequence[str], rows: Sequence[Sequence[str]], text_last: bool = False
) -> Iterator[str]:
    """Columns as wide as they need to be, the first one, and a last one of text, to the left."""
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
