"""The note of the settings with which a folder was begun. Work is resumed only with the same
settings."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from spacy_npparse.errors import UserError


class FolderMismatchError(UserError, ValueError):
    """A folder that was begun with other settings. The message has the differences and the
    remedy."""


def check_same(known: Mapping[str, Any], present: Mapping[str, Any], folder: Path) -> None:
    """Check that a folder is resumed with the settings with which it was begun.

    Args:
        known: The settings with which the folder was begun, by name.
        present: The present settings.
        folder: The folder, for the message.

    Raises:
        FolderMismatchError: A setting differs.
    """
    differing = [
        f"{name}: {known.get(name)} before, {value} now"
        for name, value in present.items()
        if known.get(name) != value
    ]
    if differing:
        raise FolderMismatchError(
            f"{folder} was started with other settings ({'; '.join(differing)}). Give the same "
            "ones, or another folder."
        )
