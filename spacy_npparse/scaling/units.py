"""The units that a corpus is cut into: paragraphs of a text, sentences of CoNLL-U, records of JSON
lines. They are found while a file is read, and reading can begin at any of them. Those that are
too large are not held in memory."""

from __future__ import annotations

import codecs
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import IO, Any, NamedTuple

from spacy_npparse.scaling.bounds import BoundedLines, LineSource, Oversized
from spacy_npparse.scaling.inputs import Input, InputError, reading
from spacy_npparse.treebank import Paragraph, approximate_words, paragraphs_of_lines
from spacy_npparse.treebank.raw_text import n_line_ends
from spacy_npparse.treebank.reading import ConlluBlock, conllu_blocks

_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")
_CONLLU_ROW = re.compile(rb"\d+(-\d+)?(\t[^\t]+){9}")
_SKIPPED_AT_ONCE = 2**20


@dataclass(frozen=True)
class Reading:
    """The settings of reading a corpus.

    Attributes:
        lines: Whether each line of a text is a paragraph. Otherwise, blank lines separate
            paragraphs.
        text_key: The key of the text in a record.
    """

    lines: bool = False
    text_key: str = "text"


class Position(NamedTuple):
    """The position where a unit begins.

    Attributes:
        file: The index of the file.
        byte: The number of bytes before it in the decompressed file.
        line: The number of the line, from 1.
        unit: The number of units before it in the file.
        character: The number of characters before it, only in texts.
    """

    file: int = 0
    byte: int = 0
    line: int = 1
    unit: int = 0
    character: int = 0


class Record(NamedTuple):
    """A line of JSON.

    Attributes:
        raw: The line without its end.
        number: The number of the record in the file, from 1.
    """

    raw: bytes
    number: int


class Unit(NamedTuple):
    """A unit of a file.

    Attributes:
        content: The content of the unit.
        raw: The bytes of the unit, for checksums; for a unit that is too large, their checksum.
        line: The number of its first line, from 1.
        n_words: The approximate number of words.
        end: The position where the next unit begins.
    """

    content: Paragraph | ConlluBlock | Record | Oversized
    raw: bytes
    line: int
    n_words: int
    end: Position


class UnitReader:
    """A reader of the units of a corpus, from any position on.

    A compressed file can only be read from its beginning. It remains open, so that a worker that
    gets one shard after another reads it only once.

    Args:
        inputs: The files.
        options: The settings of reading.
    """

    def __init__(self, inputs: list[Input], options: Reading) -> None:
        self._inputs = inputs
        self._options = options
        self._lines: _Lines | None = None
        self._file = -1
        # The position after the units that have been read from the open file.
        self._next = Position()
        self._units: Iterator[Unit] = iter(())

    def read(self, position: Position) -> Iterator[tuple[Input, Unit]]:
        """Read units until the end of the corpus.

        Args:
            position: The position where a unit or a file begins.

        Yields:
            Units with their files.

        Raises:
            InputError: A file is damaged or missing.
        """
        while position.file < len(self._inputs):
            one = self._inputs[position.file]
            with reading(one.path):
                self._go_to(position)
            while True:
                with reading(one.path):
                    unit = next(self._units, None)
                if unit is None:
                    break
                self._next = unit.end
                yield one, unit
            position = Position(position.file + 1)

    def _go_to(self, position: Position) -> None:
        one = self._inputs[position.file]
        if self._lines is not None and self._file == position.file and self._next == position:
            return
        lines = self._lines
        if lines is None or self._file != position.file or position.byte < lines.n_bytes:
            if lines is not None:
                lines.close()
            lines = _Lines(one)
        lines.skip_to(position.byte)
        self._lines, self._file, self._next = lines, position.file, position
        self._units = read_units(lines, one, self._options, position)


class _Lines:
    """The lines of a file, and the position in it.

    Attributes:
        n_bytes: The number of bytes that have been read.
    """

    def __init__(self, one: Input) -> None:
        try:
            self._file: IO[bytes] = one.open()
        except FileNotFoundError:
            raise InputError(f"{one.path}: this file of the corpus is missing.") from None
        self._seekable = not one.is_compressed
        self.n_bytes = 0

    def readline(self, size: int, /) -> bytes:
        line = self._file.readline(size)
        self.n_bytes += len(line)
        return line

    def skip_to(self, byte: int) -> None:
        """Skip to this position."""
        if self._seekable:
            self._file.seek(byte)
            self.n_bytes = byte
        while self.n_bytes < byte:
            skipped = len(self._file.read(min(byte - self.n_bytes, _SKIPPED_AT_ONCE)))
            if skipped == 0:
                break
            self.n_bytes += skipped

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def read_units(
    source: LineSource, one: Input, options: Reading, begin: Position | None = None
) -> Iterator[Unit]:
    """Read the units of a file.

    Args:
        source: The decompressed lines with their ends, from the beginning of a unit on.
        one: The file.
        options: The settings of reading.
        begin: The position where this unit begins; by default the beginning of the file.
    """
    each_line = one.kind == ".jsonl" or (one.kind == ".txt" and options.lines)
    lines = BoundedLines(source, _IS_BLANK[one.kind], each_line=each_line)
    position = begin or Position()
    while True:
        for unit in _UNITS[one.kind](lines, position, one, options):
            position = unit.end
            yield unit
        found = lines.oversized()
        if found is None:
            return
        line = position.line
        position = Position(
            position.file,
            position.byte + found.n_bytes,
            line + found.n_lines,
            position.unit + 1,
            position.character + found.n_characters,
        )
        # The number of words is unknown, but the plan of a shard needs at least one.
        yield Unit(found, found.checksum, line, 1, position)


