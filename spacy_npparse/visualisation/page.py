"""The frame of every page: heading, legend, figures; light and dark; no network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from spacy_npparse.visualisation.svg import STYLE, escape

_PAGE_STYLE = """
body{margin:0;background:var(--back);color:var(--ink);line-height:1.5}
.npparse{--back:#f5f6f9}
@media (prefers-color-scheme:dark){.npparse{--back:#0e1117}}
main{max-width:1400px;margin:0 auto;padding:28px 20px 60px}
h1{font-size:1.5rem;margin:0}
header p{margin:.2rem 0 0;color:var(--soft)}
.legend{display:flex;flex-wrap:wrap;gap:6px 22px;list-style:none;margin:14px 0 26px;padding:0;
font-size:.88rem;color:var(--soft)}
.legend i{display:inline-block;width:26px;margin-right:8px;vertical-align:middle;
border-top:2px solid var(--line)}
.legend .crossing i{border-color:var(--crossing)}
.legend .wrong i{border-color:var(--wrong);border-top-style:dashed}
.legend .gold i{border-color:var(--gold)}
.legend .mislabelled b{color:var(--wrong);font-weight:500}
figure{margin:0 0 18px;background:var(--paper);border:1px solid var(--rule);border-radius:10px;
overflow:hidden}
figcaption{padding:12px 18px 0}
figcaption .index{color:var(--soft);margin-right:.6em;font-variant-numeric:tabular-nums}
figcaption small{display:block;color:var(--soft)}
.scroll{overflow-x:auto}
.scroll:focus-visible{outline:2px solid var(--crossing);outline-offset:-2px}
svg{display:block}
@media print{.scroll{overflow:visible}figure{break-inside:avoid}}
"""

# What a legend says of the classes that have entries in it, as HTML.
ARCS = {
    "plain": "<i></i>arc from head to dependent",
    "crossing": "<i></i>crossing (non-projective) arc",
}
COMPARED = {
    "wrong": "<i></i>wrong head",
    "gold": "<i></i>correct arc, below the words",
    "mislabelled": "<b>label</b> right head, wrong label",
}


class Page(str):
    """A complete HTML page. Notebooks show it in a frame of its own, so that it and the notebook
    leave each other's styles alone."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{escape(self)}" title="spacy_npparse" '
            'style="width:100%;height:720px;border:0"></iframe>'
        )


def figure(index: int, text: str, notes: Sequence[str], drawing: str) -> str:
    """A numbered sentence with its drawing, which scrolls sideways when it is wide."""
    small = f"<small>{escape(' · '.join(notes))}</small>" if notes else ""
    return (
        f'<figure id="s{index}">\n<figcaption><span class="index">{index}</span>'
        f'<span dir="auto">{escape(text.strip())}</span>{small}</figcaption>\n'
        f'<div class="scroll" tabindex="0" role="group" aria-label="Tree {index}">\n'
        f"{drawing}\n</div>\n</figure>"
    )


def legend(entries: Mapping[str, str]) -> str:
    """What the colours of arcs and words mean, as HTML. entries: see `ARCS` and `COMPARED`."""
    items = "\n".join(f'<li class="{kind}">{text}</li>' for kind, text in entries.items())
    return f'<ul class="legend">\n{items}\n</ul>'


def page(
    title: str, summary: str, parts: Sequence[str], *, style: str = "", script: str = ""
) -> Page:
    """Write a complete page.

    Args:
        title: the heading.
        summary: one line under the heading.
        parts: what stands below, as HTML.
        style: rules that other pages do not need.
        script: what runs when the page is read.
    """
    body = "\n".join(parts)
    end = f"<script>\n{script}</script>\n" if script else ""
    return Page(f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escape(title)}</title>
<style>{STYLE}{_PAGE_STYLE}{style}</style>
</head>
<body class="npparse">
<main>
<header>
<h1>{escape(title)}</h1>
<p>{escape(summary)}</p>
</header>
{body}
</main>
{end}</body>
</html>
""")
