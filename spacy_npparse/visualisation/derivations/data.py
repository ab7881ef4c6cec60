"""Derivations as data for the page that steps through them.

Each step contains only the difference between two configurations, so that derivations of thousands
of steps remain small.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import isfinite
from os.path import commonprefix
from typing import Any, NamedTuple

from spacy_npparse.transitions import Configuration, Derivation, Step
from spacy_npparse.trees import complete_heads, projective_order

_COMMON = frozenset(["stack", "buffer", "heads"])


def structures(derivation: Derivation) -> dict[str, str]:
    """Name the structures of a derivation's configurations for readers.

    Args:
        derivation: The derivation.

    Returns:
        The display name of each structure by its name in the code. Structures that contain words
        come first.
    """
    named = derivation.system.structure_names
    others = set(derivation.steps[0].configuration.as_dict()) - set(named) - _COMMON
    return named | {key: key for key in sorted(others)}


def open_ends(derivation: Derivation) -> dict[str, bool]:
    """Find the end at which each structure changes.

    Args:
        derivation: The derivation. If it is too short to decide, only the buffer changes at its
            beginning.

    Returns:
        Whether each structure changes at its end, like a stack.
    """
    keys = list(structures(derivation))
    votes = dict.fromkeys(keys, 0)
    for before, after in pairwise(step.configuration for step in derivation.steps):
        for change in _changes(before, after, keys):
            key = keys[change.structure]
            rest = len(before.as_dict()[key]) - change.start - change.removed
            votes[key] += (change.start > rest) - (change.start < rest)
    return {key: vote > 0 or (vote == 0 and key != "buffer") for key, vote in votes.items()}


def target_order(derivation: Derivation) -> list[int] | None:
    """Compute the projective order of the gold tree.

    Args:
        derivation: The derivation.

    Returns:
        The position of each of the n words in this order; None if the system does not reorder words
        or there is no gold tree.
    """
    if derivation.gold is None or not derivation.system.reorders:
        return None
    return projective_order(complete_heads(derivation.gold))[1:]


def derivation_data(derivation: Derivation) -> dict[str, Any]:
    """Convert a derivation to JSON for the script of the page.

    Positions in lists count from 0, words from 1; 0 is the root. The keys of a step are:

    t: The number of the transition taken.
    c, s: Costs and scores of all transitions, null where unknown or not legal.
    l: Numbers of the legal transitions.
    d: For each structure that the transition changes, its number, the position of the change, how
       many items are removed there and which are inserted.
    h: For each arc added, dependent and head; NO_HEAD for an arc that is removed.
    r: Words whose gold arc becomes reachable or unreachable.
    u: 1 if the costs are only approximate.

    Args:
        derivation: The derivation.

    Returns:
        The data.
    """
    shown = structures(derivation)
    first = derivation.steps[0]
    names = derivation.system.transitions
    changes = derivation.changed_heads()
    steps = []
    for (step, after), heads in zip(pairwise(derivation.steps), changes, strict=True):
        data = _decision(step, names)
        data["d"] = _changes(step.configuration, after.configuration, list(shown))
        data["h"] = heads
        data["r"] = sorted(set(step.reachable or ()) ^ set(after.reachable or ()))
        steps.append({key: value for key, value in data.items() if value not in ([], None)})
    return {
        "words": derivation.words,
        "transitions": names,
        "structures": [
            {
                "name": name,
                "words": key in derivation.system.structure_names,
                "items": first.configuration.as_dict()[key],
            }
            for key, name in shown.items()
        ],
        "gold": derivation.gold,
        "order": target_order(derivation),
        "reachable": first.reachable,
        "normalised": derivation.normalised,
        "steps": steps,
    }


def _decision(step: Step, names: Sequence[str]) -> dict[str, Any]:
    """Convert the transition taken and its alternatives."""
    options = [step.options.get(name) for name in names]
    costs = [option and option.cost for option in options]
    scores = [option and _number(option.score) for option in options]
    return {
        "t": names.index(step.transition or ""),
        "l": [t for t, option in enumerate(options) if option is not None],
        "c": None if costs == [None] * len(names) else costs,
        "s": None if scores == [None] * len(names) else scores,
        "u": None if step.proven else 1,
    }


def _number(score: float | None) -> float | None:
    """Convert a score to JSON, which has neither NaN nor infinity."""
    return None if score is None or not isfinite(score) else round(score, 3)


class Splice(NamedTuple):
    """The change of a structure by a transition.

    Attributes:
        structure: The number of the structure.
        start: The position of the change.
        removed: The number of items removed there.
        added: The items inserted there.
    """

    structure: int
    start: int
    removed: int
    added: tuple[int, ...]


def _changes(before: Configuration, after: Configuration, keys: Sequence[str]) -> list[Splice]:
    old_items, new_items = before.as_dict(), after.as_dict()
    found = []
    for i, key in enumerate(keys):
        old, new = old_items[key], new_items[key]
        if old != new:
            start = len(commonprefix([old, new]))
            end = len(commonprefix([old[start:][::-1], new[start:][::-1]]))
            found.append(Splice(i, start, len(old) - start - end, new[start : len(new) - end]))
    return found
