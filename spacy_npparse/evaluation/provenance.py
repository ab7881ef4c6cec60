"""The provenance of results, from which they can be reproduced."""

from __future__ import annotations

from dataclasses import dataclass


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