def _is_blank_in_text(line: bytes) -> bool:
    # A byte order mark belongs to the paragraph after it.
    line = line.removeprefix(codecs.BOM_UTF8)
    return not line.strip() or not line.decode("utf-8", "replace").strip()


def _is_blank_in_conllu(line: bytes) -> bool:
    return line in (b"\n", b"\r\n")


def check_is_text(raw: bytes, name: str) -> None:
    """Check that a text is not CoNLL-U.

    Args:
        raw: The first paragraph.
        name: The name of the file, for the message.

    Raises:
        InputError: The paragraph is a sentence in CoNLL-U.
    """
    first = next((line for line in raw.splitlines() if not line.startswith(b"#")), b"")
    if _CONLLU_ROW.fullmatch(first):
        raise InputError(f"{name}: this is CoNLL-U. Give a file whose name ends in .conllu.")


def _paragraphs(
    lines: Iterator[bytes], begin: Position, one: Input, options: Reading
) -> Iterator[Unit]:
    first = next(lines, b"")
    byte, line, character = begin.byte, begin.line, begin.character
    if byte == 0 and first.startswith(codecs.BOM_UTF8):
        byte, first = len(codecs.BOM_UTF8), first.removeprefix(codecs.BOM_UTF8)
    source = _decoded(chain([first], lines))
    found = paragraphs_of_lines(source, one.name, lines=options.lines)
    for number, paragraph in enumerate(found, begin.unit + 1):
        original = paragraph.original
        raw = original.encode("utf-8", "surrogateescape")
        paragraph = paragraph._replace(
            offset=character,
            line=begin.line + paragraph.line - 1,
            document=one.name if number == 1 else None,
        )
        byte, line = byte + len(raw), line + n_line_ends(original)
        character += len(original)
        end = Position(begin.file, byte, line, number, character)
        yield Unit(paragraph, raw, paragraph.line, paragraph.n_words, end)


def _decoded(lines: Iterable[bytes]) -> Iterator[str]:
    """Decode lines, which may also end with CR. Invalid bytes become surrogates."""
    for raw in lines:
        line = raw.decode("utf-8", "surrogateescape")
        if "\r" in line:
            yield from _LINE.findall(line)
        else:
            yield line


def _sentences(
    lines: Iterator[bytes], begin: Position, one: Input, options: Reading
) -> Iterator[Unit]:
    for number, found in enumerate(conllu_blocks(lines, one.path), begin.unit + 1):
        byte = begin.byte + found.n_bytes
        block = replace(found, first_line=begin.line + found.first_line - 1, n_bytes=byte)
        n_words = sum(row.partition(b"\t")[0].isdigit() for row in block.lines)
        line = block.first_line + len(block.lines) + 1
        end = Position(begin.file, byte, line, number)
        yield Unit(block, b"\n".join(block.lines), block.first_line, n_words, end)


def _records(
    lines: Iterator[bytes], begin: Position, one: Input, options: Reading
) -> Iterator[Unit]:
    byte, number = begin.byte, begin.unit
    for line, raw in enumerate(lines, begin.line):
        byte += len(raw)
        if raw.isspace():
            continue
        number += 1
        try:
            _, text = parse_record(raw, options.text_key)
        except ValueError:
            text = ""
        end = Position(begin.file, byte, line + 1, number)
        yield Unit(Record(raw, number), raw, line, approximate_words(text), end)


def parse_record(raw: bytes, text_key: str) -> tuple[dict[str, Any], str]:
    """Read a record of JSON lines.

    Args:
        raw: The line of the record.
        text_key: The key of its text.

    Returns:
        The other values of the record, and the text. Numbers that JSON does not allow, such as the
        NaN that Python writes, are None.

    Raises:
        ValueError: The line is not a record with a text. The message has the remedy.
    """
    try:
        record = json.loads(raw, parse_constant=_finite, parse_float=_finite)
    except RecursionError as error:
        raise ValueError("lists or objects are nested too deeply. Leave them out.") from error
    except ValueError as error:
        raise ValueError(f"not JSON ({error}). Write one object per line.") from error
    if not isinstance(record, dict):
        raise ValueError("not a JSON object. Write one object per line.")
    text = record.pop(text_key, None)
    if text is not None and not isinstance(text, str):
        raise ValueError(f"the value of {text_key!r} is not a string. Give --text-key.")
    if text is None:
        keys = ", ".join(record) or "none"
        raise ValueError(
            f"there is no text under the key {text_key!r} (others: {keys}). Give --text-key."
        )
    return record, text


def _finite(number: str) -> float | None:
    value = float(number)
    return value if math.isfinite(value) else None


_IS_BLANK: dict[str, Callable[[bytes], bool]] = {
    ".txt": _is_blank_in_text,
    ".conllu": _is_blank_in_conllu,
    ".jsonl": bytes.isspace,
}
_UNITS: dict[str, Callable[[Iterator[bytes], Position, Input, Reading], Iterator[Unit]]] = {
    ".txt": _paragraphs,
    ".conllu": _sentences,
    ".jsonl": _records,
}
