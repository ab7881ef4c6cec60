"""Small corpora in all formats, a pipeline without a model, and workers in this process."""

from __future__ import annotations

import gzip
import json
import lzma
import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import spacy
from spacy.language import Language
from spacy.tokens import Doc

from spacy_npparse.extras import ZSTD, optional_module
from spacy_npparse.scaling import LostProcessError
from spacy_npparse.scaling.corpus import Corpus, begin_corpus
from spacy_npparse.scaling.execution import annotate_shards
from spacy_npparse.scaling.inputs import find_inputs
from spacy_npparse.scaling.pipelines import Pipeline, pipeline_checksum
from spacy_npparse.scaling.plan import Shard
from spacy_npparse.scaling.shards import Annotator, Job, ShardFiles, ShardRecord
from spacy_npparse.scaling.units import Reading
from spacy_npparse.scaling.worker import annotate_shard

COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".zst": optional_module(ZSTD).compress,
}
# Texts with the first word raise an exception, and texts with the second word kill the process.
FAILING, DEADLY = "Boom", "Kill"


# Environment variables: the first one is set in processes that may be killed, and the second one is
# the number of seconds that a text takes.
MORTAL, SECONDS = "SMALL_CORPORA_MORTAL", "SMALL_CORPORA_SECONDS"


class Killed(BaseException):
    """The simulated death of a worker in this process."""


@Language.component("test_trees", assigns=["token.dep", "token.head"])
def trees(doc: Doc) -> Doc:
    """Attach each word to the word before it, except that texts with certain words fail."""
    for token in doc:
        if token.text == FAILING:
            raise RuntimeError("this text fails")
        if token.text == DEADLY and MORTAL in os.environ:
            os.kill(os.getpid(), signal.SIGKILL)
        if token.text == DEADLY:
            raise Killed
    time.sleep(float(os.environ.get(SECONDS, 0)))
    for sentence in doc.sents:
        for token in sentence:
            token.head = doc[max(token.i - 1, sentence.start)]
            token.dep_ = "ROOT" if token.i == sentence.start else "dep"
    return doc


def small_pipeline(folder: Path) -> Path:
    """Write a pipeline that parses without a model.

    Args:
        folder: The folder to write.
    """
    nlp = spacy.blank("xx")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("test_trees")
    nlp.to_disk(folder)
    return folder


def write_corpus(folder: Path, n_paragraphs: int = 30) -> Path:
    """Write a corpus of files in all formats, plain and compressed.

    Args:
        folder: The folder to write.
        n_paragraphs: The number of paragraphs, records or sentences in each file.
    """
    text = "\n\n".join(
        f"Text {number} begins here.  It has\nlines. " + "And more. " * (number % 7)
        for number in range(n_paragraphs)
    )
    records = [
        {"id": f"r{number}", "text": f"Record {number}.\n\nIt ends.", "year": 1900 + number}
        for number in range(n_paragraphs)
    ]
    sentences = [
        f"# newdoc id = c{number}\n# sent_id = c-{number}\n# speaker = A\n# text = Go there\n"
        "1\tGo\t_\tVERB\t_\t_\t0\troot\t_\t_\n2\tthere\t_\tADV\t_\t_\t1\tdep\t_\tSpacesAfter=\\n\n"
        for number in range(n_paragraphs)
    ]
    (folder / "below").mkdir(parents=True, exist_ok=True)
    for suffix, compressed in COMPRESS.items():
        (folder / f"text{suffix[1:]}.txt{suffix}").write_bytes(compressed(text.encode()))
        lines = "".join(json.dumps(record) + "\n" for record in records)
        (folder / f"records{suffix[1:]}.jsonl{suffix}").write_bytes(compressed(lines.encode()))
    (folder / "below" / "text.conllu").write_text("\n".join(sentences) + "\n", encoding="utf-8")
    (folder / "README").write_text("not a text", encoding="utf-8")
    return folder


def corpus_of(
    pipeline: Path,
    sources: Sequence[Path],
    output: Path,
    *,
    words_per_shard: int = 60,
    format: str = "conllu",
    batch_size: int = 4,
    **options: Any,
) -> Corpus:
    """Begin a corpus, or continue it.

    Args:
        pipeline: The folder of a pipeline.
        sources: Files and folders.
        output: The folder to write to.
        words_per_shard: See `plan`.
        format: The format of the shards.
        batch_size: The number of Docs in a batch.
        options: See `Reading`.
    """
    inputs = find_inputs([str(source) for source in sources], output)
    files = ShardFiles(output, format)
    job = Job(Pipeline(str(pipeline)), inputs, Reading(**options), batch_size, files)
    return begin_corpus(job, words_per_shard, pipeline_checksum(pipeline))


class InlineWorkers:
    """An executor that runs each task in this process when `ended` is called."""

    def __init__(self, job: Job) -> None:
        """Load the pipeline."""
        self.annotator = Annotator(job)
        self._tasks: list[Shard] = []
        self.done: list[Shard] = []

    def __enter__(self) -> InlineWorkers:
        return self

    def __exit__(self, *error: object) -> None:
        """Do nothing, because there are no processes to end."""

    @property
    def idle(self) -> int:
        """The number of further tasks that may be started; at most two are in progress."""
        return 2 - len(self._tasks)

    @property
    def running(self) -> int:
        """The number of tasks in progress."""
        return len(self._tasks)

    def start(self, tag: Shard, task: Callable[..., Any], *arguments: Any) -> None:
        """Note a task, which runs later."""
        assert task is annotate_shard and arguments == (tag,)
        self._tasks.append(tag)

    def ended(self) -> Iterator[tuple[Shard, Any]]:
        """Run the task that was started last."""
        shard = self._tasks.pop()
        self.done.append(shard)
        try:
            yield shard, self.annotator.annotate(shard)
        except Killed:
            yield shard, LostProcessError("killed")


def annotate_missing(corpus: Corpus, executor: Any = None) -> dict[str, ShardRecord | None]:
    """Annotate the missing shards.

    Args:
        corpus: The corpus.
        executor: The executor; by default, `InlineWorkers`.

    Returns:
        The records of the newly annotated shards by name.
    """
    missing = [shard for shard in corpus.shards if corpus.finished(shard) is None]
    ended = annotate_shards(executor or InlineWorkers(corpus.job), corpus, missing)
    return dict(sorted((shard.name, record) for shard, record in ended))


def content(output: Path) -> str:
    """Return the CoNLL-U of all shards.

    Args:
        output: The folder of the corpus.
    """
    shards = sorted((output / "shards").glob("*.conllu"))
    return "".join(shard.read_text(encoding="utf-8") for shard in shards)
