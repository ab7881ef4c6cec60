"""Write parse trees to Docs."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import DEP, HEAD, SENT_START
from spacy.tokens import Doc, Token

ROOT_LABEL = "ROOT"
SPACE_LABEL = "dep"

_ARCS = [HEAD, DEP]
_STARTS = [SENT_START]


class Parse(NamedTuple):
    """The tree or trees of a Doc, in the form that `Doc.from_array` takes.

    arcs: uint64 [len(doc), 2], distance to the head (0 for a root) and hash of the label.
    starts: uint64 [len(doc), 1], 1 where a sentence starts, else -1.
    probabilities: float [len(doc)], of the arc to each word; not a number for whitespace. None if
        they were not asked for.
    ranked: for each sentence with words, the best trees found, the very best first: "heads" (the
        token that is the head of each, itself for the root), "deps" and "score". None if they
        were not asked for.
    """

    arcs: NDArray[np.uint64]
    starts: NDArray[np.uint64]
    probabilities: NDArray[np.float64] | None = None
    ranked: list[list[dict[str, Any]]] | None = None


def register_extensions() -> None:
    """Make room for what is written on request."""
    for owner, name in ((Token, "head_probability"), (Doc, "k_best_trees")):
        if not owner.has_extension(name):
            owner.set_extension(name, default=None)


def write_parse(doc: Doc, parse: Parse) -> None:
    """Set heads, labels and sentence starts of a Doc, and what else the parse holds.

    The starts are written by themselves because those that spaCy derives from the edges of
    non-projective trees can be wrong.
    """
    if len(doc):
        doc.from_array(_ARCS, parse.arcs)  # type: ignore[arg-type]
        doc.from_array(_STARTS, parse.starts)  # type: ignore[arg-type]
    if parse.ranked is not None:
        doc._.k_best_trees = parse.ranked
    if parse.probabilities is not None:
        for token, probability in zip(doc, parse.probabilities.tolist(), strict=True):
            token._.head_probability = None if token.is_space else probability
