"""The input files of a corpus: search in folders and by patterns, and decompression."""

from __future__ import annotations

import glob
import gzip
import io
import logging
import lzma
import os
import zlib
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from spacy_npparse.errors import UserError
from spacy_npparse.extras import ZSTD, optional_module

# The maximum number of kinds of skipped files that the warning names.
_MOST_SHOWN = 8
KINDS = (".txt", ".conllu", ".jsonl")
# The copy of standard input in the folder of a corpus.
STDIN_COPY = "stdin.txt"
logger = logging.getLogger(__name__)


class InputError(UserError, ValueError):
    """A corpus that cannot be read. The message names the file and the remedy."""


@dataclass(frozen=True)
class Input:
    """A file of a corpus.

    Attributes:
        path: The absolute path of the file.
        name: The unique name of the file, with which the sent_id of its sentences begin.
    """

    path: Path
    name: str

    @property
    def kind(self) -> str:
        """The suffix of the file's content."""
        return _kind(self.path)

    @property
    def is_compressed(self) -> bool:
        """Whether the file can only be read from its beginning."""
        return _suffix(self.path) in _DECOMPRESSED

    def check_extra(self) -> None:
        """Check that the file can be decompressed.

        Raises:
            MissingExtraError: The library is not installed.
        """
        if _suffix(self.path) == ".zst":
            optional_module(ZSTD)

    def open(self) -> IO[bytes]:
        """Open the file for reading its decompressed content."""
        return _DECOMPRESSED.get(_suffix(self.path), _open_plain)(self.path)


def find_inputs(given: Iterable[str], output: Path) -> list[Input]:
    """Find the files of a corpus. A warning names the files of folders that are skipped.

    Args:
        given: Files, folders and glob patterns. Of a folder, all readable files are used, including
            those in linked folders.
        output: The folder to write to. It must not be inside one of these folders, and no file but
            the copy of standard input must be inside it.

    Returns:
        The files in the given order, with those of a folder or pattern in alphabetical order.

    Raises:
        InputError: A file does not exist, cannot be read, is given twice, or is in the folder to
            write to; or its name is not UTF-8.
    """
    inputs: list[Input] = []
    taken: dict[str, int] = {}
    known: dict[Path, Path] = {}
    left_out: Counter[str] = Counter()
    own = output.resolve()
    for path, name in (pair for one in given for pair in _found(one, output, left_out)):
        _check_name(path)
        same = known.setdefault(path.resolve(), path)
        if same is not path:
            also = "" if same == path else f", also as {same}"
            raise InputError(f"{path} is given twice{also}. Give each file once.")
        if path.resolve().is_relative_to(own) and path.resolve() != own / STDIN_COPY:
            raise InputError(
                f"{path} is in {output}, where it could be overwritten. Give another folder to "
                "write to."
            )
        inputs.append(Input(path, unique_name(name, taken)))
    if left_out:
        logger.warning(
            "Files left out of folders: %s. Only %s files are read, also as .gz, .xz, .zst.",
            _shown(left_out),
            _kinds(),
        )
    return inputs


