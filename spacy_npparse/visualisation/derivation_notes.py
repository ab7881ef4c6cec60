"""What there is to say about a derivation, in words."""

from __future__ import annotations

from collections import Counter

from spacy_npparse.transitions import Derivation
from spacy_npparse.visualisation.trees import plural

NAME_OF_ROOT = "ROOT"


def derivation_notes(derivation: Derivation) -> list[str]:
    """How the derivation was found, how long it is and how right."""
    counts = Counter(derivation.transitions)
    names = [name for name in derivation.system.transitions if counts[name]]
    notes = [
        f"the {derivation.oracle} oracle's derivation"
        if derivation.search is None
        else f"found by {derivation.search}",
        f"{len(derivation.words)} {plural(len(derivation.words), 'word')}",
        f"{counts.total()} {plural(counts.total(), 'transition')}: "
        + ", ".join(f"{counts[name]} {name}" for name in names),
    ]
    if derivation.gold is None:
        return notes
    known = [d for d, head in enumerate(derivation.gold) if d and head != -1]
    right = sum(derivation.heads[d] == derivation.gold[d] for d in known)
    notes.append(f"{right} of {len(known)} {plural(len(known), 'head')} right")
    steps = derivation.steps[:-1]
    if derivation.search is not None:
        notes.append(f"costs of the {derivation.oracle} oracle")
        costs = [[option.cost for option in step.options.values()] for step in steps]
        if any(None in found for found in costs):
            notes.append("which knows none after the first wrong transition")
    if not all(step.proven for step in steps):
        notes.append("some costs only approximate (?)")
    return notes
