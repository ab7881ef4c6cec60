"""Batches of sentences: the places of their words, their scores, and the trees found.

All operations are vectorised over a batch. With short sentences, a few numpy calls for each of them
would take longer than parsing.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from thinc.api import get_torch_default_device
from torch import Tensor

from spacy_npparse.models.grouping import cheapest_groups
from spacy_npparse.models.parser_net import ArcVectors, ParserNet
from spacy_npparse.models.upload import upload
from spacy_npparse.trees.missing import NO_HEAD

# The maximum number of arcs that are scored at once on the CPU, unless a sentence alone has more.
# Their scores take half a megabyte and stay in the cache. A GPU, which is slow with small batches,
# may use a 64th of its memory, at about 256 bytes for an arc.
MAX_ARCS = 2**17
_GPU_BYTES_PER_ARC = 64 * 256
# The fixed cost of a part, as a share of the arcs that can be scored at once.
_PARTS_PER_LIMIT = 4

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
NetT = TypeVar("NetT", bound=ParserNet)


@dataclass(frozen=True)
class SentenceBatch:
    """Sentences to parse. A sentence has one row for its root, followed by one row for each word.

    Attributes:
        words: int64 [n_words], the token of each word.
        lengths: int32 [n_sentences], the number of words of each sentence, all positive.
        n_tokens: The number of tokens of all Docs.
        upos: int64 [n_tokens], the part of speech of each token as a number; None if unknown.
    """

    words: Ints
    lengths: NDArray[np.int32]
    n_tokens: int
    upos: Ints | None = None

    @cached_property
    def sentence(self) -> Ints:
        """The number of each word's sentence: int64 [n_words]."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)

    @cached_property
    def roots(self) -> Ints:
        """The row of the root of each word's sentence: int64 [n_words]."""
        sizes = self.lengths.astype(np.int64) + 1
        return (np.cumsum(sizes) - sizes)[self.sentence]

    @cached_property
    def rows(self) -> Ints:
        """The row of each word: int64 [n_words]."""
        return np.arange(1, len(self.words) + 1) + self.sentence

    @cached_property
    def places(self) -> Ints:
        """The number of each word in its sentence, from 1: int64 [n_words]."""
        return self.rows - self.roots

    @cached_property
    def tokens(self) -> Ints:
        """The token of each row, and `n_tokens` for a root: int64 [n_rows]."""
        tokens = np.full(len(self.words) + len(self.lengths), self.n_tokens, dtype=np.int64)
        tokens[self.rows] = self.words
        return tokens

    def slices(self) -> list[slice]:
        """The words of each sentence."""
        bounds = np.concatenate([[0], np.cumsum(self.lengths)]).tolist()
        return [slice(start, end) for start, end in pairwise(bounds)]

    def parts(self) -> list[Bools]:
        """Divide the batch into parts of sentences of similar length, whose arcs can be scored at
        once with little padding and memory; see `max_arcs`.

        Returns:
            A mask for each part: bool [n_sentences].
        """
        if len(self.lengths) == 1:
            return [np.ones(1, dtype=bool)]
        limit = max_arcs(get_torch_default_device())

        def cost(n_sentences: Ints, _shortest: Ints, longest: Ints) -> NDArray[np.float64]:
            return n_sentences * (longest + 1.0) ** 2 + limit / _PARTS_PER_LIMIT

        parts = []
        for group in cheapest_groups(self.lengths, cost):
            size = max(1, limit // (int(self.lengths[group[-1]]) + 1) ** 2)
            for start in range(0, len(group), size):
                chosen = np.zeros(len(self.lengths), dtype=bool)
                chosen[group[start : start + size]] = True
                parts.append(chosen)
        return parts

    def select(self, kept: Bools) -> SentenceBatch:
        """Select some of the sentences.

        Args:
            kept: bool [n_sentences], whether each sentence is selected.

        Returns:
            The selected sentences.
        """
        if kept.all():
            return self
        words = self.words[kept[self.sentence]]
        return replace(self, words=words, lengths=self.lengths[kept])

    def take(self, numbers: Ints) -> SentenceBatch:
        """Take sentences by their numbers, with repetition.

        Args:
            numbers: int64 [n], the numbers of sentences.

        Returns:
            n sentences.
        """
        words = self.words[self.words_of(numbers)]
        return replace(self, words=words, lengths=self.lengths[numbers])

    def words_of(self, numbers: Ints) -> Ints:
        """Find the indices of the words of some sentences.

        Args:
            numbers: int64 [n], the numbers of sentences, with repetition.

        Returns:
            int64 [number of words of these sentences].
        """
        return _taken(self.lengths, numbers)

    def score_trees(self, arcs: Tensor, heads: NDArray[np.int32]) -> Tensor:
        """Score trees by their arcs.

        Args:
            arcs: [n_sentences, size, size], the scores of arcs, dependents in the second dimension.
            heads: int32 [n_words], the heads within the sentences.

        Returns:
            [n_words], the scores of the arcs.
        """
        places = (self.sentence, self.places, heads.astype(np.int64))
        # Torch takes indices on the CPU for scores on any device.
        sentence, word, head = map(torch.from_numpy, places)
        return arcs[sentence, word, head]

    def in_sentence(self, token_heads: Ints) -> Ints:
        """Convert heads from tokens to words of the same sentence.

        Args:
            token_heads: int64 [n_tokens], the head of each token, a root's being its own; NO_HEAD
                if unknown.

        Returns:
            int64 [n_words], 0 for the root, NO_HEAD if unknown or outside the sentence.
        """
        row_of_token = np.full(self.n_tokens + 1, NO_HEAD, dtype=np.int64)
        row_of_token[self.words] = self.rows
        own_heads = token_heads[self.words]
        heads = row_of_token[own_heads] - self.roots
        inside = (heads > 0) & (heads <= self.lengths[self.sentence])
        return np.where(own_heads == self.words, 0, np.where(inside, heads, NO_HEAD))


def _taken(sizes: NDArray[np.int32], numbers: Ints) -> Ints:
    """Find the indices of the elements of some consecutive parts with these sizes, with
    repetition."""
    first_places = np.cumsum(sizes, dtype=np.int64) - sizes
    taken = sizes[numbers]
    moves = first_places[numbers] - (np.cumsum(taken, dtype=np.int64) - taken)
    return np.arange(taken.sum()) + np.repeat(moves, taken)


def max_arcs(device: torch.device) -> int:
    """Compute the number of arcs that can be scored at once on a device.

    Args:
        device: The CPU or a GPU.

    Returns:
        The number, which grows with the memory of a GPU.
    """
    if device.type != "cuda":
        return MAX_ARCS
    memory = torch.cuda.get_device_properties(device).total_memory
    return max(MAX_ARCS, memory // _GPU_BYTES_PER_ARC)


@dataclass(frozen=True)
class EncodedTokens(Generic[NetT]):
    """The tokens of several Docs, encoded by a network.

    Attributes:
        net: The network.
        vectors: [n_tokens + 1, width], the vectors of all tokens and, last, of the root.
        arc_vectors: The projections of the vectors that score arcs; None in training, where each
            root has its own dropout mask.
    """

    net: NetT
    vectors: Tensor
    arc_vectors: ArcVectors | None = None
    _scored_last: dict[bytes, ScoredBatch[NetT]] = field(default_factory=dict, init=False)

    def score(self, sentences: SentenceBatch) -> ScoredBatch[NetT]:
        """Score all arcs of sentences.

        Args:
            sentences: Sentences of these tokens.

        Returns:
            The scored sentences.
        """
        # If a text is one sentence, the search for sentences has scored the same arcs.
        key = sentences.tokens.tobytes()
        if key not in self._scored_last:
            self._scored_last.clear()
            self._scored_last[key] = self._score(sentences)
        return replace(self._scored_last[key], sentences=sentences)

    def _score(self, sentences: SentenceBatch) -> ScoredBatch[NetT]:
        tokens = torch.from_numpy(sentences.tokens)
        lengths = torch.from_numpy(sentences.lengths).long()
        of_rows = tokens.to(self.vectors.device, non_blocking=self.vectors.is_cuda)
        rows = self.vectors.index_select(0, of_rows)
        if self.arc_vectors is None:
            arcs = self.net.score_arcs(rows, lengths)
        else:
            arcs = self.net.score_arcs(self.arc_vectors, lengths, tokens)
        return ScoredBatch(self.net, sentences, rows, arcs)

    def score_starts(self, before: Ints, after: Ints) -> NDArray[np.float64]:
        """Score the boundaries between adjacent words.

        Args:
            before: int64 [n], the last token of the sentence that would end.
            after: int64 [n], the first token of the sentence that would start.

        Returns:
            float64 [n], the log-odds of the boundaries.
        """
        scores = self.net.score_starts(self.vectors, before, after)
        return scores.cpu().double().numpy()


@dataclass(frozen=True)
class ScoredBatch(Generic[NetT]):
    """Sentences with the vectors of their words and the scores of their arcs.

    Attributes:
        net: The network that scores the sentences and the parts of trees.
        sentences: The sentences.
        rows: [n_rows, width], the vectors of each sentence's root and words.
        arcs: [n_sentences, size, size], the log-probabilities of heads, see `ParserNet.score_arcs`.
    """

    net: NetT
    sentences: SentenceBatch
    rows: Tensor
    arcs: Tensor

    @cached_property
    def lengths(self) -> Tensor:
        """The number of words of each sentence, on the CPU: int64 [n_sentences]."""
        return torch.from_numpy(self.sentences.lengths).long()

    @cached_property
    def known(self) -> dict[Any, Any]:
        """A cache of what searches have computed for these sentences."""
        return {}

    @cached_property
    def projected_for_labels(self) -> tuple[Tensor, Tensor]:
        """The projections of the words as heads and as dependents, see `ParserNet.score_labels`."""
        return self.net.label_head(self.rows), self.net.label_dependent(self.rows)

    def select(self, kept: Bools) -> ScoredBatch[NetT]:
        """Select some of the sentences.

        Args:
            kept: bool [n_sentences], whether each sentence is selected, at least one of them.

        Returns:
            The selected sentences.
        """
        if kept.all():
            return self
        return self._with_rows(np.flatnonzero(kept))[0]

    def take(self, numbers: Ints) -> ScoredBatch[NetT]:
        """Take sentences by their numbers, with repetition.

        Args:
            numbers: int64 [n], the numbers of sentences.

        Returns:
            n sentences.
        """
        taken, rows = self._with_rows(numbers)
        projected = tuple(part.index_select(0, rows) for part in self.projected_for_labels)
        # Avoids computing the projections again.
        taken.__dict__["projected_for_labels"] = projected
        return taken

    def _with_rows(self, numbers: Ints) -> tuple[ScoredBatch[NetT], Tensor]:
        """Take sentences by their numbers, and find their rows."""
        device = self.arcs.device
        rows = upload(_taken(self.sentences.lengths + 1, numbers), device)
        size = int(self.sentences.lengths[numbers].max()) + 1
        taken = ScoredBatch(
            self.net,
            self.sentences.take(numbers),
            self.rows.index_select(0, rows),
            self.arcs[upload(numbers, device), :size, :size],
        )
        return taken, rows

    def alone(self, number: int) -> ScoredBatch[NetT]:
        """Take one sentence.

        Args:
            number: The number of the sentence.
        """
        return self.select(np.arange(len(self.sentences.lengths)) == number)


class Found(NamedTuple):
    """The trees of some sentences, in descending order of their scores.

    Attributes:
        heads: int32 [n_trees, n_words], the heads within the sentences; NO_HEAD where fewer trees
            were found.
        scores: float64 [n_trees, n_sentences], the log-probability of each tree or, if scores are
            not normalised, the score of its best derivation; 0 in greedy search, which does not
            score trees; -inf where there is no tree, or one that the search cannot score.
    """

    heads: NDArray[np.int32]
    scores: NDArray[np.float64]

    @classmethod
    def none(cls, n_trees: int, sentences: SentenceBatch) -> Found:
        """Allocate an empty result.

        Args:
            n_trees: The number of trees of each sentence.
            sentences: The sentences.

        Returns:
            A result without trees.
        """
        n_words = len(sentences.words)
        return cls(
            np.full((n_trees, n_words), NO_HEAD, dtype=np.int32),
            np.full((n_trees, len(sentences.lengths)), -np.inf),
        )

    @classmethod
    def by_arcs(cls, sentences: SentenceBatch, heads: NDArray[np.int32], arcs: Tensor) -> Found:
        """Score trees by their arcs alone.

        Args:
            sentences: The sentences.
            heads: int32 [n_words], the heads within the sentences.
            arcs: [n_sentences, size, size], the scores of arcs, dependents in the second dimension.

        Returns:
            The trees. Their scores are the sums of the scores of their arcs.
        """
        by_arc = sentences.score_trees(arcs, heads).cpu().numpy()
        totals = np.zeros(len(sentences.lengths))
        np.add.at(totals, sentences.sentence, by_arc)
        return cls(heads[None], totals[None])

    def select(self, sentences: SentenceBatch, kept: Bools) -> Found:
        """Select the trees of some sentences.

        Args:
            sentences: All sentences.
            kept: bool [n_sentences], whether each sentence is selected.
        """
        return Found(self.heads[:, kept[sentences.sentence]], self.scores[:, kept])

    def put(self, sentences: SentenceBatch, chosen: Bools, part: Found) -> None:
        """Copy the trees of a part of the sentences.

        Args:
            sentences: All sentences.
            chosen: bool [n_sentences], whether each sentence is in the part.
            part: The trees of the part.
        """
        self.heads[:, chosen[sentences.sentence]] = part.heads
        self.scores[:, chosen] = part.scores
