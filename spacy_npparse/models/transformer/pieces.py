"""Word pieces, and the words that they belong to."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, NamedTuple
from unicodedata import normalize

import numpy as np
import srsly
from numpy.typing import NDArray
from thinc.api import Model, deserialize_attr, serialize_attr

from spacy_npparse.extras import optional_module
from spacy_npparse.models.forms import text_as_read
from spacy_npparse.passages import Passage

Ints = NDArray[np.int64]


class PassagePieces(NamedTuple):
    """The pieces of a passage.

    A word may have several pieces, and a piece may belong to several words. Words of white space
    and words of characters that the encoder ignores have no pieces.

    Attributes:
        pieces: int64 [n_pieces], the numbers of the pieces.
        words: int64 [n_pairs], the word of each pair of a piece and a word.
        places: int64 [n_pairs], the index of the piece of each pair, in ascending order.
    """

    pieces: Ints
    words: Ints
    places: Ints


class Pieces:
    """A tokenizer that cuts words into pieces, read from the tokenizer.json of an encoder.

    Args:
        contents: The content of that file.
        ends: The pieces at the beginning and the end of a sequence; None to take them from the
            file.

    Attributes:
        ends: The pieces at the beginning and the end of a sequence.
    """

    def __init__(self, contents: str = "", ends: tuple[int, int] | None = None):
        self._compressed = zlib.compress(contents.encode("utf8"))
        if ends is None and contents:
            first, last = self._tokenizer.encode("").ids
            ends = first, last
        self.ends = ends or (0, 0)

    def __deepcopy__(self, memo: Any) -> Pieces:
        return self

    def __getstate__(self) -> tuple[bytes, tuple[int, int]]:
        return self._compressed, self.ends

    def __setstate__(self, state: tuple[bytes, tuple[int, int]]) -> None:
        self.__dict__.clear()
        self._compressed, self.ends = state

    @cached_property
    def _tokenizer(self) -> Any:
        tokenizer = optional_module("tokenizers").Tokenizer.from_str(self._contents)
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer

    @property
    def _contents(self) -> str:
        return zlib.decompress(self._compressed).decode("utf8")

    @property
    def n_pieces(self) -> int:
        """The number of pieces, or a greater number if some are unused."""
        return 1 + max(self._tokenizer.get_vocab(with_added_tokens=True).values())

    def cut_to(self, lines: Iterable[str] | None) -> tuple[Pieces, Ints]:
        """Remove the pieces that a text does not need.

        Single characters are kept, from which all other words can be made.

        Args:
            lines: The lines of the text; None to keep all pieces.

        Returns:
            The tokenizer with the remaining pieces, and their numbers in this one. All pieces are
            kept if they are byte pairs, which are made of each other.
        """
        data = json.loads(self._contents)
        vocabulary = data["model"].get("vocab")
        kind = data["model"].get("type")
        if lines is None or kind not in ("Unigram", "WordPiece"):
            return self, np.arange(self.n_pieces)
        kept = {*self.ends}
        for line in lines:
            text = _composed(" ".join(line.split()))
            # A row of CoNLL-U may have enough capitals to be read in lower case, unlike its word.
            for one in {text, text_as_read(text)}:
                kept.update(self._tokenizer.encode(one, add_special_tokens=False).ids)
        if kind == "Unigram":
            kept.add(data["model"]["unk_id"])
            kept.update(n for n, (piece, _) in enumerate(vocabulary) if len(piece) == 1)
        else:
            kept.add(vocabulary[data["model"]["unk_token"]])
            prefix = data["model"]["continuing_subword_prefix"]
            kept.update(n for p, n in vocabulary.items() if len(p.removeprefix(prefix)) == 1)
        order = sorted(kept)
        new = {old: number for number, old in enumerate(order)}
        if kind == "Unigram":
            data["model"]["vocab"] = [vocabulary[old] for old in order]
            data["model"]["unk_id"] = new[data["model"]["unk_id"]]
        else:
            data["model"]["vocab"] = {p: new[n] for p, n in vocabulary.items() if n in new}
        added = [one for one in data["added_tokens"] if one["id"] in new]
        data["added_tokens"] = [{**one, "id": new[one["id"]]} for one in added]
        data["post_processor"] = None
        first, last = self.ends
        return Pieces(json.dumps(data), (new[first], new[last])), np.array(order, dtype=np.int64)

    def cut(self, passage: Passage) -> PassagePieces:
        """Cut the words of a passage.

        Args:
            passage: The words of the passage.

        Returns:
            The pieces, without those at both ends.
        """
        words = list(map(_composed, passage))
        text = text_as_read("".join(words))
        encoding = self._tokenizer.encode(text, add_special_tokens=False)
        spans = np.array(encoding.offsets, dtype=np.int64).reshape(-1, 2)
        starts, ends = _bounds(words)
        # The first word of each piece, and the word after its last one.
        first = np.searchsorted(ends, spans[:, 0], side="right")
        behind = np.searchsorted(starts, spans[:, 1], side="left")
        n_words = np.maximum(behind - first, 0)
        places = np.repeat(np.arange(len(spans)), n_words)
        order = np.arange(len(places)) - np.repeat(np.cumsum(n_words) - n_words, n_words)
        return PassagePieces(np.array(encoding.ids, dtype=np.int64), first[places] + order, places)


def _composed(text: str) -> str:
    """Compose characters (NFC), and replace lone surrogates."""
    return normalize("NFC", text.encode("utf8", "replace").decode("utf8"))


def _bounds(passage: Sequence[str]) -> tuple[Ints, Ints]:
    """Find the first character of each word, and the one after its last, without the space."""
    ends = np.cumsum([len(word) for word in passage])
    starts = np.append(0, ends[:-1])
    return starts, starts + [len(word.rstrip(" ")) for word in passage]


@serialize_attr.register(Pieces)
def _save(_: Pieces, value: Pieces, name: str, model: Model) -> bytes:
    saved: bytes = srsly.msgpack_dumps(value.__getstate__())
    return saved


@deserialize_attr.register(Pieces)
def _load(default: Pieces, value: bytes, name: str, model: Model) -> Pieces:
    compressed, (first, last) = srsly.msgpack_loads(value)
    loaded = Pieces()
    loaded.__setstate__((compressed, (first, last)))
    return loaded
