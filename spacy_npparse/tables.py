"""Tables of results, whose columns are defined once for the terminal and for pages.

The text is the same in a terminal, a pipe and a file. It is not made with rich, which comes with
typer, because rich wraps lines to the width of a terminal, strips the spaces that align numbers,
and draws in a notebook unless told otherwise. Only padding would be left to it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple


class Cell(NamedTuple):
    """A value in a table.

    Attributes:
        value: The value.
        note: The small print below the value, on pages.
        mark: The text after the value, in text.
        strong: Whether the value is emphasised, on pages.
        link: The escaped URL of a link, on pages.
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
        heading: The heading of the column.
        form: The function that writes its values, except strings and None, which is written as -.
        left: Whether the column is left-aligned in text; None for the first column only.
        term: The term that explains it in the glossary of pages; by default the heading.
        on_page: Whether only pages show the column.
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
        title: The title of the table.
        columns: The columns, of which the first one names the rows.
        rows: The values or cells of each row.
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
        """The cells of each row, with their values as strings."""
        return [list(map(_written, self.columns, row)) for row in self.rows]


def columns(headings: Sequence[str], form: Callable[[Any], str] = str) -> list[Column]:
    """Make columns of the same kind.

    Args:
        headings: The headings of the columns.
        form: The function that writes their values.
    """
    return [Column(heading, form) for heading in headings]


def text(*parts: Table | str) -> str:
    """Write tables and paragraphs as text, with blank lines between them.

    Args:
        *parts: The tables and paragraphs. Empty ones are left out.
    """
    return "\n\n".join(_text(part) if isinstance(part, Table) else part for part in parts if part)


def markdown(table: Table) -> str:
    """Write a table in Markdown, without its title.

    Args:
        table: The table. Links of its cells are kept.
    """
    rows = [
        [f"[{c.value}]({c.link})" if c.link else str(c.value) for c in row] for row in table.cells()
    ]
    rules = ["---:" if i and not column.left else "---" for i, column in enumerate(table.columns)]
    headings = [column.heading for column in table.columns]
    lines = [[cell.replace("|", "\\|") for cell in row] for row in [headings, rules, *rows]]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def percent(value: float | None) -> str:
    """Write a rate in percent, - if it is undefined."""
    return "-" if value is None else f"{100 * value:.2f}"


def count(value: float) -> str:
    """Write a whole number with separators of thousands."""
    return f"{value:,.0f}"


def width(line: str) -> int:
    """Find the number of columns that a line takes in a terminal."""
    if line.isascii():
        return len(line)
    return sum(
        0
        if unicodedata.category(char) in ("Mn", "Me", "Cf")
        else 2
        if unicodedata.east_asian_width(char) in "WF"
        else 1
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
    # Without headings, the rule is left out, too.
    return "\n".join(line.rstrip() for line in lines[0 if any(headings) else 2 :])
