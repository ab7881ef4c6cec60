"""What a process is annotating: a note for the one that tries again if it is killed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from spacy_npparse.files import naming, replacing
from spacy_npparse.scaling.termination import TerminationError

# A process may be killed for reasons that have nothing to do with its texts. If that many were
# killed with a batch, its texts are annotated one by one, as often again.
_TRIES = 2


class DeadlyTextError(RuntimeError):
    """A text with which processes were killed; the message has the remedy."""


def killed_with(note: Path) -> Counter[int]:
    """How many processes were killed with which texts.

    Args:
        note: The file of an `Attempt`.

    Returns:
        The numbers by indices of texts; none if the note is missing or damaged.
    """
    try:
        before, *begun = map(json.loads, note.read_text(encoding="utf-8").splitlines())
        return Counter([*before, *(begun[-1] if begun else [])])
    except (FileNotFoundError, TypeError, ValueError):
        return Counter()


class Attempt:
    """An attempt to annotate texts, after others that may have ended with a process killed.

    The first line of the note has the indices of the texts with which that happened, each as often
    as it did; the last line has those that are being annotated.

    Args:
        note: Where this is noted.
    """

    def __init__(self, note: Path) -> None:
        self._note = note
        self._killed = killed_with(note)
        with replacing(note) as file:
            file.write(_line(list(self._killed.elements())))

    @contextmanager
    def watching(self, texts: Sequence[int]) -> Iterator[None]:
        """Note in a block that these texts are annotated together, or a single one.

        Args:
            texts: Their indices.

        Raises:
            DeadlyTextError: They must not be, for what happened before. Single ones may be.
            WriteError: It cannot be noted.
        """
        tries = _TRIES if len(texts) > 1 else 2 * _TRIES
        if any(self._killed[text] >= tries for text in texts):
            raise DeadlyTextError(
                "the process that annotated it was killed, each time that it was tried, possibly "
                "out of memory. Shorten the text."
            )
        self._add(texts)
        try:
            yield
        except (Exception, TerminationError):
            self._add([])
            raise
        self._add([])

    def finish(self) -> None:
        """Forget what happened: all texts have been annotated, or are in quarantine."""
        self._note.unlink(missing_ok=True)

    def _add(self, texts: Sequence[int]) -> None:
        # Opened each time, so that other machines see it.
        with naming(self._note), self._note.open("ab") as file:
            file.write(_line(texts))


def _line(texts: Sequence[int]) -> bytes:
    return json.dumps(texts).encode() + b"\n"
