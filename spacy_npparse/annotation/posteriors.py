"""Probabilities of all heads and labels in sentences, computed by a trained parser."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import minibatch

from spacy_npparse.components.constraints.given import quoted
from spacy_npparse.components.dependency_parser import DependencyParser
from spacy_npparse.components.docs import read_tokens
from spacy_npparse.errors import UserError
from spacy_npparse.parsing import ScoredBatch
from spacy_npparse.parsing.labelling import label_probabilities
from spacy_npparse.treebank import Sentence, unannotated_doc

Ints = NDArray[np.int32]
Floats = NDArray[np.float32]
T = TypeVar("T")

_BATCH = 128


class PosteriorError(UserError, ValueError):
    """A pipeline that cannot compute the probabilities of all heads and labels. The message names
    the remedy."""


class PredictedTree(NamedTuple):
    """A predicted tree.

    Attributes:
        heads: int32 [n_words], 0 for the root.
        labels: int64 [n_words], the numbers of labels in the order of the parser's `label_data`,
            NO_LABEL for the root's.
    """

    heads: Ints
    labels: NDArray[np.int64]


@dataclass(frozen=True)
class _Part:
    """Sentences whose arcs are scored at once.

    Attributes:
        numbers: The numbers of these sentences among all.
        scored: The scored sentences.
    """

    numbers: list[int]
    scored: ScoredBatch[Any]


@dataclass(frozen=True)
class EncodedSentences:
    """Sentences, encoded by a trained parser. All lists are in the order of the sentences.

    Attributes:
        parser: The parser. Its temperatures may change, but not its weights.
        parts: Parts of the sentences.
    """

    parser: DependencyParser
    parts: Sequence[_Part]

    def heads(self) -> list[Floats]:
        """Compute the probabilities of all heads.

        Returns:
            float32 [n_words, n_words + 1] for each sentence, the probabilities of the heads of each
            word, with the root first.
        """

        def of_part(part: _Part) -> Iterator[Floats]:
            temperature = self.parser.temperatures.heads
            found = self.parser.search.head_probabilities(part.scored, temperature)
            lengths = part.scored.sentences.lengths.tolist()
            for n, of_sentence in zip(lengths, found, strict=True):
                yield of_sentence[1 : n + 1, : n + 1]

        return self._in_order(of_part)

    def trees(self) -> list[PredictedTree]:
        """Find the trees that the parser predicts."""

        def of_part(part: _Part) -> Iterator[PredictedTree]:
            found = self.parser.trees.best(part.scored)
            heads, labels = found.found.heads[0], found.labels[0]
            return (
                PredictedTree(heads[words], labels[words])
                for words in part.scored.sentences.slices()
            )

        return self._in_order(of_part)

    def labels(self, trees: Sequence[Ints]) -> list[Floats]:
        """Compute the probabilities of all labels of the arcs of some trees.

        Args:
            trees: int32 [n_words] for each sentence, the heads, below 1 for words without an arc
                and for roots.

        Returns:
            float32 [n_words, n_labels] for each sentence, in the order of the parser's
            `label_data`; 0 where there is no arc.
        """

        def of_part(part: _Part) -> Iterator[Floats]:
            heads = np.concatenate([trees[number] for number in part.numbers]).astype(np.int32)
            found = np.zeros((len(heads), len(self.parser.label_data)), dtype=np.float32)
            if (heads > 0).any():
                temperature = self.parser.temperatures.labels
                found[heads > 0] = label_probabilities(part.scored, heads, temperature)
            return (found[words] for words in part.scored.sentences.slices())

        return self._in_order(of_part)

    def vectors(self) -> Floats:
        """Compute the mean of the vectors of the words of each sentence.

        Returns:
            float32 [n_sentences, width], the means.
        """

        def of_part(part: _Part) -> Iterator[Floats]:
            sentences = part.scored.sentences
            of_words = part.scored.rows.cpu().numpy()[sentences.rows]
            return (of_words[place].mean(axis=0) for place in sentences.slices())

        return np.stack(self._in_order(of_part))

    def _in_order(self, of_part: Callable[[_Part], Iterator[T]]) -> list[T]:
        found: dict[int, T] = {}
        with torch.no_grad():
            for part in self.parts:
                found.update(zip(part.numbers, of_part(part), strict=True))
        return [found[number] for number in sorted(found)]


def encode_sentences(
    nlp: Language, sentences: Iterable[Sentence], batch_size: int = _BATCH
) -> EncodedSentences:
    """Run a pipeline up to its parser on the words of sentences, ignoring their annotation.

    Args:
        nlp: A pipeline with one parser of this package.
        sentences: The sentences.
        batch_size: The number of sentences that are encoded at once.

    Returns:
        The encoded sentences.

    Raises:
        PosteriorError: The pipeline has no suitable parser, see `parser_of`, or a component before
            the parser changes the words.
    """
    parser = parser_of(nlp)
    parts: list[_Part] = []
    first = 0
    for batch in minibatch(sentences, batch_size):
        docs = (unannotated_doc([s], nlp.vocab) for s in batch)
        with torch.no_grad():
            encoded = list(_run(nlp, parser, docs))
            _check_words(batch, encoded)
            parts += _parts(parser, encoded, first)
        first += len(batch)
    return EncodedSentences(parser, parts)


def parser_of(nlp: Language) -> DependencyParser:
    """Find the parser of a pipeline.

    Args:
        nlp: The pipeline.

    Returns:
        The parser.

    Raises:
        PosteriorError: The pipeline has no parser of this package, or several, or the parser's
            probabilities are not those of the arcs that it predicts.
    """
    parsers = [pipe for _, pipe in nlp.pipeline if isinstance(pipe, DependencyParser)]
    if len(parsers) != 1:
        raise PosteriorError(
            f"the pipeline has {len(parsers)} parsers with probabilities of all heads, but must "
            "have one; an ensemble_parser has none. Give the pipeline of a single parser."
        )
    if not parsers[0].label_set.are_plain:
        raise PosteriorError(
            f"{parsers[0].name}: its probabilities are those of projective trees, before it "
            "moves arcs (pseudo_projective). Give the pipeline of a parser without this setting."
        )
    return parsers[0]


def _run(nlp: Language, parser: DependencyParser, docs: Iterable[Doc]) -> Iterable[Doc]:
    """Run the components before the parser on Docs."""
    for _, component in nlp.pipeline:
        if component is parser:
            break
        docs = component.pipe(docs) if hasattr(component, "pipe") else map(component, docs)
    return docs


def _check_words(sentences: Sequence[Sentence], docs: Sequence[Doc]) -> None:
    for sentence, doc in zip(sentences, docs, strict=True):
        if len(doc) != len(sentence.words):
            raise PosteriorError(
                f"sentence {sentence.sent_id or quoted(doc.text)} has {len(sentence.words)} "
                f"words, but {len(doc)} when the parser gets it: a component before it merges or "
                "splits tokens, or a multiword token has fewer characters than words. Give a "
                "pipeline without that component, or leave the sentence out."
            )


def _parts(parser: DependencyParser, docs: list[Doc], first: int) -> Iterator[_Part]:
    encoded = parser.network.encode(docs)
    batch = read_tokens(docs).sentences()
    for chosen in batch.parts():
        numbers = (first + np.flatnonzero(chosen)).tolist()
        yield _Part(numbers, encoded.score(batch.select(chosen)))
