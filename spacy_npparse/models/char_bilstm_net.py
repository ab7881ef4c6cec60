"""The torch network of `spacy_npparse.CharBiLSTM.v1`."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_packed_sequence

from .layers import BiLSTM

# A word seen once in a treebank of 10,000 words is read from its characters in half of the cases.
RARE_FREQUENCY = 1e-4
# Share of the words whose whole vector is dropped in training.
BLOCK_DROPOUT = 0.1


@dataclass(frozen=True)
class WordBatch:
    """The words of some Docs, stored once per distinct form.

    chars: int64 [n_forms, max n_chars], rows of the character table, 0 after the end.
    n_chars: int64 [n_forms].
    words: uint64 [n_forms], hash of the lower-cased form.
    form_of_word: int64 [n_words], row of the form of each word.
    lengths: words per sequence, all positive.
    """

    chars: numpy.ndarray
    n_chars: numpy.ndarray
    words: numpy.ndarray
    form_of_word: numpy.ndarray
    lengths: Sequence[int]


class WordVocabulary(nn.Module):
    """Row numbers of words, given in the order in which training meets them.

    Counts are kept too: a word's relative frequency tells how rare it is, whatever the number of
    epochs. Row 0 stands for unknown words and for those that came after the table was full.
    """

    def __init__(self, n_rows: int):
        super().__init__()
        self.register_buffer("keys", torch.zeros(n_rows, dtype=torch.int64))
        self.register_buffer("counts", torch.zeros(n_rows, dtype=torch.float64))
        self._rows: dict[int, int] | None = None

    def rows(self, words: numpy.ndarray, counts: numpy.ndarray | None = None) -> numpy.ndarray:
        """int64 [n] rows of words (uint64 hashes [n]); counted as seen if counts ([n]) are given,
        which also enters new words."""
        keys = words.astype(numpy.int64).tolist()
        if self._rows is None:
            known = self.keys.tolist()
            self._rows = {key: row for row, key in enumerate(known) if key}
        if counts is not None:
            for key in keys:
                if key not in self._rows and len(self._rows) + 1 < len(self.keys):
                    self._rows[key] = len(self._rows) + 1
                    self.keys[self._rows[key]] = key
        rows = numpy.array([self._rows.get(key, 0) for key in keys], dtype=numpy.int64)
        if counts is not None:
            self.counts.index_add_(
                0, torch.from_numpy(rows).to(self.counts.device), torch.from_numpy(counts).to(self.counts)
            )
        return rows

    def frequencies(self, rows: Tensor) -> Tensor:
        """Relative frequency of the words of some rows among all words seen in training."""
        return self.counts[rows] / self.counts.sum().clamp(min=1.0)

    def _load_from_state_dict(self, *args: object, **kwargs: object) -> None:
        super()._load_from_state_dict(*args, **kwargs)  # type: ignore[arg-type]
        self._rows = None


class CharBiLSTMNet(nn.Module):
    """Word and character embeddings under a word-level BiLSTM.

    Arguments: see `spacy_npparse.models.char_bilstm.CharBiLSTM`.
    """

    def __init__(
        self,
        width: int,
        depth: int,
        word_width: int,
        word_rows: int,
        char_width: int,
        char_depth: int,
        char_rows: int,
    ):
        super().__init__()
        self.vocabulary = WordVocabulary(word_rows)
        self.word_embedding = nn.Embedding(word_rows, word_width, padding_idx=0)
        self.char_embedding = nn.Embedding(char_rows, char_width, padding_idx=0)
        nn.init.normal_(self.word_embedding.weight, std=0.1)
        nn.init.normal_(self.char_embedding.weight, std=0.1)
        self.char_lstm = BiLSTM(char_width, (word_width + 1) // 2, char_depth)
        self.char_output = nn.Linear(2 * ((word_width + 1) // 2), word_width)
        self.word_lstm = BiLSTM(word_width, width // 2, depth)

    def set_dropout(self, rate: float) -> None:
        """Set the dropout rate of the LSTMs' inputs and outputs."""
        self.word_lstm.dropout.rate = rate
        self.char_lstm.dropout.rate = rate

    def forward(self, batch: WordBatch) -> Tensor:
        """Encode all words: [n_words, width], in the order of the batch."""
        vectors = self.embed(batch)
        packed, _ = self.word_lstm(vectors.split(list(batch.lengths)))
        padded, lengths = pad_packed_sequence(packed, batch_first=True)
        inside = torch.arange(padded.shape[1])[None, :] < lengths[:, None]
        return padded[inside.to(padded.device)]

    def embed(self, batch: WordBatch) -> Tensor:
        """Vectors of the words before they see each other: [n_words, word_width]."""
        device = self.word_embedding.weight.device
        form_of_word = torch.from_numpy(batch.form_of_word).to(device)
        counts = numpy.bincount(batch.form_of_word, minlength=len(batch.words))
        rows = self.vocabulary.rows(batch.words, counts if self.training else None)
        row_of_word = torch.from_numpy(rows).to(device)[form_of_word]
        by_chars = row_of_word == 0
        if self.training:
            frequency = self.vocabulary.frequencies(row_of_word)
            keep = frequency / (frequency + RARE_FREQUENCY)
            by_chars |= torch.rand(keep.shape, device=device, dtype=keep.dtype) >= keep
        vectors = self.word_embedding(row_of_word)
        if bool(by_chars.any()):
            forms, which = form_of_word[by_chars].unique(return_inverse=True)
            spelled = self.embed_chars(batch, forms.cpu())[which]
            vectors = vectors.masked_scatter(by_chars[:, None], spelled)
        if self.training:
            present = torch.rand(len(vectors), 1, device=device) >= BLOCK_DROPOUT
            vectors = vectors * present
        return vectors

    def embed_chars(self, batch: WordBatch, forms: Tensor) -> Tensor:
        """Vectors of forms (int64 [n] rows of the batch) from their characters: [n, word_width]."""
        n_chars = torch.from_numpy(batch.n_chars)[forms]
        chars = torch.from_numpy(batch.chars)[forms].to(self.char_embedding.weight.device)
        embedded = self.char_embedding(chars)
        _, final = self.char_lstm([e[:n] for e, n in zip(embedded, n_chars.tolist())])
        return torch.tanh(self.char_output(final))
