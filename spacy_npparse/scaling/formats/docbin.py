"""Shards in spaCy's binary format. The Docs have all attributes that are columns of CoNLL-U, and
`user_data` has what a Doc cannot represent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_npparse.treebank import Sentence, sentences_from_doc
from spacy_npparse.treebank.doc_bins import DocBinReader, DocBinWriter

# The key of `doc._.trf_data`.
_TRANSFORMER_DATA = ("._.", "trf_data", None, None)


class ShardWriter:
    """A writer of a shard.

    Args:
        file: A file that is open for binary writing.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._docs = DocBinWriter(file)

    def add(self, doc: Doc, sentences: Sequence[Sentence]) -> None:
        """Add a Doc, without the output of a transformer, which is large."""
        doc.user_data.pop(_TRANSFORMER_DATA, None)  # type: ignore[call-overload]
        self._docs.add(doc)

    def close(self) -> None:
        self._docs.close()


def read_docbin(path: Path) -> Iterator[Sentence]:
    """Read the sentences of a file.

    Args:
        path: The file.
    """
    for doc in DocBinReader(path).docs(Vocab()):
        yield from sentences_from_doc(doc)
