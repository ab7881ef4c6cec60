"""The torch network of `spacy_npparse.CharBiLSTM.v1`."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from spacy_npparse.models.layers import BiLSTM
from spacy_npparse.models.upload import upload
from spacy_npparse.models.windows import cut_into_windows
from spacy_npparse.models.word_vocabulary import WordVocabulary

# The maximum number of words in a window. Training shows one or a few sentences at a time, and in
# longer sequences, more context makes the vectors worse. Windows have as much context on either
# side.
WINDOW = 128
CONTEXT = 32


@dataclass(frozen=True)
class WordBatch:
    """The words of some Docs, stored once for each different form.

    Attributes:
        chars: int64 [n_forms, max n_chars], rows of the character table, 0 for padding.
        n_chars: int64 [n_forms], the number of characters of each form.
        affixes: int64 [n_forms, n_affixes], rows of the affix table.
        words: uint64 [n_forms], the hash of each form.
        form_of_word: int64 [n_words], the row of each word's form.
        lengths: The number of words in each sequence, all positive.
    """

    chars: NDArray[np.int64]
    n_chars: NDArray[np.int64]
    affixes: NDArray[np.int64]
    words: NDArray[np.uint64]
    form_of_word: NDArray[np.int64]
    lengths: Sequence[int]


class CharBiLSTMNet(nn.Module):
    """A BiLSTM over sums of word embeddings and vectors of spellings.

    Args:
        width: The width of the output vectors, both directions together.
        depth: The number of layers of the LSTM over words.
        word_width: The width of the word embeddings.
        word_rows: The number of rows of the word table.
        char_width: The width of the character embeddings, and of one direction of the LSTM over
            characters.
        char_rows: The number of rows of the character table.
        affix_width: The width of the embedding of each affix.
        affix_rows: The number of rows of the table of each affix.
        n_affixes: The number of affixes of each word.
        n_treebanks: The number of treebanks with an embedding.
        beside_width: The width of additional input vectors, such as those of a transformer.
    """

    def __init__(
        self,
        width: int,
        depth: int,
        word_width: int,
        word_rows: int,
        char_width: int,
        char_rows: int,
        affix_width: int,
        affix_rows: int,
        n_affixes: int,
        n_treebanks: int = 0,
        beside_width: int = 0,
    ):
        super().__init__()
        self.block_dropout = 0.0
        self.affix_dropout = 0.0
        self.vocabulary = WordVocabulary(word_rows)
        self.word_embedding = nn.Embedding(word_rows, word_width)
        self.char_embedding = nn.Embedding(char_rows, char_width, padding_idx=0)
        self.affix_embedding = nn.Embedding(affix_rows * n_affixes, affix_width)
        nn.init.normal_(self.word_embedding.weight, std=0.3)
        self.treebank_embedding = (
            # Initialized with zeros, the embeddings would hardly learn to distinguish treebanks.
            nn.Parameter(0.3 * torch.randn(n_treebanks, word_width)) if n_treebanks else None
        )
        # Affixes that never occur in training must not have an effect.
        nn.init.zeros_(self.affix_embedding.weight)
        self.char_lstm = BiLSTM(char_width, char_width, depth=1)
        self.spelling = nn.Linear(2 * char_width + n_affixes * affix_width, word_width)
        self.norm = nn.LayerNorm(word_width)
        self.word_lstm = BiLSTM(word_width + beside_width, width // 2, depth)

    def set_dropout(self, rate: float, block_rate: float, spelling_rate: float) -> None:
        """Set the dropout rates.

        Args:
            rate: The rate at the inputs and outputs of the word-level LSTM.
            block_rate: The rate of whole words.
            spelling_rate: The rate of affixes, and at the inputs and outputs of the character-level
                LSTM.
        """
        self.word_lstm.dropout = rate
        self.block_dropout = block_rate
        self.char_lstm.dropout = self.affix_dropout = spelling_rate

    def forward(
        self,
        batch: WordBatch,
        static: Tensor | None = None,
        treebanks: NDArray[np.float32] | None = None,
        beside: Tensor | None = None,
    ) -> Tensor:
        """Encode all words.

        Args:
            batch: The words.
            static: [n_words, word_width], the projection of each word's static vector, which is
                added to its embedding.
            treebanks: [n_sequences, n_treebanks], the weights of treebanks in each sequence.
            beside: [n_words, beside_width], additional input vectors of the LSTM.

        Returns:
            [n_words, width], the vectors in the order of the batch.
        """
        vectors = self.embed(batch)
        if static is not None:
            vectors = vectors + static
        if treebanks is not None and self.treebank_embedding is not None:
            vectors = vectors + self.embed_treebanks(treebanks, batch.lengths)
        vectors = self.norm(vectors)
        if beside is not None:
            vectors = torch.cat([vectors, beside], dim=1)
        if self.training and self.block_dropout:
            mask = torch.rand(len(vectors), 1, device=vectors.device) >= self.block_dropout
            vectors = vectors * mask
        if max(batch.lengths) <= WINDOW + 2 * CONTEXT:
            return self.word_lstm(vectors, batch.lengths)
        windows = cut_into_windows(batch.lengths, WINDOW, CONTEXT)
        rows, centres = (
            upload(numbers, vectors.device) for numbers in (windows.rows, windows.centres)
        )
        outputs = self.word_lstm(vectors.index_select(0, rows), windows.lengths)
        return outputs.index_select(0, centres)

    def embed_treebanks(self, weights: NDArray[np.float32], lengths: Sequence[int]) -> Tensor:
        """Embed the treebanks of sequences.

        Args:
            weights: [n_sequences, n_treebanks], the weights of treebanks in each sequence.
            lengths: The number of words in each sequence.

        Returns:
            [n_words, word_width], the treebank embedding of each word.
        """
        assert self.treebank_embedding is not None
        device = self.treebank_embedding.device
        embeddings = upload(weights, device) @ self.treebank_embedding
        sequence = np.repeat(np.arange(len(lengths)), lengths)
        return embeddings.index_select(0, upload(sequence, device))

    def embed(self, batch: WordBatch) -> Tensor:
        """Embed words without context.

        Args:
            batch: The words.

        Returns:
            [n_words, word_width], the embeddings.
        """
        device = self.word_embedding.weight.device
        rows = self.vocabulary.rows(batch.words)
        kept = (rows > 0)[batch.form_of_word]
        if self.training:
            times = np.bincount(batch.form_of_word, minlength=len(batch.words))
            occurrences = self.vocabulary.count(batch.words, times)[batch.form_of_word]
            draws = torch.rand(len(kept), dtype=torch.float64).numpy()
            kept &= draws < self.vocabulary.keep_probability(occurrences)
        own = self.word_embedding(upload(rows[batch.form_of_word], device))
        spelled = self.spell(batch).index_select(0, upload(batch.form_of_word, device))
        return spelled + own * upload(kept, device)[:, None]

    def spell(self, batch: WordBatch) -> Tensor:
        """Embed the forms of a batch by their spelling.

        Args:
            batch: The words.

        Returns:
            [n_forms, word_width], the vectors of the forms.
        """
        device = self.char_embedding.weight.device
        vectors = self.char_embedding(upload(batch.chars[batch.chars > 0], device))
        by_chars = self.char_lstm.last_states(vectors, batch.n_chars)
        affixes = self.affix_embedding(upload(batch.affixes, device))
        affixes = nn.functional.dropout1d(affixes, self.affix_dropout, self.training)
        return self.spelling(torch.cat([by_chars, affixes.flatten(1)], dim=1))
