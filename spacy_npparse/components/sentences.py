"""Sentences of Docs, laid out in rows as the models and the kernel take them.

Everything is vectorised over the batch: with short Docs, a few numpy calls for each of them would
cost more than parsing them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray
from spacy.attrs import IS_SPACE, SENT_START
from spacy.tokens import Doc
from thinc.api import get_torch_default_device

from spacy_npparse.models.grouping import cheapest_groups
from spacy_npparse.trees.missing import NO_HEAD

# Most scores of arcs that are computed at once on the CPU (half a megabyte, which stays in its
# cache), except for a longer sentence. A GPU, which is slow with small batches, may use a 64th of
# its memory, at some 256 bytes for an arc.
_MAX_ARCS = 2**17
_GPU_BYTES_PER_ARC = 64 * 256
# A part costs as much as this share of the arcs that can be scored at once, besides its own arcs.
_PARTS_PER_LIMIT = 4

_ATTRIBUTES = [SENT_START, IS_SPACE]

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class TokenBatch:
    """The tokens of some Docs, counted through all of them.

    Attributes:
        offsets: int64 [n_docs + 1], the first token of each Doc, and the end of the last.
        sentence: int64 [n_tokens], number of the sentence of each token, ascending.
        is_word: bool [n_tokens], False for whitespace.
        is_open: bool [n_tokens], words of which the Doc does not say whether they start a sentence.
    """

    offsets: NDArray[np.int64]
    sentence: NDArray[np.int64]
    is_word: NDArray[np.bool_]
    is_open: NDArray[np.bool_]

    @property
    def starts(self) -> NDArray[np.bool_]:
        """Where sentences start: bool [n_tokens]."""
        return np.diff(self.sentence, prepend=-1) > 0

    def slices(self) -> list[slice]:
        """The tokens of each Doc."""
        bounds = self.offsets.tolist()
        return [slice(start, end) for start, end in pairwise(bounds)]

    @property
    def first_words(self) -> NDArray[np.int64]:
        """The first word of each sentence that has words: int64 [n_sentences]."""
        words = np.flatnonzero(self.is_word)
        return words[np.diff(self.sentence[words], prepend=-1) > 0]

    def adjacent_words(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """All pairs of adjacent words of a Doc, where a sentence can end and the next one start:
        the tokens of the first and of the second words, int64 [n_pairs] each."""
        words = np.flatnonzero(self.is_word)
        doc = np.searchsorted(self.offsets, words, side="right")
        same = doc[1:] == doc[:-1]
        return words[:-1][same], words[1:][same]

    def with_starts(self, starts: NDArray[np.bool_]) -> "TokenBatch":
        """Cut the Docs into other sentences.

        Args:
            starts: bool [n_tokens], where they start.

        Returns:
            The tokens, in these sentences.
        """
        sizes = np.diff(self.offsets)
        first_tokens = self.offsets[:-1][sizes > 0]
        starts = starts.copy()
        starts[first_tokens] = True
        sentence = _join_wordless(np.cumsum(starts) - 1, self.is_word, first_tokens)
        return replace(self, sentence=sentence, is_open=np.zeros_like(self.is_open))


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
        without much padding or memory; see `max_arcs`.

        Yields:
            The sentences of a part: bool [n_sentences].
        """
        limit = max_arcs(get_torch_default_device())

        def cost(n_sentences: Ints, _shortest: Ints, longest: np.int64) -> NDArray[np.float64]:
            return n_sentences * (longest + 1.0) ** 2 + limit / _PARTS_PER_LIMIT

        for group in cheapest_groups(self.lengths, cost):
            size = max(1, limit // (int(self.lengths[group[-1]]) + 1) ** 2)
            for start in range(0, len(group), size):
                chosen = np.zeros(len(self.lengths), dtype=bool)
                chosen[group[start : start + size]] = True
                yield chosen

    def select(self, kept: NDArray[np.bool_]) -> "SentenceBatch":
        """Keep only some of the sentences.

        Args:
            kept: bool [n_sentences].

        Returns:
            These sentences.
        """
        return SentenceBatch(self.words[kept[self.sentence]], self.lengths[kept], self.n_tokens)


def max_arcs(device: torch.device) -> int:
    """How many arcs can be scored at once on a device.

    Args:
        device: The CPU or a GPU.

    Returns:
        A number that grows with the memory of the GPU.
    """
    if device.type != "cuda":
        return _MAX_ARCS
    memory = torch.cuda.get_device_properties(device).total_memory
    return max(_MAX_ARCS, memory // _GPU_BYTES_PER_ARC)


def read_tokens(docs: Sequence[Doc]) -> TokenBatch:
    """Read the tokens of Docs and their sentences.

    A Doc without boundaries is one sentence. A sentence without words (only whitespace) is joined
    to the one before it, or at the beginning of a Doc to the one after it.

    Args:
        docs: The Docs.

    Returns:
        The tokens.
    """
    offsets = np.cumsum([0, *map(len, docs)], dtype=np.int64)
    values = np.concatenate([np.empty((0, 2)), *(doc.to_array(_ATTRIBUTES) for doc in docs)])
    is_word = values[:, 1] == 0
    is_open = is_word & (values[:, 0] == 0)
    nothing = np.zeros(len(values), dtype=np.int64)
    tokens = TokenBatch(offsets, nothing, is_word, is_open)
    tokens = tokens.with_starts(values[:, 0] == 1)
    # The first word of a sentence is known to be that, even if whitespace comes before it.
    is_open[tokens.first_words] = False
    return replace(tokens, is_open=is_open)


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


def heads_in_sentence(sentences: SentenceBatch, token_heads: Ints) -> Ints:
    """Number heads within their sentences.

    Args:
        sentences: The sentences.
        token_heads: int64 [n_tokens], what `head_tokens` returns, counted through all Docs.

    Returns:
        int64 [n_words], 0 for the root, NO_HEAD if unknown or outside the sentence.
    """
    row_of_token = np.full(sentences.n_tokens + 1, NO_HEAD, dtype=np.int64)
    row_of_token[sentences.words] = sentences.rows
    own_heads = token_heads[sentences.words]
    heads = row_of_token[own_heads] - sentences.roots
    inside = (heads > 0) & (heads <= sentences.lengths[sentences.sentence])
    return np.where(own_heads == sentences.words, 0, np.where(inside, heads, NO_HEAD))
