"""Derivations of the trees of a treebank."""

from __future__ import annotations

from ..transitions import Derivation, gold_derivation
from .sentence import MISSING, Sentence


def sentence_derivation(
    sentence: Sentence, system: str = "arc_hybrid_swap", oracle: str | None = None
) -> Derivation:
    """The derivation of a sentence's gold tree.

    system, oracle: as in `spacy_npparse.transitions.gold_derivation`, which tells what is raised.
    """
    return gold_derivation(
        [word.form for word in sentence.words],
        [-1 if head is None else head for head in sentence.heads],
        ["" if word.deprel == MISSING else word.deprel for word in sentence.words],
        system=system,
        oracle=oracle,
    )
