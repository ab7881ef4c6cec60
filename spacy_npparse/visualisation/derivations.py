"""Derivations as HTML pages that are stepped through."""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from spacy_npparse.transitions import Derivation
from spacy_npparse.visualisation.derivation_data import (
    derivation_json,
    open_ends,
    structures,
    target_order,
)
from spacy_npparse.visualisation.derivation_notes import derivation_notes
from spacy_npparse.visualisation.layout import Arc
from spacy_npparse.visualisation.page import ARCS, COMPARED, Page, legend, page
from spacy_npparse.visualisation.svg import draw_tree, escape
from spacy_npparse.visualisation.trees import tree_arcs

_LEGEND = {
    "held": "<b>word</b> on a stack or list",
    "buffer": "<b>word</b> in the buffer",
    "gone": "<b>word</b> done with",
    "new": "<i></i>arc just drawn",
}
# Shapes of the buttons, in a square of 16 units.
_BUTTONS = {
    "first": ("First configuration (Home)", "M3 3v10M13 3L6 8l7 5z"),
    "back": ("One step back (left arrow)", "M11 3L4 8l7 5z"),
    "play": ("Play or pause (space)", "M4 2.5L13 8l-9 5.5z"),
    "next": ("One step on (right arrow)", "M5 3l7 5-7 5z"),
    "last": ("Last configuration (End)", "M13 3v10M3 3l7 5-7 5z"),
}


def render_derivation(derivation: Derivation, *, title: str | None = None) -> Page:
    """Write an HTML page that steps through a derivation.

    It shows the arcs drawn so far, the configuration, and the transition that is taken next among
    its alternatives, with scores and oracle costs as far as they are known. Arrow keys, Home and
    End step and jump, space plays; so do buttons, a slider and a click on a line of the table.

    Args:
        derivation: from `spacy_npparse.transitions.gold_derivation`, or the method `derivations` of
            a parser.
        title: the heading; by default the transition system.

    Returns:
        A complete page that needs nothing from the network. Notebooks display it.
    """
    above, below = _arcs(derivation)
    order = target_order(derivation)
    places = _places(len(derivation.words), order)
    drawing = draw_tree(
        derivation.words,
        above,
        below=below,
        tags=places,
        title=f"Arcs of: {' '.join(derivation.words)}",
        style=False,
    )
    kinds = {"plain", *(kind for arc in [*above, *below] for kind in arc.kinds)}
    colours = {kind: text for kind, text in (ARCS | COMPARED).items() if kind in kinds} | _LEGEND
    if any("→" in place for place in places):
        colours["places"] = "3 → 6 place in the sentence and in the projective order"
    data = derivation_json(derivation).replace("<", "\\u003c")
    return page(
        title or f"Derivation: {derivation.system.name}",
        " · ".join(derivation_notes(derivation)),
        [
            legend(colours),
            _figure(derivation, drawing, order),
            _steps(len(derivation.steps)),
            *_documentation(derivation),
            f'<script type="application/json" id="npparse-data">{data}</script>',
        ],
        style=_resource("derivation.css"),
        script=_resource("derivation.js"),
    )


def _arcs(derivation: Derivation) -> tuple[list[Arc], list[Arc]]:
    """All arcs that are ever drawn, and the correct arcs that the parser misses."""
    heads = list(derivation.heads[1:])
    labels = list(derivation.labels or ("root" if head == 0 else "" for head in heads))
    gold = None if derivation.gold is None else list(derivation.gold[1:])
    gold_labels = derivation.gold_labels if derivation.labels else None
    above, below = tree_arcs(derivation.words, heads, labels, gold, gold_labels)
    names = derivation.gold_labels or [""] * len(heads)
    below = [replace(arc, label=names[arc.dependent - 1]) for arc in below]
    drawn = {(arc.dependent, arc.head) for arc in above}
    for dependent, head in (arc for arcs in derivation.changed_heads() for arc in arcs):
        # It is replaced later.
        if head != -1 and (dependent, head) not in drawn:
            wrong = gold is not None and gold[dependent - 1] not in (-1, head)
            above.append(Arc(head, dependent, "", ("wrong",) if wrong else ()))
            drawn.add((dependent, head))
    return above, below


def _places(n_words: int, order: Sequence[int] | None) -> list[str]:
    """What stands under the words: their number, and where they belong in the projective order."""
    places = range(1, n_words + 1) if order is None else order
    return [str(i) if i == place else f"{i} → {place}" for i, place in enumerate(places, 1)]


def _figure(derivation: Derivation, drawing: str, order: Sequence[int] | None) -> str:
    """Arcs, configuration, decision and controls; the script fills them."""
    ends = open_ends(derivation)
    rows = []
    for key, name in structures(derivation).items():
        kinds, end = "structure small", ""
        if key in derivation.system.structure_names:
            kinds = "structure" if key == "buffer" else "structure held"
            end = f' data-open="{"end" if ends[key] else "start"}"'
        rows.append(
            f'<div class="{kinds}"{end}><dt>{escape(name)}</dt><dd tabindex="0"></dd></div>'
        )
    if derivation.steps[0].reachable is not None:
        rows.append('<div class="wide reachable"><dt>RDEPS</dt><dd tabindex="0"></dd></div>')
    if order is not None:
        rows.append('<div class="wide order"><dt>projective order</dt><dd tabindex="0"></dd></div>')
    body = "\n".join(rows)
    sentence = escape(" ".join(derivation.words))
    return f"""<figure class="derivation">
<figcaption dir="auto">{sentence}</figcaption>
<div class="scroll arcs" tabindex="0" role="group" aria-label="Arcs drawn so far">
{drawing}
</div>
<div class="state">
<dl class="structures">
{body}
</dl>
<div class="decision">
<p class="now" aria-live="polite"></p>
<table></table>
</div>
</div>
<div class="controls">
{_controls(len(derivation.steps) - 1)}
</div>
</figure>"""


def _controls(last: int) -> str:
    """Buttons, slider and step number."""
    buttons = "\n".join(
        f'<button type="button" data-do="{name}" title="{text}" aria-label="{text}">'
        f'<svg viewBox="0 0 16 16" aria-hidden="true"><path d="{shape}"/></svg></button>'
        for name, (text, shape) in _BUTTONS.items()
    )
    return (
        f'<div class="buttons">{buttons}</div>\n'
        f'<input type="range" min="0" max="{last}" value="0" aria-label="Step">\n'
        f"<output></output>"
    )


def _steps(n_steps: int) -> str:
    """The table of all configurations, whose lines the script writes while they are in view."""
    return (
        f'<section class="steps" aria-label="All {n_steps} configurations">'
        '<div class="head"></div><div class="rows" tabindex="0"><div></div></div></section>'
    )


def _documentation(derivation: Derivation) -> list[str]:
    """What the code says of the system and the oracle, to be opened by the reader."""
    kernel = derivation.system.kernel
    found = {f"Transition system: {derivation.system.name}": type(kernel).__doc__}
    if derivation.oracle is not None:
        oracle = kernel.oracle_classes()[derivation.oracle]
        found[f"Oracle: {derivation.oracle}"] = oracle.__doc__
    return [
        f"<details><summary>{escape(name)}</summary><pre>{_marked(text)}</pre></details>"
        for name, text in found.items()
        if text
    ]


def _marked(docstring: str) -> str:
    return re.sub("`([^`]+)`", r"<code>\1</code>", escape(inspect.cleandoc(docstring)))


@cache
def _resource(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")
