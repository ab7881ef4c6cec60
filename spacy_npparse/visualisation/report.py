"""Pages of tables and plots: sections, figures and where everything comes from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from spacy_npparse.evaluation.provenance import Provenance
from spacy_npparse.visualisation.marks import PLOT_STYLE
from spacy_npparse.visualisation.page import Page, page
from spacy_npparse.visualisation.svg import escape

_REPORT_STYLE = (
    PLOT_STYLE
    + """
section{margin:34px 0 0}
h2{font-size:1.15rem;margin:0 0 .3rem}
h3{font-size:.95rem;font-weight:600;margin:0}
.note{color:var(--soft);font-size:.9rem;margin:0 0 14px;max-width:75ch}
ul.keys{display:flex;flex-wrap:wrap;gap:4px 20px;list-style:none;margin:0 0 14px;padding:0;
font-size:.9rem}
.plots{columns:3 330px;column-gap:16px;margin-bottom:16px}
.plots figure{margin:0 0 16px;padding:0 12px 10px;break-inside:avoid}
.plots figcaption{padding:12px 0 6px}
.plots .figures{margin:8px 0 0}
details>summary{cursor:pointer;color:var(--soft);font-size:.85rem;padding:4px 0}
.figures{box-sizing:border-box;width:fit-content;max-width:100%;background:var(--paper);
border:1px solid var(--rule);border-radius:10px;margin:0 0 18px}
.plots .figures{border:0;border-radius:0}
table{border-collapse:collapse;font-size:.88rem;font-variant-numeric:tabular-nums}
th,td{padding:6px 12px;text-align:right;white-space:nowrap;border-top:1px solid var(--rule)}
thead th{border-top:0;color:var(--soft);font-weight:500;vertical-align:bottom}
tbody th{font-weight:400}
th:first-child{text-align:left;white-space:normal;min-width:8em;position:sticky;left:0;
background:var(--paper)}
@media (max-width:600px){th,td{padding:5px 7px}}
td small{display:block;color:var(--soft)}
.plots table{font-size:.8rem}
.plots th,.plots td{padding:4px 8px}
footer{margin-top:44px;padding-top:14px;border-top:1px solid var(--rule);color:var(--soft);
font-size:.85rem}
footer code{overflow-wrap:anywhere}
footer dt{margin-top:8px}
footer dd{margin:0}
"""
)


class Cell(NamedTuple):
    """A cell of a table: its text, a note in small print below, and whether it stands out."""

    text: str
    note: str = ""
    strong: bool = False


def report(
    title: str, summary: str, sections: Sequence[str], source: Provenance, *, style: str = ""
) -> Page:
    """A complete page.

    Args:
        title: the heading.
        summary: one line under the heading.
        sections: as HTML, see `section`.
        source: what the page was made from; told at its end.
        style: style sheet of what only this page has.
    """
    checksums = "".join(
        f"<dt>{escape(name)}</dt><dd><code>SHA-256 {checksum}</code></dd>"
        for name, checksum in source.checksums.items()
    )
    footer = (
        f"<footer><p>Made by spacy_npparse {escape(source.version)}:</p>"
        f"<p><code>{escape(source.command)}</code></p><dl>{checksums}</dl></footer>"
    )
    return page(title, summary, [*sections, footer], style=_REPORT_STYLE + style)


def section(heading: str, note: str, *parts: str) -> str:
    """A part of a page: its heading, a sentence or two of explanation, and what is shown."""
    explanation = f'<p class="note">{escape(note)}</p>' if note else ""
    body = "\n".join(parts)
    return f"<section>\n<h2>{escape(heading)}</h2>\n{explanation}\n{body}\n</section>"


def plot_grid(figures: Sequence[str]) -> str:
    """Plots side by side, as many as the page is wide; see `plot_figure`."""
    body = "\n".join(figures)
    return f'<div class="plots">\n{body}\n</div>'


def plot_figure(heading: str, drawing: str, figures: str = "") -> str:
    """A plot with its heading; the table of its figures opens on request."""
    details = folded("Figures", figures) if figures else ""
    return (
        f"<figure>\n<figcaption><h3>{escape(heading)}</h3></figcaption>\n{drawing}\n{details}"
        "</figure>"
    )


def folded(summary: str, content: str) -> str:
    """What opens on request."""
    return f"<details><summary>{escape(summary)}</summary>{content}</details>"


def table(header: Sequence[str], rows: Sequence[Sequence[str | Cell]], *, label: str) -> str:
    """A table that scrolls sideways where it is wide.

    Args:
        header: the heading of each column.
        rows: a cell for each column; the first one names the row.
        label: what the table shows, for readers who cannot see it.
    """
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in header)
    lines = []
    for first, *others in rows:
        cells = "".join(f"<td>{_cell(cell)}</td>" for cell in others)
        lines.append(f'<tr><th scope="row">{_cell(first)}</th>{cells}</tr>')
    body = "\n".join(lines)
    return (
        f'<div class="scroll figures" tabindex="0" role="group" aria-label="{escape(label)}">'
        f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table></div>"
    )


def _cell(cell: str | Cell) -> str:
    if isinstance(cell, str):
        return escape(cell)
    shown = f"<b>{escape(cell.text)}</b>" if cell.strong else escape(cell.text)
    return shown + (f"<small>{escape(cell.note)}</small>" if cell.note else "")
