"""The file of a treebank whose trees are corrected, and the journal of the corrections.

A change is in the journal before anybody sees it. The file is written when the tree of a sentence
has been confirmed, and only HEAD and DEPREL of such sentences change: all other bytes stay.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from spacy_npparse.errors import UserError
from spacy_npparse.files import naming, replacing
from spacy_npparse.treebank import Sentence
from spacy_npparse.treebank.reading import ConlluBlock, conllu_blocks
from spacy_npparse.workfolder import claim

# HEAD and DEPREL of each word.
Columns = list[tuple[str, str]]


class TreebankFileError(UserError, RuntimeError):
    """The file or its journal cannot be used; the message has the remedy."""


class TreebankFile:
    """A treebank and its journal, which no other process writes to meanwhile.

    Args:
        path: Of the treebank. The journal is beside it.

    Attributes:
        sentences: As they were read.
        journal: The path of the journal.
        changes: What the journal has of earlier sessions.

    Raises:
        TreebankFileError: Another process corrects the file, or another program has changed it
            since its journal was written.
        ConlluError: It is malformed.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.journal = path.with_name(f"{path.name}.journal")
        self._lock = claim(self.journal.with_name(f"{self.journal.name}.lock"))
        if self._lock is None:
            raise TreebankFileError(f"{path}: another process corrects this file. End it first.")
        self._bytes = path.read_bytes()
        self._known = hashlib.sha256(self._bytes).hexdigest()
        self._blocks = list(conllu_blocks(io.BytesIO(self._bytes), path))
        self.sentences = [block.parse() for block in self._blocks]
        self.changes = list(self._read_journal())

    def _read_journal(self) -> Iterator[dict[str, Any]]:
        """The changes of earlier sessions."""
        known = [self._known]
        if self.journal.exists():
            whole, _, torn = self.journal.read_bytes().rpartition(b"\n")
            if torn:
                # Nobody has seen the change that was being written when the process was killed.
                os.truncate(self.journal, len(whole) + 1 if whole else 0)
            records = [json.loads(line) for line in whole.split(b"\n") if line]
            written = [one["written"] for one in records if "written" in one]
            # It may have been killed before the file was replaced.
            if records and self._known not in written[-2:]:
                raise TreebankFileError(
                    f"{self.path} is not as {self.journal} has left it: another program has "
                    "changed it. Restore it, or move the journal away to begin anew."
                )
            known = written
            yield from (one for one in records if "written" not in one)
        if known[-1:] != [self._known] or not self.journal.exists():
            self.append({"written": self._known})

    def append(self, record: dict[str, Any]) -> None:
        """Write to the journal, for good.

        Args:
            record: A change, or the checksum of the file that is written next.

        Raises:
            WriteError: It cannot be written.
        """
        line = json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n"
        with naming(self.journal), self.journal.open("ab", buffering=0) as file:
            size = file.tell()
            try:
                file.write(line.encode())
                os.fsync(file.fileno())
            except OSError:
                with suppress(OSError):
                    file.truncate(size)
                raise

    def write(self, columns: dict[int, Columns]) -> None:
        """Write the file, atomically, unless it is so already.

        Args:
            columns: HEAD and DEPREL of the words of some sentences, by their numbers.

        Raises:
            TreebankFileError: Another program has changed the file.
            WriteError: It cannot be written.
        """
        content = b"".join(self._parts(columns))
        known = hashlib.sha256(content).hexdigest()
        if known == self._known:
            return
        with suppress(FileNotFoundError):
            if hashlib.sha256(self.path.read_bytes()).hexdigest() != self._known:
                raise TreebankFileError(
                    f"{self.path} was changed by another program and is not overwritten. Nothing "
                    f"is lost: all changes are in {self.journal}. End the server, restore the "
                    "file as it was, and start again."
                )
        self.append({"written": known})
        with replacing(self.path) as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        self._known = known

    def _parts(self, columns: dict[int, Columns]) -> Iterator[bytes]:
        """The bytes of one sentence after the other, with all around them."""
        end = 0
        for number, (block, sentence) in enumerate(zip(self._blocks, self.sentences, strict=True)):
            part, end = self._bytes[end : block.n_bytes], block.n_bytes
            if number in columns:
                old = b"\n".join(block.lines)
                part = part.replace(old, _rewritten(block, sentence, columns[number]), 1)
            yield part
        yield self._bytes[end:]

    def close(self) -> None:
        """Let other processes correct the file."""
        if self._lock is not None:
            self._lock.release()


def _rewritten(block: ConlluBlock, sentence: Sentence, columns: Columns) -> bytes:
    """The lines of a sentence, with these columns."""
    words = iter(columns)
    lines = [line.decode() for line in block.lines[: len(sentence.comments)]]
    for row in sentence.rows:
        if row.id.isdigit():
            head, deprel = next(words)
            row = row._replace(head=head, deprel=deprel)
        lines.append("\t".join(row))
    return "\n".join(lines).encode()
