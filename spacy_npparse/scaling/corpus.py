"""An annotated corpus: a folder of shards, begun, continued where it stopped, and completed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import IO

import spacy_npparse
from spacy_npparse.files import checksum, replacing
from spacy_npparse.scaling.locks import Part, annotating, is_anybody_annotating, planning
from spacy_npparse.scaling.manifest import (
    MANIFEST,
    CorpusMismatchError,
    Manifest,
    check_inputs,
    check_same,
    note_input,
    read_manifest,
)
from spacy_npparse.scaling.plan import Shard, plan
from spacy_npparse.scaling.shards import (
    DamagedShardError,
    Job,
    ShardRecord,
    check_shard,
    read_record,
)

_LOCKS = ".locks"
_STDIN = "stdin.txt"
_LIBRARIES = ("spacy", "thinc", "torch", "numpy")
_TEMPORARY = ".spacy_npparse.*"
_COUNTS = ("n_docs", "n_sentences", "n_words", "n_quarantined")
_COPIED_AT_ONCE = 2**20


@dataclass(frozen=True)
class Corpus:
    """The shards of a corpus.

    Attributes:
        job: What they have in common.
        manifest: What they are made from, and where the corpus is cut.
        part: The part of them that this process annotates.
    """

    job: Job
    manifest: Manifest
    part: Part = Part()

    @property
    def shards(self) -> list[Shard]:
        """The shards of the part."""
        return self.manifest.shards[self.part.number - 1 :: self.part.n_parts]

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes from annotating the part.

        Raises:
            CorpusInUseError: Another one does.
        """
        locks = self.job.files.folder / _LOCKS
        with ExitStack() as held:
            # Meanwhile, no other process asks for locks, or begins to write.
            with planning(locks):
                held.enter_context(annotating(locks, self.part))
                if not is_anybody_annotating(locks, self.part):
                    _remove_temporary(self.job.files.folder, f"*/{_TEMPORARY}")
            yield

    def finished(self, shard: Shard) -> ShardRecord | None:
        """The record of a shard, None if it has not been finished.

        Args:
            shard: The shard.

        Raises:
            DamagedShardError: It is not as it was written.
        """
        record = read_record(self.job.files, shard)
        if record is not None:
            check_shard(self.job.files, shard, record)
        return record

    def complete(self) -> Manifest | None:
        """Write the counts and checksums of all shards to the manifest, if all are finished.

        Returns:
            The manifest; None if shards are missing, for instance those of other parts.
        """
        records = []
        for shard in self.manifest.shards:
            try:
                record = read_record(self.job.files, shard)
            except DamagedShardError:
                return None
            if record is None:
                return None
            records.append(record)
        manifest = replace(
            self.manifest,
            counts={name: sum(getattr(one, name) for one in records) for name in _COUNTS},
            checksums=[one.checksum for one in records],
        )
        with planning(self.job.files.folder / _LOCKS):
            manifest.write(self.job.files.folder)
        return manifest


def begin_corpus(
    job: Job,
    words_per_shard: int,
    pipeline_checksum: str,
    part: Part,
    watch: Callable[[Iterable[Shard]], Iterable[Shard]] = iter,
) -> Corpus:
    """Begin a corpus, or continue it.

    Args:
        job: What the shards have in common.
        words_per_shard: See `plan`.
        pipeline_checksum: Of its pipeline.
        part: The part that this process annotates.
        watch: Gets the shards while they are planned, and returns them.

    Returns:
        The corpus.

    Raises:
        CorpusMismatchError: The folder holds one that was made from other files, with another
            pipeline or other settings, or it is not known from what.
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
    with planning(job.files.folder / _LOCKS):
        # What is in the folder itself is written with this lock only.
        _remove_temporary(job.files.folder, _TEMPORARY)
        if (job.files.folder / MANIFEST).exists():
            manifest = read_manifest(job.files.folder)
            check_same(
                {**manifest.made_with, **manifest.settings}, known | settings, job.files.folder
            )
            check_inputs(manifest.inputs, job.inputs, job.files.folder)
        else:
            _check_new(job.files.folder)
            manifest = Manifest(
                made_with=known,
                libraries={name: version(name) for name in _LIBRARIES},
                settings=settings,
                inputs=[note_input(one) for one in job.inputs],
                shards=list(watch(plan(job.inputs, job.options, words_per_shard))),
            )
            manifest.write(job.files.folder)
    return Corpus(job, manifest, part)


def _check_new(folder: Path) -> None:
    """Check that a folder without a manifest has no records: they would be taken for those of the
    shards that are planned now."""
    if any(folder.glob("records/*.json")):
        raise CorpusMismatchError(
            f"{folder} has finished shards but no {MANIFEST}: what they were made from is not "
            "known. Give another folder, or delete this one."
        )


def _remove_temporary(folder: Path, pattern: str) -> None:
    """Remove the temporary files of processes that were killed."""
    for path in folder.glob(pattern):
        path.unlink(missing_ok=True)


def keep_stdin(stream: IO[bytes], folder: Path) -> Path:
    """Copy standard input to the folder of a corpus, because shards may be read more than once.

    Args:
        stream: Standard input, a text.
        folder: The folder.

    Returns:
        The file.

    Raises:
        CorpusMismatchError: The corpus was begun with another text.
    """
    path = folder / _STDIN
    content = hashlib.sha256()
    with planning(folder / _LOCKS), replacing(path) as file:
        while block := stream.read(_COPIED_AT_ONCE):
            content.update(block)
            file.write(block)
        if path.exists() and checksum(path) != content.hexdigest():
            raise CorpusMismatchError(
                f"Standard input is not the text that {folder} was begun with. Give the same one, "
                "or another folder."
            )
    return path
