"""Libraries that are not installed with the package, because few need them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from spacy_npparse.errors import UserError

_EXTRAS = {"pyarrow": "corpora", "ray": "ray", "zstandard": "corpora"}


class MissingExtraError(UserError, ImportError):
    """A library is not installed; the message has the command that installs it."""


def optional_module(name: str) -> Any:
    """Import a module of an optional library.

    Args:
        name: Its name, which begins with that of the library.

    Returns:
        The module.

    Raises:
        MissingExtraError: The library is not installed.
    """
    library = name.partition(".")[0]
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != library:
            raise
        raise MissingExtraError(
            f"This needs {library}, which is not installed: python -m pip install "
            f"'spacy-npparse[{_EXTRAS[library]}]', in a clone '.[{_EXTRAS[library]}]'."
        ) from None
