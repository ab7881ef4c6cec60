"""The provenance of results, from which they can be reproduced."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import spacy_npparse
from spacy_npparse.files import checksum


@dataclass(frozen=True)
class Provenance:
    """The origin of a result.

    Attributes:
        command: The command line.
        version: The version of this package.
        checksums: The SHA-256 checksums of the input files, by the paths that were given.
    """

    command: str
    version: str
    checksums: dict[str, str]


def provenance(arguments: Sequence[str], files: Iterable[Path]) -> Provenance:
    """Record the provenance of the results of a command.

    Args:
        arguments: The arguments of `python -m spacy_npparse`.
        files: The files that the command reads.
    """
    return Provenance(
        command=shlex.join(["python", "-m", "spacy_npparse", *arguments]),
        version=spacy_npparse.__version__,
        checksums={str(path): checksum(path) for path in files},
    )
