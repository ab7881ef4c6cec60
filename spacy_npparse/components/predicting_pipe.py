"""Prediction: the sentences of Docs, and the labelled trees of these."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Generic

import numpy as np
import torch
from numpy.typing import NDArray
from spacy.tokens import Doc
from torch import Tensor

from spacy_npparse.components.annotation import Parse
from spacy_npparse.components.calibrated_pipe import Confidence
from spacy_npparse.components.constraints.batch import (
    NO_CONSTRAINTS,
    UNCONSTRAINED,
    BatchConstraints,
    ConstrainedSentences,
    read_constraints,
)
from spacy_npparse.components.constraints.enforcement import check_all_enforced, enforce
from spacy_npparse.components.constraints.given import ConstraintError
from spacy_npparse.components.network_pipe import NetT
from spacy_npparse.components.parses import make_parses
from spacy_npparse.components.saving import SavedPipe
from spacy_npparse.components.search import Found, no_trees
from spacy_npparse.components.segmentation import SentenceFinder
from spacy_npparse.components.sentences import SentenceBatch, TokenBatch, split_sentences
from spacy_npparse.components.settings import DecoderSettings, Sentences
from spacy_npparse.decoding import AllowedTrees
from spacy_npparse.trees.missing import NO_HEAD


class PredictingPipe(SavedPipe[NetT], Generic[NetT]):
    """A component that finds the sentences of Docs and the best tree of each, among those that
    the constraints on it allow. A subclass supplies both searches.

    Attributes:
        system_name: Of the component's factory, without `_parser`.
        sentences: "joint" to find open sentence boundaries, or "preset".
        decoder: What is asked of the search.
    """

    system_name: str
    sentences: Sentences
    decoder: DecoderSettings
    _finder: SentenceFinder

    def _search(
        self, rows: Tensor, lengths: Tensor, arcs: Tensor, sentences: SentenceBatch
    ) -> Found:
        """Find the highest-scoring trees. rows, lengths: what `_rows` returns; arcs: their scores,
        see `ParserNet.score_arcs`."""
        raise NotImplementedError

    def _search_allowed(
        self,
        rows: Tensor,
        lengths: Tensor,
        arcs: Tensor,
        sentence: SentenceBatch,
        allowed: AllowedTrees,
    ) -> Found | None:
        """`_search` among the allowed trees of the only sentence; None if there are none that the
        parser can build."""
        raise NotImplementedError

    def predict(self, docs: Iterable[Doc]) -> list[Parse]:
        """Parse Docs without changing them.

        Args:
            docs: With the sentence boundaries and the constraints that are known; see
                `DependencyConstraints`.

        Returns:
            Their parses.

        Raises:
            ConstraintError: If constraints are malformed, or the parser can build no tree that
                meets them.
        """
        docs = list(docs)
        if not docs:
            return []
        constraints = self._constraints(docs)
        with torch.no_grad():
            vectors = self.encode(docs)
            tokens = self._segment(docs, vectors, constraints)
            sentences = split_sentences(tokens)
            constrained = constraints.in_sentences(tokens, sentences)
            found = no_trees(self.decoder.n_trees, sentences)
            sure = Confidence.certain(len(sentences.words))
            labels = np.full(found.heads.shape, NO_HEAD, dtype=np.int64)
            for chosen in sentences.parts():
                part = sentences.select(chosen)
                words = chosen[sentences.sentence]
                limits = constrained.select(chosen)
                best, numbers = self._parse(vectors, part, limits)
                labels[:, words] = numbers
                found.heads[:, words] = best.heads
                found.scores[:, chosen] = best.scores
                if self.decoder.confidence:
                    certainty = self.confidence(vectors, part, best.heads[0], numbers[0])
                    sure.put(words, certainty)
        trees = [
            self._labels.decode(sentences, heads, of_tree)
            for heads, of_tree in zip(found.heads, labels, strict=True)
        ]
        return make_parses(tokens, sentences, trees, found, sure, self.decoder, self.vocab.strings)

    def _constraints(self, docs: Sequence[Doc]) -> BatchConstraints:
        """The constraints on Docs. Raises ConstraintError if some cannot be met by this parser."""
        constraints = read_constraints(docs, self.keep, self.label_data)
        if constraints and not self._labels.plain:
            raise ConstraintError(
                f"{self.name}: a pseudo-projective parser cannot keep to constraints, because the "
                "arcs that it builds are moved in the end. Take another parser."
            )
        return constraints

    def _segment(
        self,
        docs: Sequence[Doc],
        vectors: Tensor,
        constraints: BatchConstraints = NO_CONSTRAINTS,
    ) -> TokenBatch:
        """The tokens of Docs, in the sentences that are set or found. vectors: what `encode`
        returns."""
        scorers = [(self, vectors)] if self.finds_sentences else []
        return self._finder.find(docs, scorers, constraints)

    @property
    def finds_sentences(self) -> bool:
        """Whether open sentence boundaries are found: not if the parser was trained without."""
        return self.sentences == "joint" and self._net.finds_sentences

    def report(self) -> None:
        """Warn of sentences that were cut because they had too many words."""
        self._finder.report()

    def best_heads(
        self,
        vectors: Tensor,
        sentences: SentenceBatch,
        constrained: ConstrainedSentences = UNCONSTRAINED,
    ) -> NDArray[np.int32]:
        """Find the heads of all words in the highest-scoring trees.

        Args:
            vectors: What `encode` returns.
            sentences: Of the same Docs.
            constrained: Those of them that there are constraints on. Where the parser can build no
                allowed tree, the best of all trees is found.

        Returns:
            int32 [n_words], in the sentence.
        """
        rows, lengths = self._rows(vectors, sentences)
        found = self._search(rows, lengths, self._net.score_arcs(rows, lengths), sentences)
        enforce(found, sentences, constrained, partial(self._search_one, vectors))
        return found.heads[0]

    def _parse(
        self, vectors: Tensor, sentences: SentenceBatch, constrained: ConstrainedSentences
    ) -> tuple[Found, NDArray[np.int64]]:
        """The best trees and the numbers of their labels, NO_HEAD for the root's: [n_trees,
        n_words]. vectors: what `encode` returns; sentences, constrained: of the same Docs."""
        rows, lengths = self._rows(vectors, sentences)
        found = self._search(rows, lengths, self._net.score_arcs(rows, lengths), sentences)
        search = partial(self._search_one, vectors)
        failed = enforce(found, sentences, constrained, search)
        check_all_enforced(failed, search, self.name, self.system_name)
        allowed = constrained.allowed_labels(sentences)
        labels = [self._predict_labels(rows, sentences, heads, allowed) for heads in found.heads]
        return found, np.stack(labels)

    def _search_one(
        self, vectors: Tensor, sentence: SentenceBatch, allowed: AllowedTrees
    ) -> Found | None:
        """`_search_allowed` for one sentence. vectors: what `encode` returns."""
        rows, lengths = self._rows(vectors, sentence)
        arcs = self._net.score_arcs(rows, lengths)
        return self._search_allowed(rows, lengths, arcs, sentence, allowed)
