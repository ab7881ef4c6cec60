"""What a result was made from, so that it can be made again."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import spacy_npparse


@dataclass(frozen=True)
class Provenance:
    """What a report names.

    command: the command line. version: of this package. checksums: SHA-256 of the files, by the
    names they were given.
    """

    command: str
    version: str
    checksums: dict[str, str]


def provenance(arguments: Sequence[str], files: Iterable[Path]) -> Provenance:
    """What a command of this package is about to make a result from.

    arguments: of `python -m spacy_npparse`. files: that it reads.
    """
    return Provenance(
        command=shlex.join(["python", "-m", "spacy_npparse", *arguments]),
        version=spacy_npparse.__version__,
        checksums={str(path): checksum(path) for path in files},
    )


def checksum(path: Path) -> str:
    """SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
