"""The formats of annotated shards, with writers and readers that return the same sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol

from spacy.tokens import Doc

from spacy_npparse.extras import PARQUET, ZSTD
from spacy_npparse.scaling.formats import conllu, docbin, parquet
from spacy_npparse.treebank import Sentence


class Writer(Protocol):
    """A writer of a shard, Doc by Doc."""

    def add(self, doc: Doc, sentences: Sequence[Sentence]) -> None:
        """Add a Doc with these sentences."""

    def close(self) -> None:
        """Complete the shard."""


@dataclass(frozen=True)
class Format:
    """A format of shards.

    Attributes:
        suffix: The suffix of the files.
        writer: A function that begins to write to a file.
        read: A function that reads the sentences of a file.
        modules: The modules of optional libraries that the format needs.
    """

    suffix: str
    writer: Callable[[IO[bytes]], Writer]
    read: Callable[[Path], Iterator[Sentence]]
    modules: tuple[str, ...] = ()


FORMATS = {
    "conllu": Format(".conllu", conllu.PlainWriter, conllu.read_plain),
    "conllu.zst": Format(
        ".conllu.zst", conllu.CompressedWriter, conllu.read_compressed, modules=(ZSTD,)
    ),
    "docbin": Format(".spacy", docbin.ShardWriter, docbin.read_docbin),
    "parquet": Format(".parquet", parquet.ParquetWriter, parquet.read_parquet, modules=(PARQUET,)),
}

__all__ = ["FORMATS", "Format", "Writer"]
