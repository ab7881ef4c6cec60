"""Files, for every room that writes them: a reader never sees half of one, and who wrote
it is told which one could not be written."""

from __future__ import annotations

import errno
import hashlib
import io
import os
import secrets
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import IO, Any

# A chain of more symbolic links is a loop, as for Linux.
_MAX_LINKS = 40
_READ_AT_ONCE = 2**20
_FULL = {errno.ENOSPC, errno.EDQUOT}


class WriteError(OSError):
    """A file cannot be written; the message names it, the reason and the remedy."""

    def __str__(self) -> str:
        remedy = "Free some space, or give a file on another disk"
        if self.errno not in _FULL:
            remedy = "Give another file"
        return f"{self.filename}: cannot be written: {self.strerror}. {remedy}."


@contextmanager
def naming(name: str | Path) -> Iterator[None]:
    """Turn the errors of the operating system in a block into errors that name what is written.

    Args:
        name: The file, as its user knows it.

    Raises:
        WriteError: Instead of any other `OSError`.
    """
    try:
        yield
    except WriteError:
        raise
    except OSError as error:
        reason = error.strerror or str(error) or type(error).__name__
        raise WriteError(error.errno, reason, str(name)) from error


def is_stream(path: str | Path) -> bool:
    """Whether what is written to a path cannot be replaced, only be sent.

    Args:
        path: Any path.

    Returns:
        Whether it is a pipe, a device, or an open file of this process, such as `/dev/stdout`.
    """
    if _descriptor(path) is not None:
        return True
    with suppress(OSError):
        mode = os.stat(path).st_mode
        return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))
    return False


def are_same(path: Path, other: Path) -> bool:
    """Whether writing to one path would replace the file of the other.

    Args:
        path: A path.
        other: Another one.

    Returns:
        Whether they lead to one regular file, be it by symbolic or by hard links, or would if it
        existed. Pipes and devices have no content that could be replaced.
    """
    try:
        return os.path.samefile(path, other) and stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        return os.path.realpath(path) == os.path.realpath(other)


def checksum(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal.

    Args:
        path: The file, of any size.
    """
    found = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_READ_AT_ONCE):
            found.update(block)
    return found.hexdigest()


def have_same_content(path: Path, other: Path) -> bool:
    """Whether two paths name one file, or files with the same bytes.

    Args:
        path: A path. What is no file has no content.
        other: Another.
    """
    if not (path.is_file() and other.is_file()):
        return False
    if path.samefile(other):
        return True
    return path.stat().st_size == other.stat().st_size and checksum(path) == checksum(other)


def check_writable(path: str | Path) -> None:
    """Check that a file can be written, before time is spent on what shall be written. Nothing is
    changed: no file, no folder is created.

    Args:
        path: The file.

    Raises:
        WriteError: It cannot be written, as far as is known beforehand.
    """
    with naming(path):
        descriptor = _descriptor(path)
        if descriptor is not None:
            os.write(descriptor, b"")
            return
        _check_permission(path)
        if is_stream(path):
            return
        folder = Path(os.path.realpath(path)).parent
        while not os.path.lexists(folder):
            folder = folder.parent
        try:
            # Says more than the permissions: the disk may be read-only, and root may do anything.
            with tempfile.TemporaryFile(dir=folder):
                pass
        except OSError as error:
            raise OSError(error.errno, f"{error.strerror} ({folder})") from error


@contextmanager
def replacing(path: str | Path) -> Iterator[IO[bytes]]:
    """Write a file that replaces `path` when the block ends without an exception.

    A symbolic link stays, and what it leads to is replaced; an existing file keeps its mode. What
    is written to a pipe, a device or an open file (see `is_stream`) is sent at once instead.

    Args:
        path: The file to write; missing parent folders are created.

    Yields:
        A temporary file in the same folder, or the stream, open for binary writing.

    Raises:
        WriteError: It cannot be written.
    """
    if is_stream(path):
        descriptor = _descriptor(path)
        # Opened anew, a file would be written from its beginning, over what is there already.
        stream = path if descriptor is None else descriptor
        with _writing(_NamedFile(stream, "wb", path, closefd=descriptor is None)) as file:
            yield file
        return
    with naming(path):
        _check_permission(path)
        target = Path(os.path.realpath(path))
        target.parent.mkdir(parents=True, exist_ok=True)
    # Not named after the file: its name may be as long as names can be.
    temporary = target.with_name(f".spacy_npparse.{secrets.token_hex(8)}")
    # Private until it has the mode of the old one.
    opener = partial(os.open, mode=0o600) if target.exists() else None
    try:
        with _writing(_NamedFile(temporary, "xb", path, opener=opener)) as file:
            yield file
        with naming(path):
            with suppress(FileNotFoundError):
                shutil.copymode(target, temporary)
            os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


@contextmanager
def replacing_folder(path: Path) -> Iterator[Path]:
    """Write a folder that is there when the block ends without an exception.

    Args:
        path: The folder to write, which does not exist or is empty; missing parent folders are
            created.

    Yields:
        A temporary folder beside it.

    Raises:
        WriteError: It cannot be written.
    """
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f".spacy_npparse.{secrets.token_hex(8)}")
    try:
        with naming(path):
            temporary.mkdir(parents=True)
            yield temporary
            if os.name == "nt":  # where not even an empty folder is replaced
                with suppress(FileNotFoundError):
                    target.rmdir()
            os.replace(temporary, target)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


class _NamedFile(io.FileIO):
    """A file open for writing whose errors name it as its user does."""

    def __init__(self, file: str | Path | int, mode: str, name: str | Path, **options: Any) -> None:
        self._shown = name
        with naming(name):
            super().__init__(file, mode, **options)

    def write(self, data: Any, /) -> int:
        with naming(self._shown):
            return super().write(data)

    def close(self) -> None:
        with naming(self._shown):
            super().close()


@contextmanager
def _writing(raw: _NamedFile) -> Iterator[IO[bytes]]:
    """Write to a file through a buffer."""
    # After an exception nothing more is written: the reader of a pipe might never take it.
    with raw:
        file = io.BufferedWriter(raw)
        yield file
        file.close()


def _check_permission(path: str | Path) -> None:
    """Check that a file that exists is none that must not be written."""
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return
    code = errno.EISDIR if stat.S_ISDIR(mode) else errno.EACCES
    if stat.S_ISDIR(mode) or not os.access(path, os.W_OK):
        raise OSError(code, os.strerror(code))


def _descriptor(path: str | Path) -> int | None:
    """The descriptor of the open file that a path leads to, as `/dev/stdout` and `/dev/fd/3` do."""
    for _ in range(_MAX_LINKS):
        folder, name = os.path.split(path)
        folder = os.path.realpath(folder)
        if folder == os.path.realpath("/dev/fd") and name.isdecimal():
            return int(name)
        if not os.path.islink(path):
            break
        path = os.path.join(folder, os.readlink(path))
    return None
