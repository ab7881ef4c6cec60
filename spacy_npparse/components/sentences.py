"""Sentences of Docs, laid out in rows as the models and the kernel take them.

Everything is vectorised over the batch: with short Docs, a few numpy calls for each of them would
cost more than parsing them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import IS_SPACE, SENT_START
from spacy.tokens import Doc

# Most scores of arcs that are computed at once (half a megabyte), except for a longer sentence.
_MAX_ARCS = 2**17

_ATTRIBUTES = [SENT_START, IS_SPACE]


@dataclass(frozen=True)
class TokenBatch:
    """The tokens of some Docs, counted through all of them.

    Attributes:
        offsets: int64 [n_docs + 1], the first token of each Doc, and the end of the last.
        sentence: int64 [n_tokens], number of the sentence of each token, ascending.
        is_word: bool [n_tokens], False for whitespace.
    """

    offsets: NDArray[np.int64]
    sentence: NDArray[np.int64]
    is_word: NDArray[np.bool_]

    @property
    def starts(self) -> NDArray[np.bool_]:
        """Where sentences start: bool [n_tokens]."""
        return np.diff(self.sentence, prepend=-1) > 0

    def slices(self) -> list[slice]:
        """The tokens of each Doc."""
        bounds = self.offsets.tolist()
        return [slice(start, end) for start, end in pairwise(bounds)]


@dataclass(frozen=True)
class SentenceBatch:
    """Sentences to parse. A sentence has one row for its root and then one for each word.

    Attributes:
        words: int64 [n_words], the token of each word.
        lengths: int32 [n_sentences], words of each sentence, all positive.
        n_tokens: Tokens of all the Docs.
    """

    words: NDArray[np.int64]
    lengths: NDArray[np.int32]
    n_tokens: int

    @cached_property
    def sentence(self) -> NDArray[np.int64]:
        """The sentence of each word: int64 [n_words]."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)

    @cached_property
    def roots(self) -> NDArray[np.int64]:
        """The row of the root of the sentence of each word: int64 [n_words]."""
        sizes = self.lengths.astype(np.int64) + 1
        return (np.cumsum(sizes) - sizes)[self.sentence]

    @cached_property
    def rows(self) -> NDArray[np.int64]:
        """The row of each word: int64 [n_words]."""
        return np.arange(1, len(self.words) + 1) + self.sentence

    @cached_property
    def places(self) -> NDArray[np.int64]:
        """The number of each word in its sentence, from 1: int64 [n_words]."""
        return self.rows - self.roots

    @cached_property
    def tokens(self) -> NDArray[np.int64]:
        """The token of each row; `n_tokens` for a root: int64 [n_rows]."""
        tokens = np.full(len(self.words) + len(self.lengths), self.n_tokens, dtype=np.int64)
        tokens[self.rows] = self.words
        return tokens

    def slices(self) -> list[slice]:
        """The words of each sentence."""
        bounds = np.concatenate([[0], np.cumsum(self.lengths)]).tolist()
        return [slice(start, end) for start, end in pairwise(bounds)]

    def parts(self) -> Iterator[NDArray[np.bool_]]:
        """Cut the batch into parts of sentences of similar length, whose arcs can be scored at once
        without much padding or memory.

        Yields:
            The sentences of a part: bool [n_sentences].
        """
        by_length = np.argsort(self.lengths, kind="stable")
        squares = (self.lengths[by_length].astype(np.int64) + 1) ** 2
        start = 0
        while start < len(by_length):
            padded = squares[start:] * np.arange(1, len(squares) - start + 1)
            end = start + max(1, int(np.searchsorted(padded, _MAX_ARCS, side="right")))
            chosen = np.zeros(len(by_length), dtype=bool)
            chosen[by_length[start:end]] = True
            yield chosen
            start = end

    def select(self, kept: NDArray[np.bool_]) -> "SentenceBatch":
        """Keep only some of the sentences.

        Args:
            kept: bool [n_sentences].

        Returns:
            These sentences.
        """
        return SentenceBatch(self.words[kept[self.sentence]], self.lengths[kept], self.n_tokens)


def read_tokens(docs: Sequence[Doc], starts: NDArray[np.bool_] | None = None) -> TokenBatch:
    """Read the tokens of Docs and their sentences.

    A Doc without boundaries is one sentence. A sentence without words (only whitespace) is joined
    to the one before it, or at the beginning of a Doc to the one after it.

    Args:
        docs: The Docs.
        starts: bool [n_tokens], where sentences start, if not where the Docs say so.

    Returns:
        The tokens.
    """
    sizes = np.array([len(doc) for doc in docs], dtype=np.int64)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    first_tokens = offsets[:-1][sizes > 0]
    if not len(first_tokens):
        nothing = np.zeros(0, dtype=np.int64)
        return TokenBatch(offsets, nothing, nothing.astype(bool))
    values = np.concatenate([doc.to_array(_ATTRIBUTES) for doc in docs])
    is_word = values[:, 1] == 0
    starts = values[:, 0] == 1 if starts is None else starts.copy()
    starts[first_tokens] = True
    sentence = np.cumsum(starts) - 1
    return TokenBatch(offsets, _join_wordless(sentence, is_word, first_tokens), is_word)


def _join_wordless(
    sentence: NDArray[np.int64],
    is_word: NDArray[np.bool_],
    first_tokens: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Sentence numbers, sentences without words being joined to their neighbours. first_tokens: of
    Docs."""
    if is_word.all():
        return sentence
    has_words = np.bincount(sentence[is_word], minlength=sentence[-1] + 1) > 0
    first_sentences = sentence[first_tokens]
    # A Doc without any word keeps one sentence.
    wordless = ~np.logical_or.reduceat(has_words, first_sentences)
    has_words[first_sentences[wordless]] = True
    joined = np.cumsum(has_words) - 1
    lowest = joined[first_sentences] + ~has_words[first_sentences]
    n_sentences = np.diff(first_sentences, append=len(has_words))
    return np.maximum(joined, np.repeat(lowest, n_sentences))[sentence]


def split_sentences(tokens: TokenBatch) -> SentenceBatch:
    """Lay out the sentences of a batch.

    Args:
        tokens: The batch.

    Returns:
        The sentences, except those of Docs without words.
    """
    words = np.flatnonzero(tokens.is_word)
    lengths = np.bincount(tokens.sentence[words]).astype(np.int32)
    return SentenceBatch(words, lengths[lengths > 0], len(tokens.is_word))
