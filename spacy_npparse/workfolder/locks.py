"""Locks, so that no two processes do the same work. The operating system releases them when a
process ends, even if it is killed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import BaseFileLock, FileLock, Timeout

from spacy_npparse.errors import UserError
from spacy_npparse.files import WriteError, naming


class FolderInUseError(UserError, RuntimeError):
    """A folder in which another process works."""


def claim(lock: Path) -> BaseFileLock | None:
    """Lock a piece of work without waiting.

    Args:
        lock: The file to lock, which is created if necessary.

    Returns:
        The lock, which must be released; None if another process holds it.

    Raises:
        WriteError: The file cannot be written.
    """
    found = FileLock(lock, timeout=0)
    try:
        _acquire(found, lock)
    except Timeout:
        return None
    return found


@contextmanager
def waiting_for(lock: Path) -> Iterator[None]:
    """Hold a lock in a block as soon as no other process holds it.

    Args:
        lock: The file to lock, which is created if necessary.

    Raises:
        WriteError: The file cannot be written.
    """
    found = FileLock(lock)
    _acquire(found, lock)
    try:
        yield
    finally:
        found.release()


def _acquire(found: BaseFileLock, lock: Path) -> None:
    try:
        with naming(lock):
            lock.parent.mkdir(parents=True, exist_ok=True)
            found.acquire()
    except WriteError as error:
        # If a lock of filelock has to wait, it also raises an OSError.
        if isinstance(error.__cause__, Timeout):
            raise error.__cause__ from None
        raise