def unique_name(name: str, taken: dict[str, int]) -> str:
    """Make a name for a file that can be part of a sent_id and that no other file has.

    Args:
        name: The name.
        taken: The names of the other files, and how many of them have been asked for under each
            name. The new name is added.

    Returns:
        The name without the separators of a sent_id, with a number if it is taken.
    """
    unique = plain = "_".join(name.replace("/", ".").replace("\\", ".").split())
    while unique in taken:
        taken[plain] += 1
        unique = f"{plain}~{taken[plain]}"
    taken[unique] = 1
    return unique


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Make errors of decompression in a block name the file.

    Args:
        path: The file that is read.

    Raises:
        InputError: Instead of other errors.
    """
    damage: tuple[type[Exception], ...] = (EOFError, gzip.BadGzipFile, lzma.LZMAError, zlib.error)
    if _suffix(path) == ".zst":
        damage += (optional_module(ZSTD).ZstdError,)
    try:
        yield
    except damage as error:
        raise InputError(
            f"{path}: damaged or incomplete ({error}). Get the file again, or leave it out."
        ) from error


def _found(given: str, output: Path, left_out: Counter[str]) -> Iterator[tuple[Path, str]]:
    """Find the files of one argument and their names, and count the skipped files of folders."""
    # Links are not resolved, because the suffix of the link tells the content.
    path = Path(given).absolute()
    if path.is_dir():
        files = []
        for file in _below(path, output):
            if file.name.startswith("."):
                left_out["hidden"] += 1
            elif not file.is_file():
                left_out["pipes or broken links"] += 1
            elif not _kind(file):
                left_out[_suffix(file) or "without a suffix"] += 1
            else:
                files.append(file)
        if not files:
            raise InputError(f"{given}: no file of text in this folder. Give {_kinds()} files.")
        yield from ((file, _stem(file.relative_to(path))) for file in sorted(files))
    elif path.is_file():
        if not _kind(path):
            raise InputError(f"Cannot read {given}. Give {_kinds()} files, also as .gz, .xz, .zst.")
        yield path, _stem(Path(path.name))
    elif os.path.lexists(path):
        raise InputError(
            f"{given} is a pipe, a device or a broken link. Give a file, or - for standard input."
        )
    elif matching := _matching(given, output):
        for one in matching:
            yield from _found(one, output, left_out)
    else:
        raise InputError(f"{given}: no such file. Give files, folders or patterns.")


def _matching(pattern: str, output: Path) -> list[str]:
    """Find the files and folders of a pattern, without what an earlier run has written, and without
    the folders whose files match as well."""
    found = sorted(glob.glob(pattern, recursive=True))
    outside = [one for one in found if not Path(one).resolve().is_relative_to(output.resolve())]
    return [one for one in outside or found if not ("**" in pattern and Path(one).is_dir())]


def _below(top: Path, output: Path) -> Iterator[Path]:
    """Find all files in a folder, including those in linked folders."""
    entered: set[Path] = set()
    waiting = deque([top])
    while waiting:
        folder = waiting.popleft()
        real = folder.resolve()
        # A folder may contain a link to itself.
        if real in entered:
            continue
        entered.add(real)
        if output.resolve().is_relative_to(real):
            raise InputError(
                f"{output} is in {folder}, which is read. Give a folder outside of it to write to."
            )
        for path in sorted(folder.iterdir()):
            if not path.is_dir():
                yield path
            elif path.is_symlink():
                # Last, so that names contain the folder itself rather than a link to it.
                waiting.append(path)
            else:
                waiting.appendleft(path)


def _check_name(path: Path) -> None:
    """Check that the output can contain the name of a file."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        shown = os.fsencode(path).decode("utf-8", "backslashreplace")
        raise InputError(
            f"{shown}: the name of this file, or of its folder, is not UTF-8. Rename it."
        ) from None


def _shown(left_out: Counter[str]) -> str:
    """List kinds of files with their numbers."""
    shown = [f"{number} {kind}" for kind, number in left_out.most_common(_MOST_SHOWN)]
    return ", ".join([*shown, "others"] if len(left_out) > _MOST_SHOWN else shown)


def _kinds() -> str:
    return f"{', '.join(KINDS[:-1])} or {KINDS[-1]}"


def _suffix(path: Path) -> str:
    return path.suffix.lower()


def _kind(path: Path) -> str:
    """Find the suffix of a file without that of its compression; empty if the file cannot be
    read."""
    suffix = _suffix(Path(path.stem) if _suffix(path) in _DECOMPRESSED else path)
    return suffix if suffix in KINDS else ""


def _stem(path: Path) -> str:
    """Remove these suffixes from the path of a file."""
    stem = path.with_suffix("") if _suffix(path) in _DECOMPRESSED else path
    return str(stem.with_suffix(""))


def _open_plain(path: Path) -> IO[bytes]:
    return path.open("rb")


def _open_gz(path: Path) -> IO[bytes]:
    return io.BufferedReader(gzip.open(path))


def _open_xz(path: Path) -> IO[bytes]:
    return io.BufferedReader(lzma.open(path))


def _open_zst(path: Path) -> IO[bytes]:
    return io.BufferedReader(optional_module(ZSTD).open(path))


_DECOMPRESSED: dict[str, Callable[[Path], IO[bytes]]] = {
    ".gz": _open_gz,
    ".xz": _open_xz,
    ".zst": _open_zst,
}
