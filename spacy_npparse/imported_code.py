"""Python files with registered functions, given to commands as `--code`."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from spacy.util import import_file

from spacy_npparse.errors import UserError


class CodeError(UserError, ValueError):
    """A file cannot be imported; the message names it and the reason."""


def import_code(path: Path | None) -> None:
    """Import a file, as `--code` of spaCy's commands does, but once in a process: a second time,
    what it registers or sets may be refused.

    Args:
        path: The file; None for no file.

    Raises:
        CodeError: The file cannot be imported.
    """
    if path is None:
        return
    try:
        _import(path.resolve())
    except Exception as error:  # of any kind that a module may raise
        raise CodeError(
            f"{path}: cannot be imported ({type(error).__name__}: {error}). Give --code a Python "
            "file."
        ) from error


@cache
def _import(path: Path) -> None:
    import_file("python_code", path)
