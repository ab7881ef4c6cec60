"""Notes of the texts that a process is annotating, for the next process if it is killed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from spacy_npparse.files import naming, replacing

# A process may be killed for reasons that have nothing to do with its texts. After this number of
# losses with a batch, its texts are annotated one by one, with as many attempts again.
_TRIES = 2


class DeadlyTextError(RuntimeError):
    """A text with which processes were killed. The message has the remedy."""


def killed_with(note: Path) -> Counter[int]:
    """Count the processes that were killed with each text.

    Args:
        note: The file of an `Attempt`.

    Returns:
        The counts by index of the text; empty if the note is missing or damaged.
    """
    try:
        before, *begun = map(json.loads, note.read_text(encoding="utf-8").splitlines())
        return Counter([*before, *(begun[-1] if begun else [])])
    except (FileNotFoundError, TypeError, ValueError):
        return Counter()


class Attempt:
    """An attempt to annotate texts, after others that may have ended with a killed process.

    The first line of the note has the indices of the texts with which processes were killed, once
    for each time. The last line has the indices of the texts that are being annotated.

    Args:
        note: The file of the note.
    """

    def __init__(self, note: Path) -> None:
        self._note = note
        self._killed = killed_with(note)
        with replacing(note) as file:
            file.write(_line(list(self._killed.elements())))

    @contextmanager
    def watching(self, texts: Sequence[int]) -> Iterator[None]:
        """Note in a block that these texts, or a single one, are being annotated.

        Args:
            texts: The indices of the texts.

        Raises:
            DeadlyTextError: The texts must not be annotated together because of earlier losses.
                Single ones may be.
            WriteError: The note cannot be written.
        """
        tries = _TRIES if len(texts) > 1 else 2 * _TRIES
        if any(self._killed[text] >= tries for text in texts):
            raise DeadlyTextError(
                "each process that tried to annotate it was killed, possibly out of memory. "
                "Shorten the text."
            )
        self._add(texts)
        try:
            yield
        except (Exception, KeyboardInterrupt):
            self._add([])
            raise
        self._add([])

    def finish(self) -> None:
        """Delete the note, after all texts have been annotated or quarantined."""
        self._note.unlink(missing_ok=True)

    def _add(self, texts: Sequence[int]) -> None:
        # The file is opened each time, so that other machines see the note.
        with naming(self._note), self._note.open("ab") as file:
            file.write(_line(texts))


def _line(texts: Sequence[int]) -> bytes:
    return json.dumps(texts).encode() + b"\n"
