"""Lines of a file, read unit by unit in bounded memory. A unit that is too large is skipped in
pieces."""

from __future__ import annotations

import codecs
import hashlib
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from typing import NamedTuple, Protocol

# By default, a pipeline accepts a million characters.
MOST_BYTES = 2**24
READ_AT_ONCE = 2**16


class LineSource(Protocol):
    """A source of lines, such as a file that is open for binary reading."""

    def readline(self, size: int, /) -> bytes:
        """Read the next line with its end, or at most `size` bytes of it; empty at the end of the
        file."""


class Oversized(NamedTuple):
    """A unit of more than `MOST_BYTES`.

    Attributes:
        n_bytes: The number of bytes in the unit.
        n_lines: The number of lines in the unit.
        n_characters: The number of characters in the unit, without a byte order mark at the
            beginning.
        checksum: The SHA-256 checksum of the unit's bytes.
    """

    n_bytes: int
    n_lines: int
    n_characters: int
    checksum: bytes


class BoundedLines(Iterator[bytes]):
    """The lines of a file up to a unit that is too large, and from there after a call of
    `oversized`.

    Args:
        source: The file, positioned at the beginning of a unit.
        is_blank: A function that checks whether a line is blank.
        each_line: Whether each line that is not blank is a unit. Otherwise, blank lines separate
            units.
    """

    def __init__(
        self, source: LineSource, is_blank: Callable[[bytes], bool], *, each_line: bool
    ) -> None:
        self._source = source
        self._is_blank = is_blank
        self._each_line = each_line
        # The lines of a complete unit, with blank lines before it.
        self._lines: deque[bytes] = deque()
        self._oversized: Oversized | None = None

    def __next__(self) -> bytes:
        if not self._lines and self._oversized is None:
            self._read_unit()
        if not self._lines:
            raise StopIteration
        return self._lines.popleft()

    def oversized(self) -> Oversized | None:
        """Return the unit that is too large and at which the lines have stopped. They continue
        after it. None at the end of the file."""
        found, self._oversized = self._oversized, None
        return found

    def _read_unit(self) -> None:
        ends = self._end_of_unit()
        n_bytes = 0
        while line := self._source.readline(MOST_BYTES + 1 - n_bytes):
            self._lines.append(line)
            n_bytes += len(line)
            if n_bytes > MOST_BYTES:
                self._oversized = self._read_past()
                return
            if ends(line):
                return

    def _read_past(self) -> Oversized:
        """Skip the rest of a unit."""
        checksum = hashlib.sha256()
        decode = codecs.getincrementaldecoder("utf-8")("surrogateescape").decode
        n_bytes = n_lines = n_characters = 0
        if self._lines[0].startswith(codecs.BOM_UTF8):
            n_characters = -1
        ends = self._end_of_unit()
        begun, self._lines = self._lines, deque()
        for piece in chain(begun, iter(partial(self._source.readline, READ_AT_ONCE), b"")):
            checksum.update(piece)
            n_bytes += len(piece)
            n_lines += piece.endswith(b"\n")
            n_characters += len(decode(piece))
            if ends(piece):
                break
        return Oversized(n_bytes, n_lines, n_characters, checksum.digest())

    def _end_of_unit(self) -> Callable[[bytes], bool]:
        """Make a function that checks whether a unit ends with a line, given one piece of the line
        after another."""
        begun = False
        is_whole = True

        def ends(piece: bytes) -> bool:
            nonlocal begun, is_whole
            is_blank = is_whole and self._is_blank(piece)
            is_whole = piece.endswith(b"\n")
            found = (begun or not is_blank) and is_whole if self._each_line else begun and is_blank
            begun = begun or not is_blank
            return found

        return ends
