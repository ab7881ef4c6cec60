"""Records of what is finished, which are written last, and checksums of the files beside them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from spacy_npparse.errors import UserError
from spacy_npparse.files import checksum, replacing


class DamagedFileError(UserError, ValueError):
    """A file is missing or not as it was written; the message names it."""


def write_json(data: object, path: Path, *, indent: int | None = None) -> None:
    """Write JSON, atomically.

    Args:
        data: What JSON can hold.
        path: The file.
        indent: See `json.dumps`.

    Raises:
        WriteError: It cannot be written.
    """
    with replacing(path) as file:
        file.write(json.dumps(data, indent=indent).encode())


def read_json(path: Path) -> Any:
    """Read JSON.

    Args:
        path: The file.

    Raises:
        DamagedFileError: It is missing, or no JSON.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise DamagedFileError(f"{path} is missing") from None
    except ValueError as error:
        raise DamagedFileError(f"{path} cannot be read ({error})") from None


def check_file(path: Path, known: str) -> None:
    """Check that a file is as it was written.

    Args:
        path: The file.
        known: Its checksum.

    Raises:
        DamagedFileError: It is not.
    """
    if not path.exists():
        raise DamagedFileError(f"{path} is missing")
    if checksum(path) != known:
        raise DamagedFileError(f"{path} is not as it was written")
