"""The manifest of an annotated corpus, which states its origin. It is written before the first
shard, and again with the counts after the last one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from spacy_npparse.files import checksum, replacing
from spacy_npparse.scaling.inputs import Input
from spacy_npparse.scaling.plan import Shard
from spacy_npparse.scaling.units import Position
from spacy_npparse.workfolder import FolderMismatchError

MANIFEST = "manifest.json"


@dataclass(frozen=True)
class InputNote:
    """The state of an input file.

    Attributes:
        path: The path of the file.
        name: The unique name of the file in the corpus.
        size: The size of the file in bytes.
        modified: The time of its last change, in nanoseconds.
        checksum: The SHA-256 checksum of its content.
    """

    path: str
    name: str
    size: int
    modified: int
    checksum: str


@dataclass(frozen=True)
class Manifest:
    """The origin of an annotated corpus.

    Attributes:
        made_with: The version of this package, and the checksums of the pipeline and of its code.
        libraries: The versions of the libraries that compute.
        settings: The other settings that determine the shards.
        inputs: The input files.
        shards: The planned shards.
        counts: The numbers of sentences, words and so on, when all shards are finished.
        checksums: The SHA-256 checksums of the shards, when all are finished.
    """

    made_with: dict[str, str | None]
    libraries: dict[str, str]
    settings: dict[str, Any]
    inputs: list[InputNote]
    shards: list[Shard]
    counts: dict[str, int] = field(default_factory=dict)
    checksums: list[str] = field(default_factory=list)

    @property
    def plan(self) -> Manifest:
        """The manifest before anything has been annotated."""
        return replace(self, counts={}, checksums=[])

    def write(self, folder: Path) -> None:
        """Write the manifest.

        Args:
            folder: The folder of the corpus.
        """
        with replacing(folder / MANIFEST) as file:
            file.write((json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n").encode())


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of an annotated corpus.

    Args:
        folder: The folder of the corpus.

    Raises:
        FileNotFoundError: The folder has no manifest.
        FolderMismatchError: The manifest is damaged.
    """
    path = folder / MANIFEST
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        inputs = [InputNote(**note) for note in data.pop("inputs")]
        shards = [_shard(*values) for values in data.pop("shards")]
        return Manifest(**data, inputs=inputs, shards=shards)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise FolderMismatchError(
            f"{path} is damaged ({type(error).__name__}: {error}), so it is not known from what "
            "the shards next to it were made. Delete the folder, or give another one."
        ) from error


def _shard(number: int, begin: list[int], n_units: int, n_words: int, digest: str) -> Shard:
    return Shard(number, Position(*begin), n_units, n_words, digest)


def note_input(one: Input) -> InputNote:
    """Note the state of an input file.

    Args:
        one: The file.
    """
    status = one.path.stat()
    content = checksum(one.path)
    return InputNote(str(one.path), one.name, status.st_size, status.st_mtime_ns, content)


def check_inputs(known: Sequence[InputNote], inputs: Sequence[Input], folder: Path) -> None:
    """Check that the input files are those that the shards were planned for. The content of a file
    is read only if its size or the time of its last change differs.

    Args:
        known: The states that were noted.
        inputs: The present files.
        folder: The folder of the corpus, for the message.

    Raises:
        FolderMismatchError: The files differ.
    """
    names = [note.name for note in known]
    present = [one.name for one in inputs]
    if names != present:
        before, now = set(names), set(present)
        others = [name for name in names if name not in now]
        added = [name for name in present if name not in before]
        differing = [f"{_few(others)} missing"] if others else []
        differing += [f"{_few(added)} added"] if added else []
        raise FolderMismatchError(
            f"{folder} was planned for other files ({'; '.join(differing) or 'in another order'}). "
            "Give the same ones in the same order, or another folder."
        )
    for note, one in zip(known, inputs, strict=True):
        status = one.path.stat()
        if (note.size, note.modified) == (status.st_size, status.st_mtime_ns):
            continue
        if note.size != status.st_size or note.checksum != checksum(one.path):
            raise FolderMismatchError(
                f"{one.path} has changed since the shards in {folder} were planned. Restore the "
                "file, or give another folder."
            )


def _few(names: Sequence[str]) -> str:
    shown = ", ".join(names[:3])
    return shown if len(names) <= 3 else f"{shown} and {len(names) - 3} more"
