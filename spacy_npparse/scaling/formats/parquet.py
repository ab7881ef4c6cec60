"""Shards in Parquet, with one row for each sentence and lists of its columns.

A list has one item for each line of CoNLL-U, including multiword tokens and empty nodes. `_`
becomes null, except in `form`. Comments are stored as they are, and those that most readers need
also have columns of their own. `doc_id` and `metadata` are those of the sentence's document, if the
shard contains its beginning.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from spacy.tokens import Doc

from spacy_npparse.extras import PARQUET, optional_module
from spacy_npparse.treebank import Row, Sentence, parse_sentence
from spacy_npparse.treebank.sentence import EMPTY

_COMMENTS = ("sent_id", "text")
_OF_DOCUMENTS = {"doc_id": "newdoc id", "metadata": "metadata"}
_ROWS_AT_ONCE = 1000


class ParquetWriter:
    """A writer that collects rows and writes them at the end.

    Args:
        file: A file that is open for binary writing.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._arrow = optional_module("pyarrow")
        self._parquet = optional_module(PARQUET)
        self._rows: list[dict[str, Any]] = []
        self._document: dict[str, str | None] = dict.fromkeys(_OF_DOCUMENTS)

    def add(self, doc: Doc, sentences: Sequence[Sentence]) -> None:
        """Add a row for each sentence."""
        for sentence in sentences:
            if sentence.begins_document:
                self._document = {
                    name: sentence.metadata.get(key) for name, key in _OF_DOCUMENTS.items()
                }
            self._rows.append({**self._document, **_row(sentence)})

    def close(self) -> None:
        table = self._arrow.Table.from_pylist(self._rows, schema=self._schema())
        self._parquet.write_table(table, self._file, compression="zstd")

    def _schema(self) -> Any:
        texts = self._arrow.list_(self._arrow.string())
        numbers = self._arrow.list_(self._arrow.int32())
        columns = {name: numbers if name == "head" else texts for name in Row._fields}
        comments = dict.fromkeys([*_OF_DOCUMENTS, *_COMMENTS], self._arrow.string())
        return self._arrow.schema({**comments, "comments": texts, **columns})


def read_parquet(path: Path) -> Iterator[Sentence]:
    """Read the sentences of a file.

    Args:
        path: The file.
    """
    with optional_module(PARQUET).ParquetFile(path) as file:
        for batch in file.iter_batches(_ROWS_AT_ONCE):
            for row in batch.to_pylist():
                lines = zip(*(row[name] for name in Row._fields), strict=True)
                rows = ["\t".join(map(_column, line)) for line in lines]
                yield parse_sentence([*row["comments"], *rows])


def _row(sentence: Sentence) -> dict[str, Any]:
    columns = zip(Row._fields, zip(*sentence.rows, strict=True), strict=True)
    lists = {name: [_value(name, value) for value in column] for name, column in columns}
    comments = {name: sentence.metadata.get(name) for name in _COMMENTS}
    return {**comments, "comments": list(sentence.comments), **lists}


def _value(name: str, value: str) -> str | int | None:
    if value == EMPTY and name != "form":
        return None
    return int(value) if name == "head" else value


def _column(value: str | int | None) -> str:
    return EMPTY if value is None else str(value)
