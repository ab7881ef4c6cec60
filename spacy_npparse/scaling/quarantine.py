"""Texts that could not be annotated, with the reasons: JSON lines beside the shards."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from spacy_npparse.files import replacing

# In characters.
_LONGEST_BEGINNING = 200


class Quarantined(NamedTuple):
    """A text that could not be annotated.

    Attributes:
        place: The file and the line.
        reason: Why, and what to do about it.
        text: How it begins; empty if it was too large to be read.
    """

    place: str
    reason: str
    text: str


def quarantined(place: str, reason: str, text: str) -> Quarantined:
    """Note that a text could not be annotated, without a copy of all of it.

    Args:
        place: See `Quarantined`.
        reason: See there.
        text: The whole text, as far as it was read.
    """
    return Quarantined(place, reason, text[:_LONGEST_BEGINNING])


def write_quarantine(texts: Sequence[Quarantined], path: Path) -> None:
    """Write the quarantined texts of a shard.

    Args:
        texts: The texts; without any, there is no file.
        path: The file.
    """
    if not texts:
        path.unlink(missing_ok=True)
        return
    with replacing(path) as file:
        for text in texts:
            file.write(json.dumps(text._asdict()).encode() + b"\n")
