"""The file of a treebank that a person corrects, and the journal of the corrections.

Each change is written to the journal before the page shows it. In the file, only HEAD and DEPREL of
confirmed sentences change. All other bytes remain.
"""

from __future__ import annotations

import codecs
import hashlib
import io
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from spacy_npparse.errors import UserError
from spacy_npparse.files import naming, replacing
from spacy_npparse.treebank import Sentence
from spacy_npparse.treebank.reading import conllu_blocks
from spacy_npparse.workfolder import claim


class TreebankFileError(UserError, RuntimeError):
    """The file or its journal cannot be used; the message names the remedy."""


class TreebankFile:
    """A treebank and its journal, locked against other servers.

    Args:
        path: The CoNLL-U file. The journal is next to it.

    Attributes:
        sentences: The sentences before the first change.
        journal: The path of the journal.
        changes: The changes of earlier sessions, as records of the journal.
        close: Releases the lock.

    Raises:
        TreebankFileError: There is no such file, another process corrects it, or the journal is
            damaged.
        ConlluError: The file is malformed.
    """

    def __init__(self, path: Path) -> None:
        if not path.is_file():
            raise TreebankFileError(f"{path} is not a file. Give the CoNLL-U file of the treebank.")
        self.path = path
        self.journal = path.with_name(f"{path.name}.journal")
        lock = claim(path.with_name(f"{path.name}.journal.lock"))
        if lock is None:
            raise TreebankFileError(f"{path}: another process corrects this file. End it first.")
        self.close = lock.release
        records = list(self._records())
        if records and "original" not in records[0]:
            lock.release()
            raise TreebankFileError(
                f"{self.journal}: the first line, with the original file, is missing. Restore it, "
                "or move the journal away to start again."
            )
        original = records[0]["original"].encode() if records else path.read_bytes()
        self.changes = [one for one in records if "sentence" in one]
        self._known = {_checksum(original), *(one.get("checksum", "") for one in records)}
        self._lines = original.split(b"\n")
        self._blocks = list(conllu_blocks(io.BytesIO(original), path))
        self.sentences = [block.parse() for block in self._blocks]
        # What begins the journal, until it is written.
        begin = {"checksum": _checksum(original), "original": original.decode()}
        self._begin = None if records else begin

    def _records(self) -> Iterator[dict[str, Any]]:
        """Read the records of the journal."""
        if self.journal.exists():
            for line in self.journal.read_bytes().split(b"\n"):
                # An incomplete record is of a change that the page has not shown.
                with suppress(ValueError):
                    yield json.loads(line)

    def append(self, record: dict[str, Any]) -> None:
        """Append a record to the journal, and flush it to the disk.

        Args:
            record: The record, in types of JSON.

        Raises:
            TreebankFileError: The journal has been removed.
            WriteError: The journal cannot be written.
        """
        if self._begin is None and not self.journal.exists():
            raise TreebankFileError(
                f"{self.journal} was removed while the server runs, so this change is not kept. "
                "Put it back, or end the server and start it again."
            )
        records = [record] if self._begin is None else [self._begin, record]
        with naming(self.journal), self.journal.open("ab") as file:
            for one in records:
                # The previous line may be incomplete.
                file.write(b"\n" + json.dumps(one, ensure_ascii=False).encode())
            file.flush()
            os.fsync(file.fileno())
        self._begin = None

    def write(self, corrected: Mapping[int, Sentence]) -> None:
        """Write the file atomically.

        Args:
            corrected: The confirmed sentences by their numbers. Other sentences are written as they
                were before the first change.

        Raises:
            TreebankFileError: Another program has changed or removed the file.
            WriteError: The file cannot be written.
        """
        lines = self._lines.copy()
        for number, sentence in corrected.items():
            block = self._blocks[number]
            start = block.first_line - 1
            # The file may begin with a byte order mark, and have Windows line ends.
            mark = codecs.BOM_UTF8 if lines[start].startswith(codecs.BOM_UTF8) else b""
            rows = (mark + str(sentence).encode()).split(b"\n")
            part = slice(start, start + len(block.lines))
            lines[part] = [
                row + b"\r" * line.endswith(b"\r")
                for row, line in zip(rows, lines[part], strict=True)
            ]
        content = b"\n".join(lines)
        current = self.path.read_bytes() if self.path.exists() else b""
        if _checksum(current) not in self._known:
            problem = "changed" if self.path.exists() else "removed"
            raise TreebankFileError(
                f"{self.path} was {problem} by another program, and is not overwritten. All "
                f"changes are in {self.journal}. Restore the file, or end the server and move the "
                "journal away to start again."
            )
        if content != current:
            # Changes by other programs are detected by the checksum.
            self.append({"checksum": _checksum(content)})
            self._known.add(_checksum(content))
            with replacing(self.path) as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())


def _checksum(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
