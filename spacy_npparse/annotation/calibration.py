"""Temperatures that calibrate probabilities."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spacy_npparse.annotation.posteriors import EncodedSentences
from spacy_npparse.parsing import Temperatures
from spacy_npparse.treebank import Sentence
from spacy_npparse.treebank.sentence import EMPTY
from spacy_npparse.trees.missing import NO_HEAD

# The range of the natural logarithm of a temperature, and the precision of the search.
_RANGE = math.log(10.0)
_PRECISION = 0.005
_GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0
# The lower bound of the probability of events that were held to be impossible.
_LEAST_PROBABILITY = 1e-6


class GoldTrees(NamedTuple):
    """Gold annotation of sentences, in the numbers of a parser.

    Attributes:
        heads: int32 [n_words] for each sentence, the head of each word, 0 for the root, NO_HEAD if
            unknown.
        labels: int32 [n_words] for each sentence, the number of each label among the parser's
            `label_data`, NO_HEAD if it is unknown, unknown to the parser, or the root's.
        unknown: The labels that the parser does not know.
    """

    heads: list[NDArray[np.int32]]
    labels: list[NDArray[np.int32]]
    unknown: list[str]


class Reliabilities(NamedTuple):
    """The probabilities of predictions for words with gold arcs, and whether they are correct.

    Attributes:
        heads: float64 [2, n], the probability of each predicted head, and 1 if it is correct.
        labels: float64 [2, n], the probability of each predicted label, and 1 if it is correct, for
            words with the correct head other than the root.
        arcs: float64 [2, n], the probability of each head and label together, and 1 if both are
            correct.
    """

    heads: NDArray[np.float64]
    labels: NDArray[np.float64]
    arcs: NDArray[np.float64]


def read_gold(sentences: Sequence[Sentence], labels: Sequence[str]) -> GoldTrees:
    """Read the gold annotation of sentences.

    Args:
        sentences: The sentences.
        labels: The labels that the parser knows, without that of the root.

    Returns:
        The gold trees.
    """
    numbers = {label: number for number, label in enumerate(labels) if label != EMPTY}
    trees: list[NDArray[np.int32]] = []
    of_trees: list[NDArray[np.int32]] = []
    found: set[str] = set()
    for sentence in sentences:
        heads = sentence.heads[1:]
        deprels = [
            row.deprel if head > 0 else EMPTY
            for head, row in zip(heads, sentence.words, strict=True)
        ]
        found.update(deprels)
        trees.append(np.array(heads, dtype=np.int32))
        of_trees.append(np.array([numbers.get(one, NO_HEAD) for one in deprels], dtype=np.int32))
    return GoldTrees(trees, of_trees, sorted(found - numbers.keys() - {EMPTY}))


class Predictions:
    """Predicted trees, compared with gold trees. They do not depend on the parser's temperatures.

    Args:
        encoded: The encoded sentences.
        gold: The gold annotation of the sentences.
    """

    def __init__(self, encoded: EncodedSentences, gold: GoldTrees):
        self._encoded = encoded
        trees = encoded.trees()
        self._trees = [tree.heads for tree in trees]
        self._labels = np.concatenate([tree.labels for tree in trees])
        heads, labels = np.concatenate(gold.heads), np.concatenate(gold.labels)
        predicted = np.concatenate(self._trees)
        self._has_arc = predicted > 0
        right_heads = predicted == heads
        right_labels = ~self._has_arc | (self._labels == labels)
        self._right = right_heads, right_labels, right_heads & right_labels
        has_label = labels != NO_HEAD
        self._known = heads != NO_HEAD, right_heads & has_label, has_label | (heads == 0)

    def reliabilities(self) -> Reliabilities:
        """Compare the probabilities under the present temperatures with what is correct."""
        heads, labels = self._of_heads(), self._of_labels()
        return Reliabilities(*map(self._pairs, range(3), (heads, labels, heads * labels)))

    def fit_temperatures(self) -> Temperatures:
        """Find the temperatures under which the correctness of the predictions is most probable:
        one for heads, and one for labels given correct heads. The parser's own temperatures do not
        change. If nothing is known, or if all predictions are correct or all are wrong, the
        parser's own temperature is returned.

        Returns:
            The temperatures.

        Source: Guo, Pleiss, Sun and Weinberger (2017).
        """
        parser = self._encoded.parser
        before = parser.temperatures

        def loss_of_heads(temperature: float) -> float:
            parser.temperatures = replace(before, heads=temperature)
            return _log_loss(self._pairs(0, self._of_heads()))

        def loss_of_labels(temperature: float) -> float:
            parser.temperatures = replace(before, labels=temperature)
            return _log_loss(self._pairs(1, self._of_labels()))

        try:
            return Temperatures(
                _minimum(loss_of_heads) if self._tells(0) else before.heads,
                _minimum(loss_of_labels) if self._tells(1) else before.labels,
            )
        finally:
            parser.temperatures = before

    def _tells(self, kind: int) -> bool:
        """Check whether some predictions are correct and others wrong. Otherwise the loss has no
        minimum."""
        right = self._right[kind][self._known[kind]]
        return bool(right.any() and not right.all())

    def _of_heads(self) -> NDArray[np.float32]:
        by_head = zip(self._encoded.heads(), self._trees, strict=True)
        return np.concatenate([words[range(len(tree)), tree] for words, tree in by_head])

    def _of_labels(self) -> NDArray[np.float32]:
        by_label = np.concatenate(self._encoded.labels(self._trees))
        of_predicted = by_label[range(len(self._labels)), self._labels]
        return np.where(self._has_arc, of_predicted, np.float32(1.0))

    def _pairs(self, kind: int, probabilities: NDArray[np.float32]) -> NDArray[np.float64]:
        known = self._known[kind]
        return np.stack([probabilities[known].astype(np.float64), self._right[kind][known]])


def _log_loss(pairs: NDArray[np.float64]) -> float:
    probabilities, right = pairs
    likelihoods = np.where(right, probabilities, 1.0 - probabilities)
    return -float(np.log(likelihoods.clip(_LEAST_PROBABILITY)).sum())


def _minimum(loss: Callable[[float], float]) -> float:
    """Find the temperature with the lowest loss by golden-section search. The loss has a single
    minimum."""
    low, high = -_RANGE, _RANGE
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    of_left, of_right = loss(math.exp(left)), loss(math.exp(right))
    while high - low > _PRECISION:
        if of_left < of_right:
            high, right, of_right = right, left, of_left
            left = high - _GOLDEN * (high - low)
            of_left = loss(math.exp(left))
        else:
            low, left, of_left = left, right, of_right
            right = low + _GOLDEN * (high - low)
            of_right = loss(math.exp(right))
    return math.exp((low + high) / 2.0)
