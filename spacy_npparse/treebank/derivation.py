"""Derivations of the trees of a treebank."""

from __future__ import annotations

from spacy_npparse.systems import get_transition_system
from spacy_npparse.transitions import Derivation, gold_derivation
from spacy_npparse.treebank.sentence import MISSING, Sentence


def sentence_derivation(
    sentence: Sentence, system: str = "arc_hybrid_swap", oracle: str | None = None
) -> Derivation:
    """The derivation of a sentence's gold tree.

    system: registered name of a transition system; ValueError if there is none of that name.
    oracle: as in `spacy_npparse.transitions.gold_derivation`, which tells what else is raised.
    """
    return gold_derivation(
        [word.form for word in sentence.words],
        [-1 if head is None else head for head in sentence.heads],
        ["" if word.deprel == MISSING else word.deprel for word in sentence.words],
        system=get_transition_system(system),
        oracle=oracle,
    )
