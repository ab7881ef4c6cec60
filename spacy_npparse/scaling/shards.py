"""Annotation of one shard: the function that every executor runs.

A shard is written under a temporary name and renamed, then its record. A record whose checksums are
those of its files says that the shard is finished.
"""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from textwrap import shorten

from spacy.language import Language
from spacy.tokens import Doc

from spacy_npparse.files import WriteError, checksum, replacing
from spacy_npparse.scaling.formats import FORMATS, Format
from spacy_npparse.scaling.inputs import Input
from spacy_npparse.scaling.pipelines import Pipeline
from spacy_npparse.scaling.plan import Shard, units_of_shard
from spacy_npparse.scaling.quarantine import Quarantined, write_quarantine
from spacy_npparse.scaling.termination import cleaning_up_on_termination
from spacy_npparse.scaling.texts import Text, UnreadableError, lost_text, texts_of_unit
from spacy_npparse.scaling.units import Reading, UnitReader
from spacy_npparse.treebank import sentences_from_doc
from spacy_npparse.treebank.annotating import attempt_sources

_LONGEST_REASON = 300
# A vocabulary keeps every word that it has ever seen. With that many, a few hundred megabytes, the
# pipeline is loaded anew; spaCy's memory zones would free strings that components may still need.
_MOST_NEW_STRINGS = 500_000
_KILLED = (
    "the process that annotated it was killed, each time that it was tried, possibly out of "
    "memory. Shorten the text."
)


class FailingPipelineError(RuntimeError):
    """A pipeline fails with every text; the message has the first reason and the remedy."""


class DamagedShardError(ValueError):
    """A shard is not as it was written; the message names the file."""


@dataclass(frozen=True)
class ShardFiles:
    """The files of an annotated corpus.

    Attributes:
        folder: Has all of them.
        format: A key of `FORMATS`.
    """

    folder: Path
    format: str

    def shard(self, shard: Shard) -> Path:
        """The file of a shard."""
        return self.folder / "shards" / f"{shard.name}{FORMATS[self.format].suffix}"

    def record(self, shard: Shard) -> Path:
        """The file of its record."""
        return self.folder / "records" / f"{shard.name}.json"

    def quarantine(self, shard: Shard) -> Path:
        """The file of its texts that could not be annotated, if there are any."""
        return self.folder / "quarantine" / f"{shard.name}.jsonl"


@dataclass(frozen=True)
class Job:
    """What the shards of a corpus have in common.

    Attributes:
        pipeline: Annotates them.
        inputs: The files of the corpus.
        options: How they are read.
        batch_size: Docs in a batch.
        files: What is written.
    """

    pipeline: Pipeline
    inputs: list[Input]
    options: Reading
    batch_size: int
    files: ShardFiles


@dataclass(frozen=True)
class ShardRecord:
    """What is known of a finished shard.

    Attributes:
        checksum: SHA-256 of its file.
        quarantine: SHA-256 of the file of texts that could not be annotated, None without any.
        n_planned_words: Number of its words in the plan.
        n_docs: Number of its Docs.
        n_sentences: Number of its sentences.
        n_words: Number of its words, as the pipeline found them.
        n_quarantined: Number of texts that could not be annotated.
        seconds: How long it took.
    """

    checksum: str
    quarantine: str | None
    n_planned_words: int
    n_docs: int
    n_sentences: int
    n_words: int
    n_quarantined: int
    seconds: float


