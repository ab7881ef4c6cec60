"""The heads of tokens in spaCy's encoding, and the tokens that their arcs span."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import DEP, HEAD
from spacy.tokens import Doc

from spacy_npparse.trees.missing import NO_HEAD

Ints = NDArray[np.int64]


def head_tokens(doc: Doc) -> Ints:
    """Read the heads of a Doc. A token that is its own head is a root if it has a label.

    Args:
        doc: The Doc.

    Returns:
        int64 [len(doc)], the index of each token's head, a root's being its own, NO_HEAD if
        unknown.
    """
    columns = doc.to_array([HEAD, DEP])
    return _heads(columns[:, 0], columns[:, 1])


def heads_and_spans(
    offsets: NDArray[np.number], labels: NDArray[np.number]
) -> tuple[Ints, NDArray[np.bool_]]:
    """Read the heads of the tokens of a Doc, and find the tokens at which no sentence can start.
    spaCy derives sentence starts from the heads, wrongly if some are missing.

    Args:
        offsets: [n], the column HEAD of `Doc.to_array`.
        labels: [n], the column DEP.

    Returns:
        The heads; and bool [n], whether an arc leads from before a token to it or beyond.
    """
    heads = _heads(offsets, labels)
    dependents = np.flatnonzero(heads >= 0)
    ends = np.stack([dependents, heads[dependents]])
    opened = np.bincount(ends.min(axis=0) + 1, minlength=len(heads) + 1)
    closed = np.bincount(ends.max(axis=0) + 1, minlength=len(heads) + 1)
    below: NDArray[np.bool_] = np.cumsum(opened - closed)[:-1] > 0
    return heads, below


def _heads(offsets: NDArray[np.number], labels: NDArray[np.number]) -> Ints:
    signed = offsets.astype(np.int64)
    has_head = (signed != 0) | (labels != 0)
    return np.where(has_head, np.arange(len(signed)) + signed, NO_HEAD)
