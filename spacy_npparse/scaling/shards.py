"""Annotation of a shard, the function that every executor runs.

A shard is written under a temporary name and then renamed, and its record is written afterwards. A
record with the checksums of its files means that the shard is finished.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from textwrap import shorten

from spacy_npparse.files import WriteError, checksum, replacing
from spacy_npparse.scaling.attempts import Attempt, DeadlyTextError
from spacy_npparse.scaling.bounds import Oversized
from spacy_npparse.scaling.formats import FORMATS, Format
from spacy_npparse.scaling.inputs import Input
from spacy_npparse.scaling.pipelines import Pipeline
from spacy_npparse.scaling.plan import Shard, units_of_shard
from spacy_npparse.scaling.quarantine import Quarantined, quarantined, write_quarantine
from spacy_npparse.scaling.termination import cleaning_up_on_termination
from spacy_npparse.scaling.texts import Text, UnreadableError, texts_of_unit
from spacy_npparse.scaling.units import Reading, UnitReader
from spacy_npparse.treebank import sentences_from_doc
from spacy_npparse.treebank.annotating import attempt_sources
from spacy_npparse.workfolder import DamagedFileError, check_file, read_json, write_json

# The folder for communication between processes. Files with the first suffix are locks of shards.
LOCKS = ".locks"
LOCK = ".lock"
# Files with this suffix are notes of attempts.
ATTEMPT = ".attempt"
_LONGEST_REASON = 300
# A vocabulary keeps every word that it has seen. After this number of new ones, a few hundred
# megabytes, the pipeline is loaded again. spaCy's memory zones would free strings that components
# may still need.
MOST_NEW_STRINGS = 500_000


class FailingPipelineError(RuntimeError):
    """A pipeline that fails with every text. The message has the first reason and the remedy."""


@dataclass(frozen=True)
class ShardFiles:
    """The files of an annotated corpus.

    Attributes:
        folder: The folder of the corpus.
        format: The name of the format, a key of `FORMATS`.
    """

    folder: Path
    format: str

    def shard(self, shard: Shard) -> Path:
        """Find the file of a shard."""
        return self.folder / "shards" / f"{shard.name}{FORMATS[self.format].suffix}"

    def record(self, shard: Shard) -> Path:
        """Find the file of a shard's record."""
        return self.folder / "records" / f"{shard.name}.json"

    def quarantine(self, shard: Shard) -> Path:
        """Find the file of a shard's texts that could not be annotated, which may not exist."""
        return self.folder / "quarantine" / f"{shard.name}.jsonl"

    def lock(self, shard: Shard) -> Path:
        """Find the file that the process which annotates a shard locks."""
        return self.folder / LOCKS / f"{shard.name}{LOCK}"

    def attempt(self, shard: Shard) -> Path:
        """Find the note of an `Attempt` to annotate a shard."""
        return self.folder / LOCKS / f"{shard.name}{ATTEMPT}"


@dataclass(frozen=True)
class Job:
    """The settings that all shards of a corpus share.

    Attributes:
        pipeline: The pipeline that annotates the shards.
        inputs: The input files of the corpus.
        options: The settings of reading.
        batch_size: The number of Docs in a batch.
        files: The files that are written.
    """

    pipeline: Pipeline
    inputs: list[Input]
    options: Reading
    batch_size: int
    files: ShardFiles


@dataclass(frozen=True)
class ShardRecord:
    """The record of a finished shard.

    Attributes:
        checksum: The SHA-256 checksum of its file.
        quarantine: The SHA-256 checksum of the file of texts that could not be annotated; None if
            there is none.
        n_docs: The number of Docs.
        n_sentences: The number of sentences.
        n_words: The number of words that the pipeline found.
        n_quarantined: The number of texts that could not be annotated.
        seconds: The time that the annotation took, in seconds.
    """

    checksum: str
    quarantine: str | None
    n_docs: int
    n_sentences: int
    n_words: int
    n_quarantined: int
    seconds: float


def read_record(files: ShardFiles, shard: Shard) -> ShardRecord | None:
    """Read the record of a shard.

    Args:
        files: The files of the corpus.
        shard: The shard.

    Returns:
        The record; None if the shard is not finished.

    Raises:
        DamagedFileError: The record is damaged.
    """
    path = files.record(shard)
    if not path.exists():
        return None
    try:
        return ShardRecord(**read_json(path))
    except TypeError:
        raise DamagedFileError(f"{path} is not the record of a shard") from None