def read_record(files: ShardFiles, shard: Shard) -> ShardRecord | None:
    """The record of a shard.

    Args:
        files: Those of the corpus.
        shard: The shard.

    Returns:
        The record, None if the shard has not been finished.

    Raises:
        DamagedShardError: It is damaged.
    """
    path = files.record(shard)
    try:
        return ShardRecord(**json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except (TypeError, ValueError):
        raise DamagedShardError(f"{path} is not the record of a shard") from None


def check_shard(files: ShardFiles, shard: Shard, record: ShardRecord) -> None:
    """Check that a finished shard is as it was written.

    Args:
        files: Those of the corpus.
        shard: The shard.
        record: Its record.

    Raises:
        DamagedShardError: It is not.
    """
    checksums = {files.shard(shard): record.checksum}
    if record.quarantine is not None:
        checksums[files.quarantine(shard)] = record.quarantine
    for file, known in checksums.items():
        if not file.exists():
            raise DamagedShardError(f"{file} is missing")
        if checksum(file) != known:
            raise DamagedShardError(f"{file} is not as it was written")


class Annotator:
    """A pipeline in a process, which annotates one shard after the other.

    Args:
        job: What the shards have in common.
    """

    def __init__(self, job: Job) -> None:
        self._job = job
        self._reader = UnitReader(job.inputs, job.options)
        self._load()

    def annotate(self, shard: Shard, deadly: Collection[int] = ()) -> ShardRecord:
        """Annotate a shard and write it.

        Args:
            shard: The shard.
            deadly: Indices of its units that end the process.

        Returns:
            Its record, which is written, too.

        Raises:
            FailingPipelineError: Several of its texts fail, and all others, if any, cannot be read.
            InputError: It cannot be read, or is not what was planned.
            WriteError: It cannot be written.
        """
        with cleaning_up_on_termination():
            start = time.perf_counter()
            if len(self._nlp.vocab.strings) > self._n_strings + _MOST_NEW_STRINGS:
                self._load()
            job, files = self._job, self._job.files
            quarantined: list[Quarantined] = []
            texts = self._texts(shard, deadly, quarantined)
            n_unreadable = len(quarantined)
            n_docs = n_sentences = n_words = 0
            path = files.shard(shard)
            lost: Text | None = None
            with replacing(path) as file:
                writer = self._format.writer(file)
                for text, result in annotated(self._nlp, texts, job.batch_size):
                    try:
                        if isinstance(result, Exception):
                            raise result
                        doc = (text if lost is None else text.following(lost)).finished(result)
                        sentences = sentences_from_doc(doc)
                        writer.add(doc, sentences)
                    except WriteError:
                        raise
                    except Exception as error:  # of every kind that a pipeline may raise
                        quarantined.append(Quarantined(text.place, _reason(error), str(text)))
                        lost = text if lost is None else text.following(lost)
                        continue
                    lost = None
                    n_docs += 1
                    n_sentences += len(sentences)
                    n_words += sum(len(sentence.words) for sentence in sentences)
                if n_docs == 0:
                    _check_failures(shard, quarantined[n_unreadable:])
                writer.close()
            write_quarantine(quarantined, files.quarantine(shard))
            record = ShardRecord(
                checksum=checksum(path),
                quarantine=checksum(files.quarantine(shard)) if quarantined else None,
                n_planned_words=shard.n_words,
                n_docs=n_docs,
                n_sentences=n_sentences,
                n_words=n_words,
                n_quarantined=len(quarantined),
                seconds=round(time.perf_counter() - start, 3),
            )
            with replacing(files.record(shard)) as file:
                file.write(json.dumps(asdict(record)).encode())
            return record

    def probe(self, shard: Shard, begin: int, end: int) -> None:
        """Annotate some units of a shard and write nothing, to see whether the process survives.

        Args:
            shard: The shard.
            begin: Index of the first unit.
            end: Index behind the last one.
        """
        others = {*range(begin), *range(end, shard.n_units)}
        for _ in annotated(self._nlp, self._texts(shard, others, []), self._job.batch_size):
            pass

    def _load(self) -> None:
        self._nlp = self._job.pipeline.load()
        self._n_strings = len(self._nlp.vocab.strings)

    @property
    def _format(self) -> Format:
        return FORMATS[self._job.files.format]

    def _texts(
        self, shard: Shard, left_out: Collection[int], quarantined: list[Quarantined]
    ) -> list[Text]:
        """The texts of a shard. Those that cannot be given to the pipeline are quarantined, and the
        documents that they begin are begun by the texts that follow."""
        found: list[Text] = []
        lost: Text | None = None
        for i, (one, unit) in enumerate(units_of_shard(shard, self._reader)):
            place = f"{one.path}, line {unit.line}"
            try:
                if i in left_out:
                    raise UnreadableError(_KILLED)
                texts = texts_of_unit(unit, one, self._job.options, self._nlp.max_length)
            except UnreadableError as error:
                text = unit.raw.decode("utf-8", "backslashreplace")
                quarantined.append(Quarantined(place, str(error), text))
                beginning = lost_text(unit, one)
                lost = beginning and (beginning if lost is None else beginning.following(lost))
            else:
                first, *others = texts
                found += [first if lost is None else first.following(lost), *others]
                lost = None
        return found


def annotated(
    nlp: Language, texts: Sequence[Text], batch_size: int
) -> Iterator[tuple[Text, Doc | Exception]]:
    """Run a pipeline over texts; see `attempt_sources`."""
    return attempt_sources(nlp, texts, lambda text: text.prepared(nlp.vocab), batch_size=batch_size)


def _check_failures(shard: Shard, failed: Sequence[Quarantined]) -> None:
    """Check that it may be the texts that are at fault if all of a shard have failed."""
    if len(failed) > 1:
        first = failed[0]
        raise FailingPipelineError(
            f"All {len(failed)} texts of shard {shard.name} fail, so that it is hardly the texts. "
            f"The first is {first.place}: {first.reason}. Correct what the pipeline or the machine "
            "lacks and give the command again. If it is the texts, give others, and another folder."
        )


def _reason(error: Exception) -> str:
    """What is noted of a failure."""
    return shorten(f"{type(error).__name__}: {error}", _LONGEST_REASON, placeholder=" …")
