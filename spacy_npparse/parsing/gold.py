"""Gold trees of a batch of sentences, and targets of head selection.

Source: Kuncoro, Ballesteros, Kong, Dyer and Smith (2016), who train a single parser on the head
distributions of an ensemble.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from spacy_npparse.parsing.batch import Bools, Ints, ScoredBatch, SentenceBatch
from spacy_npparse.trees import is_projective, is_tree
from spacy_npparse.trees.missing import NO_HEAD


class HeadTargets(NamedTuple):
    """Target distributions of heads.

    Attributes:
        heads: int32 [n_words, n_heads], the heads within the sentences, 0 for the root.
        weights: float32 [n_words, n_heads], the weight of each head. They add up to 1 for a word
            with a known head, otherwise to 0.
    """

    heads: NDArray[np.int32]
    weights: NDArray[np.float32]

    @classmethod
    def of_tree(cls, heads: NDArray[np.int32]) -> HeadTargets:
        """Make targets from the heads of trees.

        Args:
            heads: int32 [n_words], NO_HEAD if unknown.
        """
        known = heads != NO_HEAD
        return cls(np.where(known, heads, 0)[:, None], known[:, None].astype(np.float32))

    def select(self, words: Bools) -> HeadTargets:
        """Select the targets of some words.

        Args:
            words: bool [n_words], whether each word is selected.
        """
        return HeadTargets(self.heads[words], self.weights[words])

    def shift(self, shifts: Ints) -> HeadTargets:
        """Renumber the heads for runs of several sentences.

        Args:
            shifts: int64 [n_words], the number of words of the run before the sentence of each
                word.
        """
        shifted = np.where(self.heads > 0, self.heads + shifts[:, None], self.heads)
        return HeadTargets(shifted.astype(np.int32), self.weights)


@dataclass(frozen=True)
class GoldBatch:
    """Sentences with their gold trees. Sentences without any annotation are left out.

    Attributes:
        sentences: The sentences.
        heads: int32 [n_words], the head of each word in its sentence, 0 for the root, NO_HEAD if
            unknown.
        labels: int64 [n_words], the number of the label of each arc, NO_LABEL if it is unknown or
            the root's.
        docs: int64 [n_sentences], the number of each sentence's Doc, ascending.
        targets: The targets of head selection; None if these are the gold heads.
    """

    sentences: SentenceBatch
    heads: NDArray[np.int32]
    labels: Ints
    docs: Ints
    targets: HeadTargets | None = None

    @property
    def complete(self) -> Bools:
        """Whether all heads of each sentence are known: bool [n_sentences]."""
        unknown = self.sentences.sentence[self.heads == NO_HEAD]
        return np.bincount(unknown, minlength=len(self.sentences.lengths)) == 0

    @property
    def projective(self) -> Bools:
        """Whether all heads of each sentence are known, and form a projective tree with one root:
        bool [n_sentences]."""
        heads = self.heads.tolist()
        trees = [[NO_HEAD, *heads[words]] for words in self.sentences.slices()]
        return np.array([is_tree(tree) and is_projective(tree) for tree in trees], dtype=bool)

    def parts(self) -> list[GoldBatch]:
        """Divide the batch into parts of sentences of similar length; see `SentenceBatch.parts`."""
        return [self.select(chosen) for chosen in self.sentences.parts()]

    def select(self, kept: Bools) -> GoldBatch:
        """Select some of the sentences.

        Args:
            kept: bool [n_sentences], whether each sentence is selected.

        Returns:
            The selected sentences.
        """
        if kept.all():
            return self
        words = kept[self.sentences.sentence]
        return GoldBatch(
            self.sentences.select(kept),
            self.heads[words],
            self.labels[words],
            self.docs[kept],
            self.targets and self.targets.select(words),
        )

    def join_sentences(self, max_length: int) -> GoldBatch:
        """Join the sentences of each Doc to runs of words, in which the root is the head of the
        root of each sentence.

        Args:
            max_length: The maximum number of words in a run of several sentences.

        Returns:
            The runs.
        """
        run = np.array(list(_runs(self.docs, self.sentences.lengths, max_length)), dtype=np.int64)
        starts = np.cumsum(self.sentences.lengths) - self.sentences.lengths
        is_first = np.diff(run, prepend=-1) > 0
        shift = (starts - starts[is_first][run])[self.sentences.sentence]
        lengths = np.bincount(run, weights=self.sentences.lengths).astype(np.int32)
        joined = SentenceBatch(self.sentences.words, lengths, self.sentences.n_tokens)
        heads = np.where(self.heads > 0, self.heads + shift, self.heads).astype(np.int32)
        targets = self.targets and self.targets.shift(shift)
        return GoldBatch(joined, heads, self.labels, self.docs[is_first], targets)

    def wrong_arcs(self, device: torch.device) -> Tensor:
        """Mark the arcs that the gold trees are known not to have.

        Args:
            device: The device of the result.

        Returns:
            float32 [n_sentences, size, size], where size is the length of the longest sentence + 1:
            1 at [s, d, h] if the arc from head h to word d of sentence s is wrong, otherwise 0.
        """
        size = int(self.sentences.lengths.max(initial=0)) + 1
        wrong = np.zeros((len(self.sentences.lengths), size, size), dtype=np.float32)
        known = self.heads != NO_HEAD
        sentence, heads = self.sentences.sentence[known], self.heads[known]
        word = self.sentences.places[known]
        wrong[sentence, word] = 1.0
        wrong[sentence, word, heads] = 0.0
        return torch.from_numpy(wrong).to(device, non_blocking=device.type == "cuda")

    def head_selection_loss(self, scored: ScoredBatch, log_probabilities: Tensor) -> Tensor:
        """Compute the cross-entropy of each head among all words of the run.

        Args:
            scored: The sentences.
            log_probabilities: The log-probabilities of heads, see `ParserNet.score_arcs`.

        Returns:
            A scalar.
        """
        targets = self.targets or HeadTargets.of_tree(self.heads)
        return scored.net.head_selection_loss(log_probabilities, scored.lengths, *targets)


def _runs(docs: Ints, lengths: NDArray[np.int32], max_length: int) -> Iterator[int]:
    """Find the number of each sentence's run; see `GoldBatch.join_sentences`."""
    run, last_doc, length = -1, -1, 0
    for doc, n_words in zip(docs.tolist(), lengths.tolist(), strict=True):
        if doc != last_doc or length + n_words > max_length:
            run, last_doc, length = run + 1, doc, 0
        length += n_words
        yield run
