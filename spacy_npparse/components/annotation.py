"""Write parse trees to Docs."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import DEP, HEAD, SENT_START
from spacy.tokens import Doc, Token

from spacy_npparse.treebank.given_sentences import note_given_sentences

ROOT_LABEL = "ROOT"
SPACE_LABEL = "dep"

_ARCS = [HEAD, DEP]
_STARTS = [SENT_START]


class Parse(NamedTuple):
    """The tree or trees of a Doc, in the form that `Doc.from_array` takes.

    Attributes:
        arcs: uint64 [len(doc), 2], offset of the head (0 for a root) and hash of the label.
        starts: uint64 [len(doc), 1], 1 where a sentence starts, else -1 (spaCy's values).
        probabilities: float [len(doc)], of the arc to each word, NaN for whitespace; None unless
            the confidence was asked for.
        ranked: For each sentence with words, its k best trees in descending order: "heads" (the
            index of each token's head, a root's being its own), "deps" and "score"; None unless
            they were asked for.
    """

    arcs: NDArray[np.uint64]
    starts: NDArray[np.uint64]
    probabilities: NDArray[np.float64] | None = None
    ranked: list[list[dict[str, Any]]] | None = None


def register_extensions() -> None:
    """Register the extension attributes that are written on request."""
    for owner, name in ((Token, "head_probability"), (Doc, "k_best_trees")):
        if not owner.has_extension(name):
            owner.set_extension(name, default=None)


def write_parse(doc: Doc, parse: Parse) -> None:
    """Write a parse to its Doc.

    Sentence starts are written after the arcs because those that spaCy derives from the edges of
    non-projective trees can be wrong.

    Args:
        doc: The Doc.
        parse: Its parse.
    """
    if len(doc):
        note_given_sentences(doc)
        doc.from_array(_ARCS, parse.arcs)  # type: ignore[arg-type]
        doc.from_array(_STARTS, parse.starts)  # type: ignore[arg-type]
    if parse.ranked is not None:
        doc._.k_best_trees = parse.ranked
    if parse.probabilities is not None:
        for token, probability in zip(doc, parse.probabilities.tolist(), strict=True):
            token._.head_probability = None if token.is_space else probability
