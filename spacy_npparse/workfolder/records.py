"""Records of finished work, which are written last, and checksums of the files beside them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from spacy_npparse.errors import UserError
from spacy_npparse.files import checksum, replacing


class DamagedFileError(UserError, ValueError):
    """A file that is missing or has changed. The message names it."""


def write_json(data: object, path: Path, *, indent: int | None = None) -> None:
    """Write JSON atomically.

    Args:
        data: The data, of types that JSON supports.
        path: The file.
        indent: The number of spaces by which levels are indented; None for a single line.

    Raises:
        WriteError: The file cannot be written.
    """
    with replacing(path) as file:
        file.write(json.dumps(data, indent=indent).encode())


def read_json(path: Path) -> Any:
    """Read JSON.

    Args:
        path: The file.

    Raises:
        DamagedFileError: The file is missing or is not JSON.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise DamagedFileError(f"{path} is missing") from None
    except ValueError as error:
        raise DamagedFileError(f"{path} cannot be read ({error})") from None


def check_file(path: Path, known: str) -> None:
    """Check that a file has not changed.

    Args:
        path: The file.
        known: The checksum of the file when it was written.

    Raises:
        DamagedFileError: The file has changed or is missing.
    """
    if not path.exists():
        raise DamagedFileError(f"{path} is missing")
    if checksum(path) != known:
        raise DamagedFileError(f"{path} has changed since it was written")
