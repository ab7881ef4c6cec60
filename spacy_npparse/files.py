"""Atomic writing of files, which all packages share. A reader never sees an incomplete file, and
errors name the file."""

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

# Like Linux, treat a chain of more symbolic links as a loop.
_MAX_LINKS = 40
_READ_AT_ONCE = 2**20
_FULL = {errno.ENOSPC, errno.EDQUOT}


class WriteError(OSError):
    """A file that cannot be written. The message names it, the reason and the remedy."""

    def __str__(self) -> str:
        remedy = "Free some space, or give a file on another disk"
        if self.errno not in _FULL:
            remedy = "Give another file"
        return f"{self.filename}: cannot be written: {self.strerror}. {remedy}."


@contextmanager
def naming(name: str | Path) -> Iterator[None]:
    """Make errors of the operating system name the file that is written.

    Args:
        name: The file as the user knows it.

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
    """Check whether a path is a stream, whose content cannot be replaced.

    Args:
        path: The path to check.

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
    """Check whether writing to one path would replace the file of another.

    Args:
        path: The first path.
        other: The second path.

    Returns:
        Whether the paths lead to the same regular file, possibly through symbolic or hard links, or
        would do so if it existed. Pipes and devices have no content that could be replaced.
    """
    try:
        return os.path.samefile(path, other) and stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        return os.path.realpath(path) == os.path.realpath(other)


def checksum(path: Path) -> str:
    """Compute the SHA-256 checksum of a file, in hexadecimal.

    Args:
        path: The file, of any size.
    """
    found = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_READ_AT_ONCE):
            found.update(block)
    return found.hexdigest()


def have_same_content(path: Path, other: Path) -> bool:
    """Check whether two paths name the same file, or files with the same content.

    Args:
        path: The first path. If it is not a file, it has no content.
        other: The second path.
    """
    if not (path.is_file() and other.is_file()):
        return False
    if path.samefile(other):
        return True
    return path.stat().st_size == other.stat().st_size and checksum(path) == checksum(other)


def check_writable(path: str | Path) -> None:
    """Check that a file can be written. No file or folder is created.

    Args:
        path: The file.

    Raises:
        WriteError: The file cannot be written, as far as this can be known in advance.
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
            # Permissions are not enough, because the disk may be read-only, and root may do
            # anything.
            with tempfile.TemporaryFile(dir=folder):
                pass
        except OSError as error:
            raise OSError(error.errno, f"{error.strerror} ({folder})") from error


@contextmanager
def replacing(path: str | Path) -> Iterator[IO[bytes]]:
    """Write a file that replaces `path` when the block ends without an exception.

    A symbolic link remains, and the file that it leads to is replaced. An existing file keeps its
    mode. If `path` is a pipe, a device or an open file (see `is_stream`), the data is written to it
    directly.

    Args:
        path: The file to write. Missing parent folders are created.

    Yields:
        A temporary file in the same folder, or the stream, open for binary writing.

    Raises:
        WriteError: The file cannot be written.
    """
    if is_stream(path):
        descriptor = _descriptor(path)
        # Opening a file again would overwrite it from the beginning.
        stream = path if descriptor is None else descriptor
        with _writing(_NamedFile(stream, "wb", path, closefd=descriptor is None)) as file:
            yield file
        return
    with naming(path):
        _check_permission(path)
        target = Path(os.path.realpath(path))
        target.parent.mkdir(parents=True, exist_ok=True)
    # The name does not contain that of the file, which may have the maximum length.
    temporary = target.with_name(f".spacy_npparse.{secrets.token_hex(8)}")
    # The file is private until it has the mode of the old one.
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
    """Write a folder that appears when the block ends without an exception.

    Args:
        path: The folder to write, which does not exist or is empty. Missing parent folders are
            created.

    Yields:
        A temporary folder in the same parent folder.

    Raises:
        WriteError: The folder cannot be written.
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
    """A file that is open for writing and whose errors name it as the user does."""

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
    # After an exception, nothing more is written, because the reader of a pipe might not read it.
    with raw:
        file = io.BufferedWriter(raw)
        yield file
        file.close()


def _check_permission(path: str | Path) -> None:
    """Check the permission to write an existing file."""
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return
    code = errno.EISDIR if stat.S_ISDIR(mode) else errno.EACCES
    if stat.S_ISDIR(mode) or not os.access(path, os.W_OK):
        raise OSError(code, os.strerror(code))


def _descriptor(path: str | Path) -> int | None:
    """Find the descriptor of the open file that a path such as `/dev/stdout` or `/dev/fd/3` leads
    to."""
    for _ in range(_MAX_LINKS):
        folder, name = os.path.split(path)
        folder = os.path.realpath(folder)
        if folder == os.path.realpath("/dev/fd") and name.isdecimal():
            return int(name)
        if not os.path.islink(path):
            break
        path = os.path.join(folder, os.readlink(path))
    return None
