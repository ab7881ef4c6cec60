"""Derivations as data for the page that steps through them: what changes from one configuration to
the next, so that derivations of thousands of steps stay small.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from math import isfinite
from typing import Any, NamedTuple

from spacy_npparse.transitions import Configuration, Derivation, Step
from spacy_npparse.trees import complete_heads, projective_order

_COMMON = frozenset(["stack", "buffer", "heads"])


def structures(derivation: Derivation) -> dict[str, str]:
    """The structures of a derivation's configurations that are shown, with their names for
    readers: those of words first, then the others."""
    named = derivation.system.structure_names
    others = set(derivation.steps[0].configuration.as_dict()) - set(named) - _COMMON
    return named | {key: key for key in sorted(others)}


def open_ends(derivation: Derivation) -> dict[str, bool]:
    """Of each structure, whether things happen at its end, as on a stack, rather than at its
    beginning. If a short derivation does not tell, the buffer alone is read from its beginning."""
    keys = list(structures(derivation))
    votes = dict.fromkeys(keys, 0)
    for before, after in pairwise(step.configuration for step in derivation.steps):
        for change in _changes(before, after, keys):
            key = keys[change.structure]
            rest = len(before.as_dict()[key]) - change.start - change.removed
            votes[key] += (change.start > rest) - (change.start < rest)
    return {key: vote > 0 or (vote == 0 and key != "buffer") for key, vote in votes.items()}


def target_order(derivation: Derivation) -> list[int] | None:
    """The places of the n words in the projective order of the gold tree; None if the system does
    not reorder words or nothing is known of the tree."""
    if derivation.gold is None or not derivation.system.reorders:
        return None
    return projective_order(complete_heads(derivation.gold))[1:]


def derivation_json(derivation: Derivation) -> str:
    """All that the page's script needs.

    Places in lists count from 0, words from 1; 0 is the root. The keys of a step are:

    t: the transition that is taken, by number.
    c, s: costs and scores of all transitions, null where not known or not legal.
    l: numbers of the legal transitions.
    d: for each structure that the transition changes, its number, the place of the change, how many
       items are taken away there and which are put in.
    h: for each arc that it adds, dependent and head; -1 for an arc that it takes away.
    r: words whose gold arc comes within reach of the parser or gets out of it.
    u: 1 if the costs are not those that the oracle promises.
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
    return json.dumps(
        {
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
        },
        separators=(",", ":"),
    )


def _decision(step: Step, names: Sequence[str]) -> dict[str, Any]:
    """What could have been done, and what was."""
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
    """A score for JSON, which has no word for what is no number."""
    return None if score is None or not isfinite(score) else round(score, 3)


class Change(NamedTuple):
    """What a transition does to a structure.

    structure: its number. start: the place of the change. removed: how many items are taken away
    there; added: which are put in.
    """

    structure: int
    start: int
    removed: int
    added: tuple[int, ...]


def _changes(before: Configuration, after: Configuration, keys: Sequence[str]) -> list[Change]:
    old_items, new_items = before.as_dict(), after.as_dict()
    found = []
    for i, key in enumerate(keys):
        old, new = old_items[key], new_items[key]
        if old != new:
            start = _shared(old, new)
            end = _shared(old[start:][::-1], new[start:][::-1])
            found.append(Change(i, start, len(old) - start - end, new[start : len(new) - end]))
    return found


def _shared(first: Sequence[int], second: Sequence[int]) -> int:
    """How many items two lists share at their beginning."""
    shorter = min(len(first), len(second))
    if first[:shorter] == second[:shorter]:
        return shorter
    return next(i for i in range(shorter) if first[i] != second[i])
