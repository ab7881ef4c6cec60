"""Pieces of words, and which words they belong to."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from thinc.api import Model, deserialize_attr, serialize_attr

from spacy_npparse.extras import optional_module
from spacy_npparse.passages import Passage

Ints = NDArray[np.int64]


class PassagePieces(NamedTuple):
    """The pieces of a passage.

    A word has several pieces, and a piece may belong to several words. Words of white space, and of
    characters that the encoder leaves out, have none.

    Attributes:
        pieces: int64 [n_pieces], their numbers.
        words: int64 [n_pairs]: of each pair of a piece and its word, the word,
        places: int64 [n_pairs]: and the place of the piece, in ascending order.
    """

    pieces: Ints
    words: Ints
    places: Ints


class Pieces:
    """Cuts words into pieces, as the tokenizer.json of an encoder says.

    Args:
        contents: Of that file.
    """

    def __init__(self, contents: str = ""):
        self._compressed = zlib.compress(contents.encode("utf8")) if contents else b""

    def __deepcopy__(self, memo: Any) -> Pieces:
        return self

    def __getstate__(self) -> bytes:
        return self._compressed

    def __setstate__(self, compressed: bytes) -> None:
        self._compressed = compressed

    @cached_property
    def _tokenizer(self) -> Any:
        contents = zlib.decompress(self._compressed).decode("utf8")
        tokenizer = optional_module("tokenizers").Tokenizer.from_str(contents)
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer

    @cached_property
    def ends(self) -> tuple[int, int]:
        """The pieces at the beginning and the end of a sequence.

        Raises:
            ValueError: If they are not two.
        """
        first, last = self._tokenizer.encode("").ids
        return first, last

    @property
    def n_pieces(self) -> int:
        """The number of pieces, or more if not all numbers are used."""
        return 1 + max(self._tokenizer.get_vocab(with_added_tokens=True).values())

    def cut(self, passage: Passage) -> PassagePieces:
        """Cut the words of a passage.

        Args:
            passage: The words.

        Returns:
            Their pieces, without those at both ends.
        """
        # Lone surrogates are no text.
        text = "".join(passage).encode("utf8", "replace").decode("utf8")
        encoding = self._tokenizer.encode(text, add_special_tokens=False)
        spans = np.array(encoding.offsets, dtype=np.int64).reshape(-1, 2)
        starts, ends = _bounds(passage)
        # Of each piece, the first of its words and the one behind its last.
        first = np.searchsorted(ends, spans[:, 0], side="right")
        behind = np.searchsorted(starts, spans[:, 1], side="left")
        n_words = np.maximum(behind - first, 0)
        places = np.repeat(np.arange(len(spans)), n_words)
        order = np.arange(len(places)) - np.repeat(np.cumsum(n_words) - n_words, n_words)
        return PassagePieces(np.array(encoding.ids, dtype=np.int64), first[places] + order, places)


def _bounds(passage: Sequence[str]) -> tuple[Ints, Ints]:
    """The first character of each word, and the one behind its last, without the space."""
    ends = np.cumsum([len(word) for word in passage])
    starts = np.append(0, ends[:-1])
    return starts, starts + [len(word.rstrip(" ")) for word in passage]


@serialize_attr.register(Pieces)
def _save(_: Pieces, value: Pieces, name: str, model: Model) -> bytes:
    return value.__getstate__()


@deserialize_attr.register(Pieces)
def _load(default: Pieces, value: bytes, name: str, model: Model) -> Pieces:
    loaded = Pieces()
    loaded.__setstate__(value)
    return loaded
