"""The spellings of word forms, as rows of the tables of characters and affixes."""

from __future__ import annotations

from functools import cache
from threading import Lock
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from spacy.strings import StringStore

# The affixes of the lower-cased form: suffixes of 1 to 4 characters, prefixes of 2 and 4.
AFFIXES = (slice(-1, None), slice(-2, None), slice(-3, None), slice(-4, None), slice(2), slice(4))


class Spellings:
    """A cache of spellings, because most words of a batch have occurred before.

    Forms are identified by their hashes, which are the same in all vocabularies.

    Args:
        max_chars: The maximum number of characters that are read.
        char_rows: The number of rows of the character table.
        affix_rows: The number of rows of the table of each affix.
        most_forms: The maximum number of cached forms, unless more are looked up at once. By
            default, they take a few megabytes, and cover most of the words of most texts.
    """

    def __init__(self, max_chars: int, char_rows: int, affix_rows: int, most_forms: int = 2**15):
        self._max_chars = max_chars
        self._char_rows = char_rows
        self._affix_rows = affix_rows
        self._most_forms = most_forms
        self._lock = Lock()
        self._forget()

    def __len__(self) -> int:
        """The number of cached forms."""
        return len(self._numbers)

    def look_up(
        self, forms: NDArray[np.uint64], strings: StringStore
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Look forms up.

        Args:
            forms: uint64 [n_forms], the hashes of different forms.
            strings: The string store that contains the forms.

        Returns:
            The fields chars, n_chars and affixes of a `WordBatch`.
        """
        keys = forms.tolist()
        with self._lock:
            new = [key for key in keys if key not in self._numbers]
            if len(self._numbers) + len(new) > self._most_forms:
                self._forget()
                new = keys
            if new:
                self._add(new, [strings[key] for key in new])
            numbers = np.array([self._numbers[key] for key in keys], dtype=np.int64)
            n_chars = self._n_chars[numbers]
            return self._chars[numbers, : n_chars.max()], n_chars, self._affixes[numbers]

    def _forget(self) -> None:
        self._numbers: dict[int, int] = {}
        self._chars = np.zeros((0, self._max_chars), dtype=np.int64)
        self._n_chars = np.zeros(0, dtype=np.int64)
        self._affixes = np.zeros((0, len(AFFIXES)), dtype=np.int64)

    def _add(self, keys: list[int], texts: list[str]) -> None:
        """Add forms to the cache."""
        first, end = len(self._numbers), len(self._numbers) + len(keys)
        if end > len(self._chars):
            size = max(2 * len(self._chars), end)
            self._chars, self._n_chars, self._affixes = (
                np.concatenate([table, np.zeros((size - first, *table.shape[1:]), dtype=np.int64)])
                for table in (self._chars[:first], self._n_chars[:first], self._affixes[:first])
            )
        for number, text in enumerate(texts, first):
            spelling = _shorten(text, self._max_chars)
            # Row 0 is padding. Neighbouring code points, which belong to one script, never share a
            # row.
            rows = [1 + ord(char) % (self._char_rows - 1) for char in spelling]
            self._chars[number, : len(rows)] = rows
            self._n_chars[number] = len(rows)
            self._affixes[number] = _rows_of_affixes(text.lower(), self._affix_rows)
        # The rows are complete, even if this is interrupted.
        self._numbers.update(zip(keys, range(first, end), strict=True))


@cache
def shared_spellings(max_chars: int, char_rows: int, affix_rows: int) -> Spellings:
    """Find the cache that all encoders with the same tables share.

    Args:
        max_chars: The maximum number of characters that are read.
        char_rows: The number of rows of the character table.
        affix_rows: The number of rows of the table of each affix.

    Returns:
        The cache.
    """
    return Spellings(max_chars, char_rows, affix_rows)


def _shorten(word: str, max_chars: int) -> str:
    if len(word) <= max_chars:
        return word
    tail = max_chars // 2
    return word[: max_chars - tail] + word[len(word) - tail :]


def _rows_of_affixes(text: str, n_rows: int) -> list[int]:
    """Find the rows of the affixes of a lower-cased form. Each affix has n_rows rows of its own."""
    return [
        i * n_rows + crc32(text[affix].encode("utf8", "surrogatepass")) % n_rows
        for i, affix in enumerate(AFFIXES)
    ]
