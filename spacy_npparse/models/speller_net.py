"""The torch network of `spacy_npparse.Speller.v1`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from spacy_npparse.models.layers import BiLSTM
from spacy_npparse.models.upload import upload

# The numbers of the beginning of a word, of unknown characters, and of the first other character.
BEGIN, UNKNOWN, FIRST_CHAR = 0, 1, 2
# The number of previous edits that the edit of a character depends on.
_N_BEFORE = 2
_EMBEDDING_STD = 0.1


@dataclass(frozen=True)
class SpellingBatch:
    """Words to spell. A cell is the beginning of a word or one of its characters.

    Attributes:
        chars: int64 [n_cells], the number of each character.
        lengths: int64 [n_words], the number of cells of each word.
        tags: int64 [sum of n_tags], the numbers of the tags, one word after another.
        n_tags: int64 [n_words], the number of tags of each word.
    """

    chars: NDArray[np.int64]
    lengths: NDArray[np.int64]
    tags: NDArray[np.int64]
    n_tags: NDArray[np.int64]

    @property
    def starts(self) -> NDArray[np.int64]:
        """The first cell of each word, [n_words]."""
        return np.cumsum(self.lengths) - self.lengths


class SpellerNet(nn.Module):
    """A network that assigns an edit to each character of a form, from left to right.

    A BiLSTM reads the characters together with the tags of the word. The edit of a character
    depends on its vector, the tags and the two previous edits.

    Args:
        char_width: The width of the character embeddings.
        tag_width: The width of the embeddings of tags.
        hidden_size: The width of one direction of the BiLSTM, and of the hidden layer.
        n_chars: The number of characters.
        n_tags: The number of tags.
        n_edits: The number of edits.

    Attributes:
        dropout: The dropout rate at the inputs and outputs of the BiLSTM, and of the hidden layer.
        tag_dropout: The rate at which single tags are hidden in training, because predicted tags
            may be wrong.
        char_dropout: The rate at which characters are replaced by an unknown one in training.

    Source: Makarov and Clematide (2018) for string transduction with previous edits as features.
    """

    def __init__(
        self,
        char_width: int,
        tag_width: int,
        hidden_size: int,
        n_chars: int,
        n_tags: int,
        n_edits: int,
    ):
        super().__init__()
        self.n_edits = n_edits
        self.dropout = 0.0
        self.tag_dropout = 0.0
        self.char_dropout = 0.0
        self.char_embedding = nn.Embedding(n_chars, char_width)
        self.tag_embedding = nn.Embedding(n_tags, tag_width)
        self.lstm = BiLSTM(char_width + tag_width, hidden_size, depth=1)
        self.hidden = nn.Linear(2 * hidden_size + tag_width, hidden_size)
        # The last row stands for the edits before the beginning.
        self.before = nn.ModuleList(
            nn.Embedding.from_pretrained(
                torch.randn(n_edits + 1, hidden_size) * _EMBEDDING_STD, freeze=False
            )
            for _ in range(_N_BEFORE)
        )
        self.output = nn.Linear(hidden_size, n_edits)

    def forward(self, batch: SpellingBatch, edits: NDArray[np.int64]) -> Tensor:
        """Score the edits of words, given the previous edits.

        Args:
            batch: The words.
            edits: int64 [n_cells], the correct edit of each cell.

        Returns:
            [n_cells], the log-probabilities of these edits.
        """
        hidden = self.encode(batch)
        right, starts = (upload(numbers, hidden.device) for numbers in (edits, batch.starts))
        before = right
        for embedding in self.before:
            before = before.roll(1).index_fill(0, starts, self.n_edits)
            hidden = hidden + embedding(before)
        return -nn.functional.cross_entropy(self._score(hidden), right, reduction="none")

    def encode(self, batch: SpellingBatch) -> Tensor:
        """Encode the cells of words, without previous edits.

        Args:
            batch: The words.

        Returns:
            [n_cells, hidden_size], the hidden vectors.
        """
        device = self.output.weight.device
        words = np.repeat(np.arange(len(batch.lengths)), batch.lengths)
        first_tags = np.cumsum(batch.n_tags) - batch.n_tags
        chars, tags, words_of_cells, first_tags_of_words = (
            upload(numbers, device) for numbers in (batch.chars, batch.tags, words, first_tags)
        )
        weights = None
        if self.training:
            is_dropped = torch.rand(len(chars), device=device) < self.char_dropout
            chars = chars.masked_fill(is_dropped & (chars != BEGIN), UNKNOWN)
            weights = (torch.rand(len(tags), device=device) >= self.tag_dropout).float()
        of_words = nn.functional.embedding_bag(
            tags,
            self.tag_embedding.weight,
            first_tags_of_words,
            mode="sum",
            per_sample_weights=weights,
        )
        of_cells = of_words.index_select(0, words_of_cells)
        self.lstm.dropout = self.dropout
        vectors = torch.cat([self.char_embedding(chars), of_cells], dim=1)
        vectors = self.lstm(vectors, batch.lengths)
        return self.hidden(torch.cat([vectors, of_cells], dim=1))

    def best(self, hidden: Tensor, lengths: NDArray[np.int64]) -> Tensor:
        """Choose the most probable edit of each character in turn.

        Args:
            hidden: [n_cells, hidden_size], the vectors that `encode` returned.
            lengths: int64 [n_words], the number of cells of each word.

        Returns:
            int64 [n_cells], the edits.
        """
        edits = torch.zeros(len(hidden), dtype=torch.int64, device=hidden.device)
        before = [edits.new_full((len(lengths),), self.n_edits)] * _N_BEFORE
        for cells in _steps(lengths, hidden.device):
            vectors = hidden.index_select(0, cells)
            for embedding, edit in zip(self.before, before, strict=True):
                vectors += embedding(edit[: len(cells)])
            chosen = self._score(vectors).argmax(dim=1)
            edits[cells] = chosen
            before = [chosen, *before[:-1]]
        return edits

    def _score(self, hidden: Tensor) -> Tensor:
        activated = nn.functional.dropout(hidden.tanh(), self.dropout, self.training)
        scores: Tensor = self.output(activated)
        return scores


def _steps(lengths: NDArray[np.int64], device: torch.device) -> Iterator[Tensor]:
    """Iterate over the first cells of all words, the second cells of words that have one, and so
    on, with the longest words first."""
    order = np.argsort(-lengths, kind="stable")
    starts = upload((np.cumsum(lengths) - lengths)[order], device)
    n_words = np.searchsorted(-lengths[order], -np.arange(lengths.max()), side="left")
    for step, n in enumerate(n_words.tolist()):
        yield starts[:n] + step