def check_shard(files: ShardFiles, shard: Shard, record: ShardRecord) -> None:
    """Check that a finished shard has not changed.

    Args:
        files: The files of the corpus.
        shard: The shard.
        record: The record of the shard.

    Raises:
        DamagedFileError: The shard has changed or is missing.
    """
    check_file(files.shard(shard), record.checksum)
    if record.quarantine is not None:
        check_file(files.quarantine(shard), record.quarantine)


class Annotator:
    """A pipeline in a process, which annotates one shard after another.

    Args:
        job: The settings that all shards share.
    """

    def __init__(self, job: Job) -> None:
        self._job = job
        self._reader = UnitReader(job.inputs, job.options)
        self._load()

    def annotate(self, shard: Shard) -> ShardRecord:
        """Annotate a shard, and write it.

        Args:
            shard: The shard.

        Returns:
            The record of the shard, which is written as well.

        Raises:
            FailingPipelineError: Several texts fail, and all others, if any, cannot be read or end
                the process.
            InputError: The shard cannot be read, or has changed since it was planned.
            WriteError: The shard cannot be written.
        """
        with cleaning_up_on_termination():
            start = time.perf_counter()
            if len(self._nlp.vocab.strings) > self._n_strings + MOST_NEW_STRINGS:
                self._load()
            files = self._job.files
            attempt = Attempt(files.attempt(shard))
            lost: list[Quarantined] = []
            failed: list[Quarantined] = []
            texts = self._texts(shard, lost)
            n_docs = n_sentences = n_words = 0
            path = files.shard(shard)
            with replacing(path) as file:
                writer = self._format.writer(file)
                for text, result in attempt_sources(
                    self._nlp,
                    texts,
                    lambda text: text.prepared(self._nlp.vocab),
                    batch_size=self._job.batch_size,
                    watching=attempt.watching,
                ):
                    try:
                        if isinstance(result, Exception):
                            raise result
                        doc = text.finished(result)
                        sentences = sentences_from_doc(doc)
                        writer.add(doc, sentences)
                    except WriteError:
                        raise
                    except Exception as error:  # of every kind that a pipeline may raise
                        lost.append(quarantined(text.place, _reason(error), str(text)))
                        if not isinstance(error, DeadlyTextError):
                            failed.append(lost[-1])
                        continue
                    n_docs += 1
                    n_sentences += len(sentences)
                    n_words += sum(len(sentence.words) for sentence in sentences)
                if n_docs == 0:
                    _check_failures(shard, failed)
                writer.close()
            write_quarantine(lost, files.quarantine(shard))
            record = ShardRecord(
                checksum=checksum(path),
                quarantine=checksum(files.quarantine(shard)) if lost else None,
                n_docs=n_docs,
                n_sentences=n_sentences,
                n_words=n_words,
                n_quarantined=len(lost),
                seconds=round(time.perf_counter() - start, 3),
            )
            attempt.finish()
            write_json(asdict(record), files.record(shard))
            return record

    def _load(self) -> None:
        self._nlp = self._job.pipeline.load()
        self._n_strings = len(self._nlp.vocab.strings)

    @property
    def _format(self) -> Format:
        return FORMATS[self._job.files.format]

    def _texts(self, shard: Shard, lost: list[Quarantined]) -> list[Text]:
        """Read the texts of a shard. Those that the pipeline cannot get are quarantined."""
        found: list[Text] = []
        for one, unit in units_of_shard(shard, self._reader):
            try:
                found += texts_of_unit(unit, one, self._job.options, self._nlp.max_length)
            except UnreadableError as error:
                is_read = not isinstance(unit.content, Oversized)
                text = unit.raw.decode("utf-8", "backslashreplace") if is_read else ""
                place = f"{one.path}, line {unit.line}"
                lost.append(quarantined(place, str(error), text))
        return found


def _check_failures(shard: Shard, failed: Sequence[Quarantined]) -> None:
    """Raise FailingPipelineError if all texts of a shard have failed, so that the pipeline is
    probably at fault."""
    if len(failed) > 1:
        first = failed[0]
        raise FailingPipelineError(
            f"All {len(failed)} texts of shard {shard.name} failed, so the texts are probably "
            f"not the cause. The first one is {first.place}: {first.reason}. Correct the "
            "pipeline or the machine, and run the command again. If the texts are the cause, "
            "give other texts and another folder."
        )


def _reason(error: Exception) -> str:
    """Write the reason of a failure."""
    if isinstance(error, DeadlyTextError):
        return str(error)
    return shorten(f"{type(error).__name__}: {error}", _LONGEST_REASON, placeholder=" …")
