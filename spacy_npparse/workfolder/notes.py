"""What a folder was begun with: it is continued with the same, or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from spacy_npparse.errors import UserError


class FolderMismatchError(UserError, ValueError):
    """A folder was begun with something else; the message says what differs, and the remedy."""


def check_same(known: Mapping[str, Any], present: Mapping[str, Any], folder: Path) -> None:
    """Check that a folder is continued with what it was begun with.

    Args:
        known: What it was begun with, by name.
        present: What is given now.
        folder: The folder, for the message.

    Raises:
        FolderMismatchError: Something differs.
    """
    differing = [
        f"{name}: {known.get(name)} before, {value} now"
        for name, value in present.items()
        if known.get(name) != value
    ]
    if differing:
        raise FolderMismatchError(
            f"{folder} was begun with other settings ({'; '.join(differing)}). Give the same ones, "
            "or another folder."
        )
