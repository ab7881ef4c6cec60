"""Gold trees of a batch of sentences, and what is learnt of the heads of single words.

Source: an ensemble's distribution of heads as the target of a single parser, Kuncoro, Ballesteros,
Kong, Dyer and Smith (2016).
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
from spacy_npparse.trees.missing import NO_HEAD


class HeadTargets(NamedTuple):
    """Heads, and how much of each a word is to learn.

    Attributes:
        heads: int32 [n_words, n_heads], in the sentence, 0 for the root.
        weights: float32 [n_words, n_heads], with a sum of 1 for a word that has a known head, of 0
            for others.
    """

    heads: NDArray[np.int32]
    weights: NDArray[np.float32]

    @classmethod
    def of_tree(cls, heads: NDArray[np.int32]) -> HeadTargets:
        """The heads of a tree.

        Args:
            heads: int32 [n_words], NO_HEAD if unknown.
        """
        known = heads != NO_HEAD
        return cls(np.where(known, heads, 0)[:, None], known[:, None].astype(np.float32))

    def select(self, words: Bools) -> HeadTargets:
        """Keep only those of some words.

        Args:
            words: bool [n_words].
        """
        return HeadTargets(self.heads[words], self.weights[words])

    def shift(self, shifts: Ints) -> HeadTargets:
        """Number the heads within runs of several sentences.

        Args:
            shifts: int64 [n_words], how many words of the run are before the sentence of each.
        """
        shifted = np.where(self.heads > 0, self.heads + shifts[:, None], self.heads)
        return HeadTargets(shifted.astype(np.int32), self.weights)


@dataclass(frozen=True)
class GoldBatch:
    """Sentences with their gold trees; sentences without any annotation are left out.

    Attributes:
        sentences: The sentences.
        heads: int32 [n_words], the head of each word in its sentence, 0 for the root, NO_HEAD if
            unknown.
        labels: int64 [n_words], number of the label of each arc, NO_LABEL if unknown or the root's.
        docs: int64 [n_sentences], the Doc of each sentence, ascending.
        targets: What is learnt of heads one by one; None if these are the gold heads.
    """

    sentences: SentenceBatch
    heads: NDArray[np.int32]
    labels: Ints
    docs: Ints
    targets: HeadTargets | None = None

    @property
    def complete(self) -> Bools:
        """Which sentences have no word with unknown head: bool [n_sentences]."""
        unknown = self.sentences.sentence[self.heads == NO_HEAD]
        return np.bincount(unknown, minlength=len(self.sentences.lengths)) == 0

    def parts(self) -> list[GoldBatch]:
        """Cut the batch into parts of sentences of similar length; see `SentenceBatch.parts`."""
        return [self.select(chosen) for chosen in self.sentences.parts()]

    def joined_parts(self, max_length: int) -> list[GoldBatch]:
        """Join sentences and cut the batch into parts; see `join_sentences` and `parts`."""
        return self.join_sentences(max_length).parts()

    def select(self, kept: Bools) -> GoldBatch:
        """Keep only some of the sentences.

        Args:
            kept: bool [n_sentences].

        Returns:
            These sentences.
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
        """Join the sentences of each Doc to runs of words, in which each root has the root of the
        whole as its head.

        Args:
            max_length: Words of a run of several sentences.

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
            device: Where the marks are needed.

        Returns:
            float32 [n_sentences, size, size], size = longest sentence + 1: at [s, d, h] 1 for the
            arc of word d of sentence s to head h, 0 for all others.
        """
        size = int(self.sentences.lengths.max(initial=0)) + 1
        wrong = np.zeros((len(self.sentences.lengths), size, size), dtype=np.float32)
        known = self.heads != NO_HEAD
        sentence, heads = self.sentences.sentence[known], self.heads[known]
        word = self.sentences.places[known]
        wrong[sentence, word] = 1.0
        wrong[sentence, word, heads] = 0.0
        return torch.from_numpy(wrong).to(device)

    def head_selection_loss(self, scored: ScoredBatch, log_probabilities: Tensor) -> Tensor:
        """Cross-entropy of each head among all words around.

        Args:
            scored: The sentences.
            log_probabilities: Of heads, see `ParserNet.score_arcs`.

        Returns:
            A scalar.
        """
        targets = self.targets or HeadTargets.of_tree(self.heads)
        heads, weights = (torch.from_numpy(part).to(scored.lengths.device) for part in targets)
        return scored.net.head_selection_loss(
            log_probabilities, scored.lengths, heads.long(), weights
        )


def _runs(docs: Ints, lengths: NDArray[np.int32], max_length: int) -> Iterator[int]:
    """The number of the run that each sentence belongs to; see `GoldBatch.join_sentences`."""
    run, last_doc, length = -1, -1, 0
    for doc, n_words in zip(docs.tolist(), lengths.tolist(), strict=True):
        if doc != last_doc or length + n_words > max_length:
            run, last_doc, length = run + 1, doc, 0
        length += n_words
        yield run
