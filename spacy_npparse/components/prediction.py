"""The steps from Docs to parses that `DependencyParser` and `EnsembleParser` share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from spacy.language import Language
from spacy.strings import StringStore
from spacy.tokens import Doc

from spacy_npparse.components.constraints.batch import BatchConstraints, ConstrainedSentences
from spacy_npparse.components.docs import (
    Parse,
    TokenBatch,
    tree_parses,
    with_confidence,
    with_ranked,
    write_parse,
)
from spacy_npparse.components.labels import Labels
from spacy_npparse.components.settings import Keep
from spacy_npparse.parsing import Confidence, Found, SentenceBatch
from spacy_npparse.parsing.batch import Bools
from spacy_npparse.parsing.settings import ConfidenceSettings
from spacy_npparse.trees.missing import NO_LABEL

# The vectors and arcs of a batch are in memory at the same time.
_MOST_WORDS = 20_000


class LabelledTrees(NamedTuple):
    """The best trees of some sentences.

    Attributes:
        found: The trees.
        labels: int64 [n_trees, n_words], the numbers of plain labels, NO_LABEL for the root's.
        confidence: The confidence in the best trees; None if it is not kept.
    """

    found: Found
    labels: NDArray[np.int64]
    confidence: Confidence | None


def parse_sentences(
    tokens: TokenBatch,
    constraints: BatchConstraints | None,
    parse: Callable[[SentenceBatch, ConstrainedSentences | None], LabelledTrees],
    labels: Labels,
    strings: StringStore,
    decoder: ConfidenceSettings,
) -> list[Parse]:
    """Parse the sentences of Docs in parts of similar length, and assemble the parses of the Docs.

    Args:
        tokens: The tokens of the Docs, with their sentences.
        constraints: The constraints on the Docs; None if there are none.
        parse: A function that finds the trees of a part.
        labels: The labels of the trees.
        strings: The string store of the Docs.
        decoder: The settings of the search.

    Returns:
        A parse for each Doc.
    """
    sentences = tokens.sentences()
    constrained = constraints.in_sentences(tokens, sentences) if constraints else None
    parts = sentences.parts()
    if len(parts) == 1:
        trees = parse(sentences, constrained)
    else:
        trees = _joined(
            sentences,
            parts,
            [
                parse(sentences.select(part), constrained.select(part) if constrained else None)
                for part in parts
            ],
        )
    ranks = [
        tree_parses(tokens, sentences, heads, labels.hashes(of_tree), strings)
        for heads, of_tree in zip(trees.found.heads, trees.labels, strict=True)
    ]
    parses = ranks[0]
    if decoder.confidence and trees.confidence is not None:
        parses = with_confidence(parses, tokens, sentences, trees.confidence)
    if decoder.keeps_trees:
        parses = with_ranked(parses, tokens, sentences, ranks, trees.found.scores, strings)
    return parses


def _joined(
    sentences: SentenceBatch, parts: Sequence[Bools], trees: Sequence[LabelledTrees]
) -> LabelledTrees:
    """Join the trees of parts. parts: bool [n_sentences] each."""
    n_trees = len(trees[0].labels) if trees else 1
    found = Found.none(n_trees, sentences)
    labels = np.full(found.heads.shape, NO_LABEL, dtype=np.int64)
    confidence = Confidence.certain(len(sentences.words))
    for part, one in zip(parts, trees, strict=True):
        words = part[sentences.sentence]
        found.put(sentences, part, one.found)
        labels[:, words] = one.labels
        if one.confidence is not None:
            confidence.put(words, one.confidence)
    return LabelledTrees(found, labels, confidence)


class ParserPipe:
    """A component that parses Docs in batches.

    Attributes:
        decoder: The settings of the search.
        keep: Whether heads and labels of a Doc are kept, see `ParserSettings`.
    """

    name: str
    decoder: ConfidenceSettings
    keep: Keep
    get_error_handler: Callable[[], Callable[..., Any]]
    set_error_handler: Callable[[Callable[..., Any]], None]

    def predict(self, docs: Iterable[Doc]) -> list[Parse]:
        """Parse Docs without changing them.

        Args:
            docs: The Docs, which may have sentence boundaries and `DependencyConstraints`.

        Returns:
            A parse for each Doc.

        Raises:
            ConstraintError: Constraints are malformed, or the parser can build no tree that meets
                them.
        """
        raise NotImplementedError

    def report(self) -> None:
        """Warn about sentences that could not be parsed as requested since the last report."""
        raise NotImplementedError

    def set_annotations(self, docs: Iterable[Doc], parses: Iterable[Parse]) -> None:
        """Write parses to their Docs.

        Args:
            docs: The Docs.
            parses: The parses that `predict` returned.
        """
        for doc, parse in zip(docs, parses, strict=True):
            write_parse(doc, parse)

    def __call__(self, doc: Doc) -> Doc:
        """Parse one Doc.

        Args:
            doc: The Doc, which may have sentence boundaries and constraints.

        Returns:
            The same Doc, parsed.
        """
        for _ in self.pipe([doc]):
            pass
        return doc

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Parse a stream of Docs in batches and in order, and report at the end.

        If a batch fails, its Docs are parsed one by one, so that the error handler gets only those
        that fail by themselves.

        Args:
            stream: The Docs.
            batch_size: The number of Docs in a batch.

        Yields:
            The parsed Docs.
        """
        try:
            for docs in _batches(stream, batch_size):
                try:
                    self.set_annotations(docs, self.predict(docs))
                except Exception:
                    yield from self._pipe_one_by_one(docs)
                else:
                    yield from docs
        finally:
            self.report()

    def _pipe_one_by_one(self, docs: Sequence[Doc]) -> Iterator[Doc]:
        error_handler = self.get_error_handler()
        for doc in docs:
            try:
                self.set_annotations([doc], self.predict([doc]))
            except Exception as error:
                error_handler(self.name, self, [doc], error)
            else:
                yield doc


def _batches(stream: Iterable[Doc], batch_size: int) -> Iterator[list[Doc]]:
    """Divide a stream into batches of a number of Docs, and of `_MOST_WORDS` words at most, unless
    a single Doc has more. `minibatch_by_words` of spaCy would change the order of such Docs."""
    batch: list[Doc] = []
    n_words = 0
    for doc in stream:
        if batch and (len(batch) == batch_size or n_words + len(doc) > _MOST_WORDS):
            yield batch
            batch, n_words = [], 0
        batch.append(doc)
        n_words += len(doc)
    if batch:
        yield batch


def keep_confidence(nlp: Language) -> int:
    """Let all parsers of a pipeline keep their confidence.

    Args:
        nlp: The pipeline.

    Returns:
        The number of parsers of this package in the pipeline.
    """
    parsers = [parser for _, parser in nlp.pipeline if isinstance(parser, ParserPipe)]
    for parser in parsers:
        parser.decoder = replace(parser.decoder, confidence=True)
    return len(parsers)
