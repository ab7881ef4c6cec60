"""Results as tables: what their columns are is said once, for the terminal and for pages.

The text is the same in a terminal, a pipe and a file. It is made here and not by rich, which comes
with typer: rich wraps to the width of a terminal, strips the spaces that keep numbers in line, and
draws in a notebook unless told otherwise, so that nothing but padding would be left to it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple


class Cell(NamedTuple):
    """A value with what belongs to it.

    Attributes:
        value: The value.
        note: Small print below it, on a page.
        mark: What follows it in text.
        strong: Whether it stands out, on a page.
        link: Where it leads, on a page: an escaped URL.
    """

    value: Any
    note: str = ""
    mark: str = ""
    strong: bool = False
    link: str = ""


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        heading: Its heading.
        form: How its values are written, unless they are strings, or None, which is -.
        left: Whether it is aligned at the left in text; None: only if it is the first column.
        term: What explains it in the glossary of pages, if not its heading.
        on_page: Whether only pages have it.
    """

    heading: str
    form: Callable[[Any], str] = str
    left: bool | None = None
    term: str = ""
    on_page: bool = False


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes:
        title: What it shows.
        columns: Its columns; the first one names the rows.
        rows: The values, or cells, of each row.
        numbered: Whether pages number the rows.
    """

    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Any]]
    numbered: bool = False

    @property
    def terms(self) -> list[str]:
        """The terms of its columns that a glossary may explain."""
        return [column.term or column.heading for column in self.columns]

    def cells(self) -> list[list[Cell]]:
        """The cells of each row, their values as they are written."""
        return [list(map(_written, self.columns, row)) for row in self.rows]


def columns(headings: Sequence[str], form: Callable[[Any], str] = str) -> list[Column]:
    """Columns of the same kind.

    Args:
        headings: Their headings.
        form: How their values are written.
    """
    return [Column(heading, form) for heading in headings]


def text(*parts: Table | str) -> str:
    """Write tables and paragraphs as text, with blank lines between them.

    Args:
        *parts: The tables and paragraphs; empty ones are left out.
    """
    return "\n\n".join(_text(part) if isinstance(part, Table) else part for part in parts if part)


def percent(value: float | None) -> str:
    """A rate in percent, - if it is undefined."""
    return "-" if value is None else f"{100 * value:.2f}"


def count(value: float) -> str:
    """A whole number, with separators of thousands."""
    return f"{value:,.0f}"


def width(line: str) -> int:
    """The columns that a line takes in a terminal."""
    if line.isascii():
        return len(line)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in line
    )


def _written(column: Column, value: Any) -> Cell:
    cell = value if isinstance(value, Cell) else Cell(value)
    if isinstance(cell.value, str):
        return cell
    return cell._replace(value="-" if cell.value is None else column.form(cell.value))


def _text(table: Table) -> str:
    headings = [column.heading for column in table.columns]
    texts = [[f"{cell.value}{cell.mark}" for cell in row] for row in table.cells()]
    shown = []
    for i, (column, *cells) in enumerate(zip(table.columns, headings, *texts, strict=True)):
        if not column.on_page:
            size = max(map(width, cells))
            gaps = [" " * (size - width(cell)) for cell in cells]
            is_left = i == 0 if column.left is None else column.left
            cells = [c + gap if is_left else gap + c for c, gap in zip(cells, gaps, strict=True)]
            shown.append([cells[0], "-" * size, *cells[1:]])
    head, rule, *rows = zip(*shown, strict=True)
    lines = [" | ".join(head), "-+-".join(rule), *map(" | ".join, rows)]
    # Without headings there is no rule either.
    return "\n".join(line.rstrip() for line in lines[0 if any(headings) else 2 :])
