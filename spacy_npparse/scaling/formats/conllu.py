"""Shards in CoNLL-U, plain or compressed with Zstandard. Concatenated in alphabetical order, they
are one file."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

from spacy.tokens import Doc

from spacy_npparse.extras import ZSTD, optional_module
from spacy_npparse.treebank import Sentence
from spacy_npparse.treebank.reading import conllu_blocks
from spacy_npparse.treebank.sentence import conllu_text


class PlainWriter:
    """A writer of the sentences of Docs.

    Args:
        file: A file that is open for binary writing.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def add(self, doc: Doc, sentences: Sequence[Sentence]) -> None:
        self._file.write(conllu_text(sentences).encode("utf-8"))

    def close(self) -> None:
        """Do nothing, because nothing is buffered."""


class CompressedWriter(PlainWriter):
    """A writer of compressed sentences.

    Args:
        file: A file that is open for binary writing.
    """

    def __init__(self, file: IO[bytes]) -> None:
        zstd = optional_module(ZSTD)
        options = {zstd.CompressionParameter.checksum_flag: 1}
        super().__init__(zstd.ZstdFile(file, "wb", options=options))

    def close(self) -> None:
        """Write the rest of the compressor's buffer."""
        self._file.close()


def read_plain(path: Path) -> Iterator[Sentence]:
    """Read the sentences of a file.

    Args:
        path: The file.
    """
    with path.open("rb") as file:
        yield from (block.parse() for block in conllu_blocks(file, path))


def read_compressed(path: Path) -> Iterator[Sentence]:
    """Read the sentences of a compressed file.

    Args:
        path: The file.
    """
    with io.BufferedReader(optional_module(ZSTD).open(path)) as lines:
        yield from (block.parse() for block in conllu_blocks(lines, path))
