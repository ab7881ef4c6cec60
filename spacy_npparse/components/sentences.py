"""Sentences of Docs, laid out in rows as the models and the kernel want them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy
from numpy.typing import NDArray
from spacy.attrs import IS_SPACE, SENT_START
from spacy.tokens import Doc


@dataclass(frozen=True)
class SentenceBatch:
    """The sentences of some Docs. A sentence has one row for its root and one for each word.

    words: for each sentence the tokens that are words, int64, counted through all the Docs.
    n_tokens: tokens of all the Docs.
    """

    words: list[NDArray[numpy.int64]]
    n_tokens: int

    @property
    def lengths(self) -> NDArray[numpy.int32]:
        """Words of each sentence: int32 [n_sentences]."""
        return numpy.array([len(words) for words in self.words], dtype=numpy.int32)

    @property
    def tokens(self) -> NDArray[numpy.int64]:
        """The token of each row; `n_tokens` for a root: int64 [n_rows]."""
        root = numpy.array([self.n_tokens], dtype=numpy.int64)
        parts = [part for words in self.words for part in (root, words)]
        return numpy.concatenate(parts) if parts else numpy.zeros(0, dtype=numpy.int64)

    @property
    def roots(self) -> NDArray[numpy.int64]:
        """The row of the root of each sentence: int64 [n_sentences]."""
        lengths = self.lengths.astype(numpy.int64) + 1
        return numpy.cumsum(lengths) - lengths


def sentence_numbers(doc: Doc, starts: NDArray[numpy.bool_] | None = None) -> NDArray[numpy.int64]:
    """The number of the sentence of each token, from 0: int64 [len(doc)].

    A Doc without boundaries is one sentence. A sentence without words (only whitespace) is joined
    to the one before it, or at the beginning to the one after it.

    starts: where sentences start, if not where the Doc says so.
    """
    values = doc.to_array([SENT_START, IS_SPACE])
    if starts is None:
        starts = values[:, 0] == 1
    numbers = numpy.cumsum(starts)
    has_words = numpy.zeros(int(numbers[-1]) + 1 if len(doc) else 0, dtype=bool)
    has_words[numbers[values[:, 1] == 0]] = True
    return numpy.maximum(numpy.cumsum(has_words)[numbers] - 1, 0)


def split_sentences(docs: Sequence[Doc]) -> SentenceBatch:
    """The sentences of Docs by the boundaries that are set in them."""
    return batch_sentences(docs, [sentence_numbers(doc) for doc in docs])


def batch_sentences(
    docs: Sequence[Doc], numbers: Sequence[NDArray[numpy.int64]]
) -> SentenceBatch:
    """The sentences of Docs, given the number of the sentence of each token of each Doc."""
    words = []
    offset = 0
    for doc, number in zip(docs, numbers):
        is_word = numpy.flatnonzero(doc.to_array(IS_SPACE) == 0)
        if len(is_word):
            breaks = numpy.flatnonzero(numpy.diff(number[is_word])) + 1
            words.extend(numpy.split(is_word + offset, breaks))
        offset += len(doc)
    return SentenceBatch(words=words, n_tokens=offset)
