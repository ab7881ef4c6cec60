"""Pseudo-projective encoding of gold trees, and decoding of predictions."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from spacy_npparse.parsing.batch import SentenceBatch
from spacy_npparse.parsing.gold import GoldBatch
from spacy_npparse.trees import complete_heads, is_projective
from spacy_npparse.trees.missing import NO_HEAD, NO_LABEL
from spacy_npparse.trees.pseudo_projective import Decorated, decode, encode


class PseudoProjectiveLabels:
    """Decorated labels, numbered after the plain labels of a component.

    Args:
        encoding: The name of the encoding, see `spacy_npparse.trees.pseudo_projective`.
        n_labels: The number of plain labels, without that of the root.
        decorated: The decorated labels, in the order of their numbers.
    """

    def __init__(self, encoding: str, n_labels: int, decorated: Iterable[Decorated]):
        self.encoding = encoding
        plain = [Decorated(label) for label in range(n_labels)]
        self._labels = [*plain, *decorated]
        self._numbers = {label: number for number, label in enumerate(self._labels)}

    def encode(self, gold: GoldBatch) -> GoldBatch:
        """Make gold trees projective.

        Args:
            gold: The gold trees.

        Returns:
            The projective trees. If a decorated label has no number, the word gets the plain label
            and remains attached to the head that it was lifted to.
        """
        heads, labels = gold.heads.copy(), gold.labels.copy()
        for words, lifted, noted in _encoded(gold, self.encoding):
            heads[words] = lifted
            labels[words] = [self._numbers.get(label, label.label) for label in noted]
        # Head distributions belong to the original trees.
        return replace(gold, heads=heads, labels=labels, targets=None)

    def decode(
        self,
        sentences: SentenceBatch,
        heads: NDArray[np.int32],
        labels: NDArray[np.int64],
    ) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Restore the non-projective trees of predictions.

        Args:
            sentences: The sentences.
            heads: int32 [n_words], the heads within the sentences.
            labels: int64 [n_words], the numbers of labels, NO_LABEL for the root's.

        Returns:
            The heads of the non-projective trees, and the numbers of plain labels.
        """
        root = Decorated(NO_LABEL)
        heads = heads.copy()
        noted = [root if number == NO_LABEL else self._labels[number] for number in labels.tolist()]
        for words in sentences.slices():
            if any(label.lifted for label in noted[words]):
                heads[words] = decode([NO_HEAD, *heads[words].tolist()], [root, *noted[words]])[1:]
        return heads, np.array([label.label for label in noted], dtype=np.int64)

    def plain_scores(self, scores: NDArray[np.float32]) -> NDArray[np.float32]:
        """Score plain labels by their best decoration.

        Args:
            scores: float32 [n_arcs, n_labels], the scores of all labels.

        Returns:
            float32 [n_arcs, n_plain], the scores of plain labels.
        """
        n_plain = sum(not (label.lifted or label.passed) for label in self._labels)
        found = scores[:, :n_plain].copy()
        for label, of_label in zip(self._labels[n_plain:], scores.T[n_plain:], strict=True):
            np.maximum(found[:, label.label], of_label, out=found[:, label.label])
        return found


def decorated_labels(gold: GoldBatch, encoding: str) -> set[Decorated]:
    """Collect the decorated labels that encode some gold trees.

    Args:
        gold: The gold trees.
        encoding: The name of the encoding, see `spacy_npparse.trees.pseudo_projective`.

    Returns:
        The decorated labels.
    """
    return {
        label
        for _, _, labels in _encoded(gold, encoding)
        for label in labels
        if label.lifted or label.passed
    }


def _encoded(gold: GoldBatch, encoding: str) -> Iterator[tuple[slice, list[int], list[Decorated]]]:
    """Find the words, new heads and new labels of each non-projective sentence.

    Unknown heads are completed for the lifting. If a word is lifted past such a word, its new head
    is unknown. The new head is also unknown if a word is lifted to the root, because arcs from the
    root have no label to decorate.
    """
    for words in gold.sentences.slices():
        heads = [NO_HEAD, *gold.heads[words].tolist()]
        labels = [NO_LABEL, *gold.labels[words].tolist()]
        tree = complete_heads(heads)
        if is_projective(tree):
            continue
        lifted, noted = encode(tree, labels, encoding)
        for d in range(1, len(heads)):
            above = heads[d]
            while above not in (lifted[d], NO_HEAD):
                above = heads[above]
            if above == NO_HEAD or (lifted[d] == 0 and heads[d] != 0):
                lifted[d], noted[d] = NO_HEAD, Decorated(NO_LABEL)
        yield words, lifted[1:], noted[1:]
