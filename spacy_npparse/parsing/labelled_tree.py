"""Labelled trees, which a search for labels returns."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spacy_npparse.parsing.batch import Bools, Ints, SentenceBatch


class LabelledTree(NamedTuple):
    """The labelled trees of some sentences.

    Attributes:
        heads: int32 [n_words], the heads within the sentences.
        labels: int64 [n_words], the numbers of plain labels, NO_LABEL for the root's.
        built: int64 [n_words], the numbers of the highest-scoring labels, including
            pseudo-projective ones.
        scores: float32 [n_words, n_labels], the log-probabilities of plain labels, at least
            `LEAST_SCORE`, and 0 for words without an arc; empty without rules.
        n_broken: int64 [n_sentences], the number of rules without exceptions that the labels break.
        losses: float64 [n_sentences], the loss of log-probability against the best labels, plus the
            costs of other rules that the labels break.
    """

    heads: NDArray[np.int32]
    labels: Ints
    built: Ints
    scores: NDArray[np.float32]
    n_broken: Ints
    losses: NDArray[np.float64]

    def take(self, sentences: SentenceBatch, numbers: Ints) -> LabelledTree:
        """Take the trees of some sentences.

        Args:
            sentences: All sentences.
            numbers: int64 [n], the numbers of sentences, with repetition.

        Returns:
            The trees.
        """
        words = sentences.words_of(numbers)
        return LabelledTree(
            self.heads[words],
            self.labels[words],
            self.built[words],
            self.scores[words],
            self.n_broken[numbers],
            self.losses[numbers],
        )

    def put(self, sentences: SentenceBatch, chosen: Bools, part: LabelledTree) -> None:
        """Copy the heads and labels of a part of the sentences, and the rules that they break.

        Args:
            sentences: All sentences.
            chosen: bool [n_sentences], whether each sentence is in the part.
            part: The trees of the part.
        """
        words = chosen[sentences.sentence]
        self.heads[words], self.labels[words], self.built[words] = part[:3]
        self.n_broken[chosen] = part.n_broken


class ChosenLabels(NamedTuple):
    """Labels that obey rules, or break as few and as cheap ones as possible.

    Attributes:
        labels: int64 [n_words], the numbers of labels, NO_LABEL for the root's.
        n_broken: int64 [n_sentences], the number of rules without exceptions that the labels break.
        values: float64 [n_sentences], the sums of the labels' scores, less the costs of other rules
            that they break.
    """

    labels: Ints
    n_broken: Ints
    values: NDArray[np.float64]
