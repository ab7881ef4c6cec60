"""The division of a corpus into shards, in one pass over the files."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from spacy_npparse.scaling.inputs import Input, InputError
from spacy_npparse.scaling.units import Position, Reading, Unit, UnitReader, check_is_text
from spacy_npparse.treebank import Paragraph


class Shard(NamedTuple):
    """Consecutive units of a corpus, from one file or several.

    Attributes:
        number: The number of the shard, from 0.
        begin: The position where the shard begins.
        n_units: The number of units in the shard.
        n_words: The approximate number of words in the shard.
        checksum: The SHA-256 checksum of the units.
    """

    number: int
    begin: Position
    n_units: int
    n_words: int
    checksum: str

    @property
    def name(self) -> str:
        """The name of the shard's file without suffix. The alphabetical order of names is that of
        the corpus."""
        return f"{self.number:08d}"


class ChangedInputError(InputError):
    """A file that has changed since the shards were planned."""


def plan(inputs: Sequence[Input], options: Reading, words_per_shard: int) -> Iterator[Shard]:
    """Divide a corpus into shards of similar size, between units.

    Args:
        inputs: The files.
        options: The settings of reading.
        words_per_shard: The number of words after which a shard ends with the current unit.

    Yields:
        The shards in order.

    Raises:
        InputError: A file is damaged or has no text.
    """
    number = n_units = n_words = 0
    begin = end = Position()
    content = hashlib.sha256()
    words_of_file = [0] * len(inputs)
    units_of_file = [0] * len(inputs)
    for _, unit in UnitReader(list(inputs), options).read(begin):
        if unit.end.unit == 1 and isinstance(unit.content, Paragraph):
            check_is_text(unit.raw, str(inputs[unit.end.file].path))
        if n_units == 0:
            begin = end if end.file == unit.end.file else Position(unit.end.file)
        end = unit.end
        n_units += 1
        n_words += unit.n_words
        words_of_file[end.file] += unit.n_words
        units_of_file[end.file] += 1
        content.update(unit.raw)
        if n_words >= words_per_shard:
            yield Shard(number, begin, n_units, n_words, content.hexdigest())
            number, n_units, n_words, content = number + 1, 0, 0, hashlib.sha256()
    if n_units:
        yield Shard(number, begin, n_units, n_words, content.hexdigest())
    for one, n_units, n_words in zip(inputs, units_of_file, words_of_file, strict=True):
        if n_units and n_words == 0 and one.kind == ".jsonl":
            raise InputError(
                f"{one.path}: no record has a text under the key {options.text_key!r}. Give "
                "--text-key, or leave the file out."
            )
    if not any(words_of_file):
        raise InputError("There is no text in these files. Give others.")


def units_of_shard(shard: Shard, reader: UnitReader) -> list[tuple[Input, Unit]]:
    """Read the units of a shard.

    Args:
        shard: The shard.
        reader: The reader of the corpus.

    Returns:
        The units of the shard with their files.

    Raises:
        ChangedInputError: The units are not those that were planned.
    """
    units = list(islice(reader.read(shard.begin), shard.n_units))
    content = hashlib.sha256(b"".join(unit.raw for _, unit in units)).hexdigest()
    if len(units) < shard.n_units or content != shard.checksum:
        files = " or ".join(str(path) for path in dict.fromkeys(one.path for one, _ in units))
        raise ChangedInputError(
            f"{files or 'A file'} has changed since the shards were planned. Restore it, or give "
            "another folder to write to."
        )
    return units
