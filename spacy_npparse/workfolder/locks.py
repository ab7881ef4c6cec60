"""Locks: no process does the work of another. The operating system unlocks them when a process
ends, even if it is killed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import BaseFileLock, FileLock, Timeout

from spacy_npparse.errors import UserError


class FolderInUseError(UserError, RuntimeError):
    """Another process works in the folder."""


def claim(lock: Path) -> BaseFileLock | None:
    """Lock a piece of work, without waiting.

    Args:
        lock: The file to lock, created if need be.

    Returns:
        The lock, to be released; None if another process holds it.
    """
    lock.parent.mkdir(parents=True, exist_ok=True)
    found = FileLock(lock, timeout=0)
    try:
        found.acquire()
    except Timeout:
        return None
    return found


@contextmanager
def waiting_for(lock: Path) -> Iterator[None]:
    """Hold a lock in a block, as soon as no other process holds it.

    Args:
        lock: The file to lock, created if need be.
    """
    lock.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(lock):
        yield
