"""Texts that could not be annotated, and the reasons, as JSON lines beside the shards."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from spacy_npparse.files import replacing

# The maximum number of characters that are kept.
_LONGEST_BEGINNING = 200


class Quarantined(NamedTuple):
    """A text that could not be annotated.

    Attributes:
        place: The file and the line.
        reason: The reason and the remedy.
        text: The beginning of the text; empty if it was too large to be read.
    """

    place: str
    reason: str
    text: str


def quarantined(place: str, reason: str, text: str) -> Quarantined:
    """Note that a text could not be annotated, without copying all of it.

    Args:
        place: The file and the line.
        reason: The reason and the remedy.
        text: The text, as far as it was read.
    """
    return Quarantined(place, reason, text[:_LONGEST_BEGINNING])


def write_quarantine(texts: Sequence[Quarantined], path: Path) -> None:
    """Write the quarantined texts of a shard.

    Args:
        texts: The texts. If there are none, no file is written.
        path: The file.
    """
    if not texts:
        path.unlink(missing_ok=True)
        return
    with replacing(path) as file:
        for text in texts:
            file.write(json.dumps(text._asdict()).encode() + b"\n")
