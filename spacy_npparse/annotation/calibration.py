"""Temperatures that make probabilities calibrated."""

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

# Of the natural logarithm of a temperature: where it is searched for, and how exactly.
_RANGE = math.log(10.0)
_PRECISION = 0.005
_GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0
# Of what turns out otherwise than was held for certain.
_LEAST_PROBABILITY = 1e-6


class GoldTrees(NamedTuple):
    """The annotation of sentences, as a parser knows it.

    Attributes:
        heads: int32 [n_words] for each sentence: the head of each word, 0 for the root, NO_HEAD if
            unknown.
        labels: int32 [n_words] for each sentence: the number of the label among the parser's
            `label_data`, NO_HEAD if unknown, to the parser or at all, or the root's.
        unknown: The labels that the parser does not know.
    """

    heads: list[NDArray[np.int32]]
    labels: list[NDArray[np.int32]]
    unknown: list[str]


class Reliabilities(NamedTuple):
    """What a parser predicts for words with gold arcs: how probable it holds it to be, and whether
    it is right.

    Attributes:
        heads: float64 [2, n]: the probability of the predicted head, and 1 if it is right.
        labels: float64 [2, n]: that of the predicted label, for words with the right head other
            than the root.
        arcs: float64 [2, n]: that of head and label together, 1 if both are right.
    """

    heads: NDArray[np.float64]
    labels: NDArray[np.float64]
    arcs: NDArray[np.float64]


def read_gold(sentences: Sequence[Sentence], labels: Sequence[str]) -> GoldTrees:
    """Read the annotation of sentences.

    Args:
        sentences: The sentences.
        labels: The labels that the parser knows, the root's excluded.

    Returns:
        The trees.
    """
    numbers = {label: number for number, label in enumerate(labels)}
    trees: list[NDArray[np.int32]] = []
    of_trees: list[NDArray[np.int32]] = []
    unknown: set[str] = set()
    for sentence in sentences:
        heads = sentence.heads[1:]
        deprels = [word.deprel for word in sentence.words]
        has_label = [h > 0 and d != EMPTY for h, d in zip(heads, deprels, strict=True)]
        known = [
            numbers.get(deprel, NO_HEAD) if labelled else NO_HEAD
            for deprel, labelled in zip(deprels, has_label, strict=True)
        ]
        unknown.update(
            deprel
            for deprel, labelled in zip(deprels, has_label, strict=True)
            if labelled and deprel not in numbers
        )
        trees.append(np.array(heads, dtype=np.int32))
        of_trees.append(np.array(known, dtype=np.int32))
    return GoldTrees(trees, of_trees, sorted(unknown))


class Predictions:
    """The trees that a parser predicts, against gold trees. Both remain, whatever its temperatures.

    Args:
        encoded: The sentences.
        gold: Their annotation.
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
        """Compare how sure the parser is with what is right, under its present temperatures."""
        heads, labels = self._of_heads(), self._of_labels()
        return Reliabilities(*map(self._pairs, range(3), (heads, labels, heads * labels)))

    def fit_temperatures(self) -> Temperatures:
        """Find the temperatures under which it is most probable that what is right is right, and
        what is wrong wrong: that of heads, and that of labels, given right heads. The parser's own
        remain; one of them is returned where nothing is known, or everything is right, or wrong.

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
        """Whether some predictions are right and others wrong; else the loss has no minimum."""
        right = self._right[kind][self._known[kind]]
        return bool(right.any() and not right.all())

    def _by_label(self) -> NDArray[np.float32]:
        return np.concatenate(self._encoded.labels(self._trees))

    def _of_heads(self) -> NDArray[np.float32]:
        by_head = zip(self._encoded.heads(), self._trees, strict=True)
        return np.concatenate([words[range(len(tree)), tree] for words, tree in by_head])

    def _of_labels(self) -> NDArray[np.float32]:
        of_predicted = self._by_label()[range(len(self._labels)), self._labels]
        return np.where(self._has_arc, of_predicted, np.float32(1.0))

    def _pairs(self, kind: int, probabilities: NDArray[np.float32]) -> NDArray[np.float64]:
        known = self._known[kind]
        return np.stack([probabilities[known].astype(np.float64), self._right[kind][known]])


def _log_loss(pairs: NDArray[np.float64]) -> float:
    probabilities, right = pairs
    likelihoods = np.where(right, probabilities, 1.0 - probabilities)
    return -float(np.log(likelihoods.clip(_LEAST_PROBABILITY)).sum())


def _minimum(loss: Callable[[float], float]) -> float:
    """The temperature of least loss, by golden-section search: the loss of a temperature has one
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
