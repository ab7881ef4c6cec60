"""Pseudo-projective encodings of the gold trees and the predictions of a component."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise

import numpy
from numpy.typing import NDArray

from ..transitions import complete_heads, is_projective
from ..transitions.pseudo_projective import Decorated, decode, encode
from .gold import MISSING, GoldBatch


class PseudoProjectiveLabels:
    """Labels of arcs with notes, numbered behind the plain labels of a component.

    encoding: see `spacy_npparse.transitions.pseudo_projective`.
    n_labels: plain labels, the root's excluded.
    decorated: the labels with notes, in the order of their numbers.
    """

    def __init__(self, encoding: str, n_labels: int, decorated: Iterable[Decorated]):
        self.encoding = encoding
        plain = [Decorated(label) for label in range(n_labels)]
        self._labels = [*plain, *decorated]
        self._numbers = {label: number for number, label in enumerate(self._labels)}

    def encode(self, gold: GoldBatch) -> GoldBatch:
        """Gold trees made projective. Notes that have no number are left out, and the word stays
        with the head it was lifted to."""
        heads, labels = gold.heads.copy(), gold.labels.copy()
        for part, lifted, noted in _encoded(gold, self.encoding):
            heads[part] = lifted
            labels[part] = [self._numbers.get(label, label.label) for label in noted]
        labels[heads <= 0] = MISSING
        return replace(gold, heads=heads, labels=labels)

    def decode(
        self,
        lengths: NDArray[numpy.int32],
        heads: NDArray[numpy.int32],
        labels: NDArray[numpy.int64],
    ) -> tuple[NDArray[numpy.int32], NDArray[numpy.int64]]:
        """Heads as the labels describe them, and plain labels.

        lengths: words of each sentence; heads: of all words, in the sentence; labels: numbers, -1
        for root arcs.
        """
        root = Decorated(MISSING)
        heads = heads.copy()
        noted = [root if number == MISSING else self._labels[number] for number in labels.tolist()]
        for part in _sentences(lengths):
            if any(label.lifted for label in noted[part]):
                heads[part] = decode([MISSING, *heads[part].tolist()], [root, *noted[part]])[1:]
        return heads, numpy.array([label.label for label in noted], dtype=numpy.int64)


def decorated_labels(gold: GoldBatch, encoding: str) -> set[Decorated]:
    """The labels with notes that the encoding of some gold trees needs."""
    return {
        label
        for _, _, labels in _encoded(gold, encoding)
        for label in labels
        if label.lifted or label.passed
    }


def _encoded(
    gold: GoldBatch, encoding: str
) -> Iterator[tuple[slice, NDArray[numpy.int32], list[Decorated]]]:
    """The words of each non-projective sentence, with their new heads and labels.

    Words with missing heads are attached harmlessly meanwhile.
    """
    for part in _sentences(gold.sentences.lengths):
        heads = gold.heads[part]
        tree = complete_heads([MISSING, *heads.tolist()])
        if not is_projective(tree):
            lifted, labels = encode(tree, [MISSING, *gold.labels[part].tolist()], encoding)
            yield part, numpy.where(heads == MISSING, MISSING, lifted[1:]), labels[1:]


def _sentences(lengths: NDArray[numpy.int32]) -> list[slice]:
    """The words of each sentence."""
    bounds = numpy.concatenate([[0], numpy.cumsum(lengths)]).tolist()
    return [slice(start, end) for start, end in pairwise(bounds)]
