"""Shards in spaCy's binary format. The Docs have all attributes that are columns of CoNLL-U, and
`user_data` has what a Doc cannot represent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from spacy_npparse.treebank import Sentence, sentences_from_doc
from spacy_npparse.treebank.docs import DOCBIN_ATTRIBUTES

# The key of `doc._.trf_data`.
_TRANSFORMER_DATA = ("._.", "trf_data", None, None)


class DocBinWriter:
    """A writer that collects Docs and writes them at the end.

    Args:
        file: A file that is open for binary writing.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._docs = _docbin()

    def add(self, doc: Doc, sentences: Sequence[Sentence]) -> None:
        """Add a Doc, without the output of a transformer, which is large."""
        doc.user_data.pop(_TRANSFORMER_DATA, None)  # type: ignore[call-overload]
        # Each Doc is serialized separately, so that one that cannot be serialized leaves nothing
        # behind.
        one = _docbin()
        one.add(doc)
        self._docs.merge(one)

    def close(self) -> None:
        self._file.write(self._docs.to_bytes())


def _docbin() -> DocBin:
    return DocBin(attrs=DOCBIN_ATTRIBUTES, store_user_data=True)


def read_docbin(path: Path) -> Iterator[Sentence]:
    """Read the sentences of a file.

    Args:
        path: The file.
    """
    for doc in DocBin().from_bytes(path.read_bytes()).get_docs(Vocab()):
        yield from sentences_from_doc(doc)
