"""Gold derivations of the trees of a treebank."""

from __future__ import annotations

from spacy_npparse.systems import get_transition_system
from spacy_npparse.transitions import Derivation, gold_derivation
from spacy_npparse.treebank.sentence import EMPTY, Sentence


def sentence_derivation(
    sentence: Sentence, system: str = "arc_hybrid_swap", oracle: str | None = None
) -> Derivation:
    """Derive the gold tree of a sentence.

    Args:
        sentence: The sentence.
        system: The name of a registered transition system.
        oracle: The name of an oracle; see `spacy_npparse.transitions.gold_derivation`.

    Raises:
        ValueError: The system or oracle does not exist, or the tree cannot be derived.
    """
    return gold_derivation(
        [word.form for word in sentence.words],
        sentence.heads,
        ["" if word.deprel == EMPTY else word.deprel for word in sentence.words],
        system=get_transition_system(system),
        oracle=oracle,
    )
