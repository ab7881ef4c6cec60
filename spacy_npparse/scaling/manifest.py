"""The manifest of an annotated corpus: what was done with what. It is written before the first
shard, and once more, with the counts, after the last."""

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
    """What is known of a file of the corpus.

    Attributes:
        path: The file.
        name: Identifies it in the corpus.
        size: Its size in bytes.
        modified: When it was changed last, in nanoseconds.
        checksum: SHA-256 of its content.
    """

    path: str
    name: str
    size: int
    modified: int
    checksum: str


@dataclass(frozen=True)
class Manifest:
    """What an annotated corpus was made from.

    Attributes:
        made_with: The version of this package, and the checksums of the pipeline and of its code.
        libraries: Versions of the libraries that compute.
        settings: What else determines the shards.
        inputs: The files.
        shards: The plan.
        counts: Sentences, words and the like, when all shards are finished.
        checksums: SHA-256 of the shards, when all are finished.
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
        """The manifest as it is written before anything is annotated."""
        return replace(self, counts={}, checksums=[])

    def write(self, folder: Path) -> None:
        """Write it.

        Args:
            folder: That of the annotated corpus.
        """
        with replacing(folder / MANIFEST) as file:
            file.write((json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n").encode())


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of an annotated corpus.

    Args:
        folder: Its folder.

    Raises:
        FileNotFoundError: There is none.
        FolderMismatchError: It is damaged.
    """
    path = folder / MANIFEST
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        inputs = [InputNote(**note) for note in data.pop("inputs")]
        shards = [_shard(*values) for values in data.pop("shards")]
        return Manifest(**data, inputs=inputs, shards=shards)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise FolderMismatchError(
            f"{path} is damaged ({type(error).__name__}: {error}): what the shards beside it were "
            "made from is not known. Delete the folder, or give another one."
        ) from error


def _shard(number: int, begin: list[int], n_units: int, n_words: int, digest: str) -> Shard:
    return Shard(number, Position(*begin), n_units, n_words, digest)


def note_input(one: Input) -> InputNote:
    """Note what a file is.

    Args:
        one: The file.
    """
    status = one.path.stat()
    content = checksum(one.path)
    return InputNote(str(one.path), one.name, status.st_size, status.st_mtime_ns, content)


def check_inputs(known: Sequence[InputNote], inputs: Sequence[Input], folder: Path) -> None:
    """Check that the files of a corpus are those that its shards were planned for. The content of a
    file is read only if its size or the time of its last change is another.

    Args:
        known: What was noted of them.
        inputs: The files.
        folder: That of the annotated corpus, for the message.

    Raises:
        FolderMismatchError: They are not.
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
