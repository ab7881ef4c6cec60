"""Provenance of results: what is needed to reproduce them."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import spacy_npparse
from spacy_npparse.files import checksum


@dataclass(frozen=True)
class Provenance:
    """What a result was computed from.

    Attributes:
        command: The command line.
        version: Version of this package.
        checksums: SHA-256 of the input files, by the paths they were given as.
    """

    command: str
    version: str
    checksums: dict[str, str]


def provenance(arguments: Sequence[str], files: Iterable[Path]) -> Provenance:
    """The provenance of what a command of this package computes.

    Args:
        arguments: The arguments of `python -m spacy_npparse`.
        files: The files that the command reads.
    """
    return Provenance(
        command=shlex.join(["python", "-m", "spacy_npparse", *arguments]),
        version=spacy_npparse.__version__,
        checksums={str(path): checksum(path) for path in files},
    )
