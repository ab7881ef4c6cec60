"""A description of a derivation in a few phrases, and its words in running text."""

from __future__ import annotations

from collections import Counter

from spacy_npparse.evaluation.repairs import repairs
from spacy_npparse.transitions import Derivation
from spacy_npparse.trees.missing import NO_HEAD
from spacy_npparse.visualisation.page import plural

NAME_OF_ROOT = "ROOT"


def derivation_notes(derivation: Derivation) -> list[str]:
    """Describe how the derivation was found, its length and its accuracy.

    Args:
        derivation: The derivation.

    Returns:
        The phrases.
    """
    counts = Counter(derivation.transitions)
    names = [name for name in derivation.system.transitions if counts[name]]
    notes = [
        f"the {derivation.oracle} oracle's derivation"
        if derivation.search is None
        else f"found by {derivation.search}",
        f"{len(derivation.words)} {plural('word', len(derivation.words))}",
        f"{counts.total()} {plural('transition', counts.total())}: "
        + ", ".join(f"{counts[name]} {name}" for name in names),
    ]
    if derivation.gold is None:
        return notes
    known = [d for d, head in enumerate(derivation.gold) if d and head != NO_HEAD]
    right = sum(derivation.heads[d] == derivation.gold[d] for d in known)
    notes.append(f"{right} of {len(known)} {plural('head', len(known))} right")
    if repaired := Counter(repair.outcome.label for repair in repairs(derivation)):
        n_repairs = repaired.total()
        outcomes = ", ".join(f"{n} {outcome}" for outcome, n in sorted(repaired.items()))
        notes.append(f"{n_repairs} {plural('repair', n_repairs)}: {outcomes}")
    steps = derivation.steps[:-1]
    if derivation.search is not None:
        notes.append(f"costs of the {derivation.oracle} oracle")
        costs = [[option.cost for option in step.options.values()] for step in steps]
        if any(None in found for found in costs):
            notes.append("undefined after the first wrong transition")
    if not all(step.proven for step in steps):
        notes.append("some costs only approximate (?)")
    return notes


def quoted(word: str) -> str:
    """Quote a word if it could be taken for punctuation of a list."""
    return word if any(map(str.isalnum, word)) else f"“{word}”"
