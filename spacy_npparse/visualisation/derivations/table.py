"""Derivations as text: tables of configurations for the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp

from spacy_npparse import tables
from spacy_npparse.transitions import Derivation, Step
from spacy_npparse.trees.missing import NO_HEAD
from spacy_npparse.visualisation.derivations.data import open_ends, structures, target_order
from spacy_npparse.visualisation.derivations.notes import (
    NAME_OF_ROOT,
    derivation_notes,
    quoted,
)


@dataclass(frozen=True)
class _Column:
    """A column of the table.

    Attributes:
        cells: The header, and one cell for each line.
        least: The minimum width of the column; None if it is never cut.
        at_end: Whether cells are cut at the beginning, so that their end is visible.
    """

    cells: list[str]
    least: int | None = None
    at_end: bool = False


def derivation_table(derivation: Derivation, *, width: int = 120) -> str:
    """Write a derivation as a table for the terminal.

    Each line shows a configuration, the transition taken, the arcs that it adds, and the
    alternatives.

    Args:
        derivation: A derivation from `spacy_npparse.transitions.gold_derivation` or from a parser.
        width: The width of the terminal in columns. Wider structures are cut to the end that
            changes.

    Returns:
        The lines of the table.
    """
    lines = [f"{derivation.system.name}: {' · '.join(derivation_notes(derivation))}"]
    words = (NAME_OF_ROOT, *derivation.words)
    order = target_order(derivation)
    if order is not None:
        in_order = sorted(range(1, len(words)), key=lambda word: order[word - 1])
        lines.append(f"projective order: {' '.join(words[word] for word in in_order)}")
    steps = derivation.steps
    changes = [*derivation.changed_heads(), []]
    decisions = [_decision(step, derivation.normalised) for step in steps]
    columns = [
        _Column(["step", *map(str, range(len(steps)))], at_end=True),
        *_structures(derivation, words, width),
        _Column(["transition", *(taken for taken, _ in decisions)]),
        _Column(["arcs", *(_arcs(arcs, words) for arcs in changes)]),
        _Column(["alternatives", *(others for _, others in decisions)], least=24),
    ]
    if steps[0].reachable is not None:
        cells = [_reachable(step, derivation, words) for step in steps]
        columns.append(_Column(["RDEPS", *cells], least=10))
    return tables.text("\n".join(lines), _table(columns, width))


def _structures(derivation: Derivation, words: Sequence[str], width: int) -> list[_Column]:
    """Make the columns of the structures, cut to the width of the terminal."""
    ends = open_ends(derivation)
    columns = []
    for key, name in structures(derivation).items():
        part = slice(-width, None) if ends[key] else slice(width)
        found = [step.configuration.as_dict()[key][part] for step in derivation.steps]
        of_words = key in derivation.system.structure_names
        cells = [" ".join(words[i] if of_words else str(i) for i in items) for items in found]
        columns.append(_Column([name, *cells], least=10, at_end=ends[key]))
    return columns


def _decision(step: Step, normalised: bool) -> tuple[str, str]:
    """Describe the transition taken and the alternatives."""
    if step.transition is None:
        return "", ""
    texts = {}
    for name, option in step.options.items():
        texts[name] = name
        if option.score is not None and normalised:
            texts[name] += f" {100 * _probability(step, name):.0f} %"
        elif option.score is not None:
            texts[name] += f" {option.score:.2f}"
        if option.cost is not None:
            texts[name] += f" ({option.cost}{'' if step.proven else '?'})"
    return texts.pop(step.transition), ", ".join(texts.values())


def _probability(step: Step, name: str) -> float:
    """Compute the probability of a transition by the softmax of the scores of the legal ones."""
    score = step.options[name].score or 0.0
    scores = [option.score or 0.0 for option in step.options.values()]
    return 1.0 / sum(exp(min(other - score, 700.0)) for other in scores)


def _arcs(arcs: Sequence[tuple[int, int]], words: Sequence[str]) -> str:
    """Describe the arcs that a transition adds or removes."""
    return ", ".join(
        f"{quoted(words[head])} → {quoted(words[dependent])}"
        if head != NO_HEAD
        else f"no arc to {quoted(words[dependent])}"
        for dependent, head in arcs
    )


def _reachable(step: Step, derivation: Derivation, words: Sequence[str]) -> str:
    """Describe RDEPS for the top of the stack and the front of the buffer."""
    at_work = [*step.configuration.stack[-1:], *step.configuration.buffer[:1]]
    found = {
        head: [quoted(words[d]) for d in step.reachable or () if (derivation.gold or ())[d] == head]
        for head in at_work
    }
    return "; ".join(
        f"{quoted(words[head])}: {' '.join(deps)}" for head, deps in found.items() if deps
    )


def _table(columns: Sequence[_Column], width: int) -> tables.Table:
    """Make a table that is no wider than the terminal if possible."""
    widths = [max(map(tables.width, column.cells)) for column in columns]
    excess = sum(widths) + len(" | ") * (len(widths) - 1) - width
    while excess > 0:
        spare = [i for i, c in enumerate(columns) if c.least is not None and widths[i] > c.least]
        if not spare:
            break
        widths[max(spare, key=widths.__getitem__)] -= 1
        excess -= 1
    cells = [
        [_cut(cell, size, column.at_end) for cell in column.cells[1:]]
        for column, size in zip(columns, widths, strict=True)
    ]
    headings = [
        tables.Column(_cut(column.cells[0], size, False), left=not column.at_end)
        for column, size in zip(columns, widths, strict=True)
    ]
    return tables.Table("Derivation", headings, list(zip(*cells, strict=True)))


def _cut(text: str, width: int, at_end: bool) -> str:
    """Shorten a text to a width with an ellipsis."""
    if tables.width(text) <= width:
        return text
    kept, size = 0, 1
    for char in reversed(text) if at_end else text:
        size += tables.width(char)
        if size > width:
            break
        kept += 1
    return "…" + text[len(text) - kept :] if at_end else text[:kept] + "…"
