"""Locks of a folder that several processes write to: none does the work of another."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from filelock import FileLock, Timeout

from spacy_npparse.errors import UserError

# In seconds.
_PATIENCE = 2


class CorpusInUseError(UserError, RuntimeError):
    """Another process annotates the same part of a corpus."""


class Part(NamedTuple):
    """One of the parts in which a corpus is annotated.

    Attributes:
        number: Its number, from 1.
        n_parts: How many there are.
    """

    number: int = 1
    n_parts: int = 1

    def __str__(self) -> str:
        return f"part {self.number} of {self.n_parts}" if self.n_parts > 1 else "all of it"


@contextmanager
def planning(folder: Path) -> Iterator[None]:
    """Keep other processes from planning in a folder meanwhile, and from beginning to annotate.
    They wait.

    Args:
        folder: For the locks.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / "plan"):
        yield


@contextmanager
def annotating(folder: Path, part: Part) -> Iterator[None]:
    """Keep other processes from annotating the same shards. Only begun while `planning`: a process
    that asks whether a lock is held holds it meanwhile.

    The operating system unlocks them when this process ends, even if it is killed.

    Args:
        folder: For the locks.
        part: The part that this process annotates.

    Raises:
        CorpusInUseError: Another process annotates this part, or parts of another division.
    """
    folder.mkdir(parents=True, exist_ok=True)
    own = folder / f"part-{part.number}-of-{part.n_parts}"
    # Workers of a process that was killed hold it until they end, too.
    lock = FileLock(own, timeout=_PATIENCE)
    try:
        lock.acquire()
    except Timeout:
        raise _in_use(folder, str(part)) from None
    try:
        for path in folder.glob("part-*-of-*"):
            number, n_parts = map(int, path.name.split("-")[1::2])
            if n_parts != part.n_parts and is_locked(path):
                raise _in_use(folder, str(Part(number, n_parts)))
        yield
    finally:
        lock.release()


def is_anybody_annotating(folder: Path, part: Part) -> bool:
    """Whether another process annotates another part. Only asked while `planning`.

    Args:
        folder: For the locks.
        part: The part of this process.
    """
    own = f"part-{part.number}-of-{part.n_parts}"
    return any(is_locked(path) for path in folder.glob("part-*-of-*") if path.name != own)


def is_locked(path: Path) -> bool:
    """Whether a process has a lock.

    Args:
        path: The lock.
    """
    lock = FileLock(path, timeout=0)
    try:
        lock.acquire()
    except Timeout:
        return True
    lock.release()
    return False


def _in_use(folder: Path, part: str) -> CorpusInUseError:
    return CorpusInUseError(
        f"Another process annotates {part} in {folder.parent}. Wait until it has ended, or give "
        "another folder."
    )
