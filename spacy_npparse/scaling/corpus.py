"""An annotated corpus: a folder of shards that is begun, resumed and completed."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, suppress
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any

from filelock import BaseFileLock

import spacy_npparse
from spacy_npparse.files import checksum, replacing
from spacy_npparse.scaling.inputs import STDIN_COPY
from spacy_npparse.scaling.manifest import (
    MANIFEST,
    Manifest,
    check_inputs,
    note_input,
    read_manifest,
)
from spacy_npparse.scaling.plan import Shard, plan
from spacy_npparse.scaling.shards import (
    ATTEMPT,
    LOCK,
    LOCKS,
    Job,
    ShardRecord,
    check_shard,
    read_record,
)
from spacy_npparse.workfolder import (
    DamagedFileError,
    FolderMismatchError,
    check_same,
    claim,
    waiting_for,
)

_LIBRARIES = ("spacy", "thinc", "torch", "numpy")
_RECORDS = "records/*.json"
_TEMPORARY = ".spacy_npparse.*"
_COUNTS = ("n_docs", "n_sentences", "n_words", "n_quarantined")
_COPIED_AT_ONCE = 2**20


@dataclass(frozen=True)
class Corpus:
    """The shards of a corpus.

    Attributes:
        job: The settings that all shards share.
        manifest: The origin of the shards and the places where the corpus is cut.
        written: The version of the manifest file that was read or written.
    """

    job: Job
    manifest: Manifest
    written: tuple[int, int]

    @property
    def shards(self) -> list[Shard]:
        """The shards in the order of the corpus."""
        return self.manifest.shards

    def claim(self, shard: Shard) -> BaseFileLock | None:
        """Keep other processes from annotating a shard.

        Args:
            shard: The shard.

        Returns:
            A lock for `release`; None if another process annotates the shard.

        Raises:
            FolderMismatchError: Another process has planned the folder again.
        """
        folder = self.job.files.folder
        # Another process may be checking whether anybody is annotating.
        with planning(folder):
            if _written(folder) != self.written:
                # The manifest may also be that of a process that has completed the corpus.
                if read_manifest(folder).plan != self.manifest.plan:
                    raise FolderMismatchError(
                        f"{folder}: another command uses this folder with other settings. Give "
                        "another folder."
                    )
            return claim(self.job.files.lock(shard))

    def release(self, shard: Shard, claimed: BaseFileLock) -> None:
        """Let other processes annotate a shard if it is not finished.

        Args:
            shard: The shard.
            claimed: The lock that `claim` returned.
        """
        with suppress(OSError):  # where no open file can be removed
            self.job.files.lock(shard).unlink()
        claimed.release()

    def finished(self, shard: Shard) -> ShardRecord | None:
        """Find the record of a shard, and check the shard; None if it is not finished.

        Args:
            shard: The shard.

        Raises:
            DamagedFileError: The shard or its record is damaged.
        """
        record = read_record(self.job.files, shard)
        if record is not None:
            check_shard(self.job.files, shard, record)
        return record

    def complete(self) -> Manifest | None:
        """Write the counts and checksums of all shards to the manifest if all are finished.

        Returns:
            The manifest; None if shards are missing, for example those of other processes.
        """
        records = []
        for shard in self.manifest.shards:
            try:
                record = read_record(self.job.files, shard)
            except DamagedFileError:
                return None
            if record is None:
                return None
            records.append(record)
        manifest = replace(
            self.manifest,
            counts={name: sum(getattr(one, name) for one in records) for name in _COUNTS},
            checksums=[one.checksum for one in records],
        )
        with planning(self.job.files.folder):
            manifest.write(self.job.files.folder)
        return manifest


def begin_corpus(
    job: Job,
    words_per_shard: int,
    pipeline_checksum: str,
    watch: Callable[[Iterable[Shard]], Iterable[Shard]] = iter,
) -> Corpus:
    """Begin or resume a corpus.

    Args:
        job: The settings that all shards share.
        words_per_shard: The number of words after which a shard ends.
        pipeline_checksum: The checksum of the pipeline.
        watch: A function that passes on the shards while they are planned, such as a progress bar.

    Returns:
        The corpus.

    Raises:
        FolderMismatchError: The folder has a corpus that was made from other files, with another
            pipeline or other settings, or whose origin is unknown.
        InputError: A file cannot be read.
    """
    code = job.pipeline.code
    known = {
        "spacy_npparse": spacy_npparse.__version__,
        "model": pipeline_checksum,
        "code": checksum(code) if code else None,
    }
    settings = {
        "format": job.files.format,
        "batch_size": job.batch_size,
        "words_per_shard": words_per_shard,
        "treebank": job.pipeline.treebank,
        **asdict(job.options),
    }
    with planning(job.files.folder):
        _remove_temporary(job.files.folder)
        manifest = _planned(job, known | settings)
        if manifest is None:
            manifest = Manifest(
                made_with=known,
                libraries={name: version(name) for name in _LIBRARIES},
                settings=settings,
                inputs=[note_input(one) for one in job.inputs],
                shards=list(watch(plan(job.inputs, job.options, words_per_shard))),
            )
            manifest.write(job.files.folder)
        return Corpus(job, manifest, _written(job.files.folder))


def _planned(job: Job, present: dict[str, Any]) -> Manifest | None:
    """Find the manifest that was planned for a job; None if there is none, or if it is for another
    job and nothing has been annotated."""
    folder = job.files.folder
    if not (folder / MANIFEST).exists():
        # Old records would be taken for those of the new shards.
        if any(folder.glob(_RECORDS)):
            raise FolderMismatchError(
                f"{folder} has finished shards but no {MANIFEST}, so it is not known from what "
                "they were made. Give another folder, or delete this one."
            )
        return None
    try:
        manifest = read_manifest(folder)
        check_same({**manifest.made_with, **manifest.settings}, present, folder)
        check_inputs(manifest.inputs, job.inputs, folder)
    except FolderMismatchError:
        if _is_used(folder):
            raise
        for note in folder.glob(f"{LOCKS}/*{ATTEMPT}"):
            note.unlink()
        return None
    return manifest


def _is_used(folder: Path) -> bool:
    """Check whether anything in a folder has been annotated, or is being annotated."""
    return (
        any(folder.glob(_RECORDS))
        or any(folder.glob("shards/*"))
        or any(map(_is_claimed, folder.glob(f"{LOCKS}/*{LOCK}")))
    )


def _written(folder: Path) -> tuple[int, int]:
    """Find the version of the manifest file, which changes whenever it is written."""
    status = (folder / MANIFEST).stat()
    return status.st_ino, status.st_mtime_ns


def planning(folder: Path) -> AbstractContextManager[None]:
    """Keep other processes from planning and from claiming shards. They wait.

    Args:
        folder: The folder of the corpus.
    """
    return waiting_for(folder / LOCKS / "plan")


def _remove_temporary(folder: Path) -> None:
    """Remove the temporary files and folders of processes that were killed. Only while
    `planning`."""
    # Files in the folder itself are written only while planning.
    found = [*folder.glob(_TEMPORARY)]
    if not any(map(_is_claimed, folder.glob(f"{LOCKS}/*{LOCK}"))):
        found += folder.glob(f"*/{_TEMPORARY}")
    for path in found:
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def _is_claimed(lock: Path) -> bool:
    claimed = claim(lock)
    if claimed is None:
        return True
    claimed.release()
    return False


def keep_stdin(stream: IO[bytes], folder: Path) -> Path:
    """Copy standard input to the folder of a corpus, because shards may be read several times.

    Args:
        stream: Standard input, which is a text.
        folder: The folder.

    Returns:
        The path of the copy.

    Raises:
        FolderMismatchError: The corpus was begun with another text.
    """
    path = folder / STDIN_COPY
    with planning(folder):
        if not path.exists() or not _is_used(folder):
            with replacing(path) as file:
                shutil.copyfileobj(stream, file, _COPIED_AT_ONCE)
            return path
    # The copy is only compared, while other processes annotate.
    content = hashlib.sha256()
    while block := stream.read(_COPIED_AT_ONCE):
        content.update(block)
    if checksum(path) != content.hexdigest():
        raise FolderMismatchError(
            f"Standard input differs from the text with which {folder} was started. Give the same "
            "text, or another folder."
        )
    return path
