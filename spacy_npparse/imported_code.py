"""Import of Python files with registered functions, which commands get as `--code`."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from spacy.util import import_file

from spacy_npparse.errors import UserError


class CodeError(UserError, ValueError):
    """A file that cannot be imported. The message names the file and the reason."""


def import_code(path: Path | None) -> None:
    """Import a file, like `--code` of spaCy's commands, but only once in a process, because a
    second import may fail to register functions.

    Args:
        path: The file; None to import nothing.

    Raises:
        CodeError: The file cannot be imported.
    """
    if path is None:
        return
    try:
        _import(path.resolve())
    except (Exception, SystemExit) as error:  # whatever a module may raise
        raise CodeError(
            f"{path}: cannot be imported ({type(error).__name__}: {error}). Give --code a Python "
            "file."
        ) from error


@cache
def _import(path: Path) -> None:
    import_file("python_code", path)
