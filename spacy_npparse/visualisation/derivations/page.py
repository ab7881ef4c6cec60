"""HTML pages that step through derivations."""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from markupsafe import Markup

from spacy_npparse.transitions import Derivation
from spacy_npparse.trees.missing import NO_HEAD
from spacy_npparse.visualisation.derivations.data import (
    derivation_data,
    open_ends,
    structures,
    target_order,
)
from spacy_npparse.visualisation.derivations.notes import derivation_notes
from spacy_npparse.visualisation.page import Page, render
from spacy_npparse.visualisation.trees.drawing import draw_tree
from spacy_npparse.visualisation.trees.layout import Arc
from spacy_npparse.visualisation.trees.picture import tree_arcs

_TERMS = ("configuration", "transition", "stack", "buffer", "non-projective arc")
_ORACLE_TERMS = ("oracle", "static oracle", "dynamic oracle", "cost")


class _Structure(NamedTuple):
    """A stack, list or buffer on the page."""

    name: str
    classes: str
    open_end: str | None


def render_derivation(derivation: Derivation, *, title: str | None = None) -> Page:
    """Make an HTML page that steps through a derivation.

    The page shows the current arcs, the configuration, and the next transition among its
    alternatives, with scores and oracle costs if they are known. The arrow keys, Home and End move
    between steps, and space plays them. Buttons, a slider and clicks on lines of the table do the
    same.

    Args:
        derivation: A derivation from `spacy_npparse.transitions.gold_derivation` or from a parser's
            method `derivations`.
        title: The heading; by default the name of the transition system.

    Returns:
        A complete page that needs no network. Notebooks display it.
    """
    above, below = _arcs(derivation)
    order = target_order(derivation)
    places = _places(len(derivation.words), order)
    sentence = " ".join(derivation.words)
    drawing = draw_tree(
        derivation.words,
        above,
        below=below,
        tags=places,
        title="Arcs drawn so far",
    )
    has_rdeps = derivation.steps[0].reachable is not None
    terms = [
        *_TERMS,
        *(_ORACLE_TERMS if derivation.oracle is not None else ()),
        *(["RDEPS"] if has_rdeps else ()),
        *(["projective order"] if order is not None else ()),
    ]
    return render(
        "derivation.html",
        title=title or f"Derivation: {derivation.system.name}",
        summary=" · ".join(derivation_notes(derivation)),
        kinds={kind for arc in [*above, *below] for kind in arc.kinds},
        has_places=any("→" in place for place in places),
        terms=terms,
        sentence=sentence,
        drawing=drawing,
        structures=_structures(derivation),
        has_rdeps=has_rdeps,
        has_order=order is not None,
        n_steps=len(derivation.steps),
        documentation=_documentation(derivation),
        data=derivation_data(derivation),
    )


def _arcs(derivation: Derivation) -> tuple[list[Arc], list[Arc]]:
    """Collect all arcs that are ever drawn, and the correct arcs that the parser misses."""
    heads = list(derivation.heads[1:])
    labels = list(derivation.labels or ("root" if head == 0 else "" for head in heads))
    gold = None if derivation.gold is None else list(derivation.gold[1:])
    gold_labels = derivation.gold_labels if derivation.labels else None
    above, below = tree_arcs(derivation.words, heads, labels, gold, gold_labels)
    names = derivation.gold_labels or [""] * len(heads)
    below = [replace(arc, label=names[arc.dependent - 1]) for arc in below]
    drawn = {(arc.dependent, arc.head) for arc in above}
    for dependent, head in (arc for arcs in derivation.changed_heads() for arc in arcs):
        # A later transition replaces the arc.
        if head != NO_HEAD and (dependent, head) not in drawn:
            wrong = gold is not None and gold[dependent - 1] not in (NO_HEAD, head)
            above.append(Arc(head, dependent, "", ("wrong",) if wrong else ()))
            drawn.add((dependent, head))
    return above, below


def _places(n_words: int, order: Sequence[int] | None) -> list[str]:
    """Write the number of each word and, if it differs, its position in the projective order."""
    places = range(1, n_words + 1) if order is None else order
    return [str(i) if i == place else f"{i} → {place}" for i, place in enumerate(places, 1)]


def _structures(derivation: Derivation) -> list[_Structure]:
    """List the structures of a configuration, which the script fills."""
    ends = open_ends(derivation)
    found = []
    for key, name in structures(derivation).items():
        if key not in derivation.system.structure_names:
            found.append(_Structure(name, "structure small", None))
        else:
            classes = "structure" if key == "buffer" else "structure held"
            found.append(_Structure(name, classes, "end" if ends[key] else "start"))
    return found


def _documentation(derivation: Derivation) -> dict[str, Markup]:
    """Find the docstrings of the system and the oracle."""
    kernel = derivation.system.kernel
    found = {f"Transition system: {derivation.system.name}": type(kernel).__doc__}
    if derivation.oracle is not None:
        oracle = kernel.oracle_classes()[derivation.oracle]
        found[f"Oracle: {derivation.oracle}"] = oracle.__doc__
    return {name: _code_marked(text) for name, text in found.items() if text}


def _code_marked(docstring: str) -> Markup:
    """Convert `code` in a docstring to elements."""
    parts = re.split("`([^`]+)`", inspect.cleandoc(docstring))
    marked = (
        Markup("<code>{}</code>").format(part) if i % 2 else part for i, part in enumerate(parts)
    )
    return Markup().join(marked)
