"""A sentence with a non-projective tree and a projective tree."""

from __future__ import annotations

import spacy
from spacy.tokens import Doc

WORDS = ["Er", "hat", "Bücher", "gelesen", ",", "die", "neu", "sind"]
HEADS = [4, 4, 4, 0, 7, 7, 3, 7]
PROJECTIVE = [4, 4, 4, 0, 7, 7, 4, 7]
LABELS = ["nsubj", "aux", "obj", "root", "punct", "nsubj", "acl:relcl", "cop"]
# Of the crossing arc. Words are isolated from text of the other direction.
TOOLTIP = "\u2068Bücher\u2069 → \u2068neu\u2069: acl:relcl"


def make_doc(
    heads: list[int] = HEADS, labels: list[str] = LABELS, words: list[str] = WORDS, copies: int = 1
) -> Doc:
    """Make a Doc that contains the sentence `copies` times. Heads are 1..n, or 0 for the root."""
    n = len(words)
    inside = [head - 1 if head else i for i, head in enumerate(heads)]
    deps = [label if head else "ROOT" for head, label in zip(heads, labels, strict=True)]
    return Doc(
        spacy.blank("xx").vocab,
        words=list(words) * copies,
        heads=[head + k * n for k in range(copies) for head in inside],
        deps=deps * copies,
    )
