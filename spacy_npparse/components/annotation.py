"""Write parse trees to Docs."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import DEP, HEAD, SENT_START
from spacy.tokens import Doc, Token

from spacy_npparse.treebank.given_sentences import note_given_sentences
from spacy_npparse.treebank.head_distributions import (
    DISTRIBUTIONS_KEY,
    token_distribution,
)

ROOT_LABEL = "ROOT"
SPACE_LABEL = "dep"

_ARCS = [HEAD, DEP]
_STARTS = [SENT_START]
_PROBABILITIES = ("head_probability", "label_probability")


class Parse(NamedTuple):
    """The tree or trees of a Doc, in the form that `Doc.from_array` takes.

    Attributes:
        arcs: uint64 [len(doc), 2], offset of the head (0 for a root) and hash of the label.
        starts: uint64 [len(doc), 1], 1 where a sentence starts, else -1 (spaCy's values).
        head_probabilities: float [len(doc)], of the head of each word, NaN for whitespace; None
            unless the confidence was asked for.
        label_probabilities: float [len(doc)], likewise of the label, given the head.
        head_distributions: float64 [len(doc), 2 * N_HEADS], see `DISTRIBUTIONS_KEY`; likewise.
        ranked: For each sentence with words, its k best trees in descending order: "heads" (the
            index of each token's head, a root's being its own), "deps" and "score"; None unless
            they were asked for.
    """

    arcs: NDArray[np.uint64]
    starts: NDArray[np.uint64]
    head_probabilities: NDArray[np.float64] | None = None
    label_probabilities: NDArray[np.float64] | None = None
    head_distributions: NDArray[np.float64] | None = None
    ranked: list[list[dict[str, Any]]] | None = None


def register_extensions() -> None:
    """Register the extension attributes that are written on request."""
    for owner, names in ((Token, _PROBABILITIES), (Doc, ("k_best_trees",))):
        for name in names:
            if not owner.has_extension(name):
                owner.set_extension(name, default=None)
    if not Token.has_extension("head_distribution"):
        Token.set_extension("head_distribution", getter=token_distribution)


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
    if parse.head_distributions is not None:
        doc.user_data[DISTRIBUTIONS_KEY] = parse.head_distributions
    by_name = zip(
        _PROBABILITIES, (parse.head_probabilities, parse.label_probabilities), strict=True
    )
    for name, values in by_name:
        if values is not None:
            for token, value in zip(doc, values.tolist(), strict=True):
                token._.set(name, None if token.is_space else value)
