"""Measure the speed and the memory of `annotate`.

The first comparison is the CPU time of annotation in one process, input and output included, with
that of a bare `nlp.pipe`. The second one is the elapsed time of one process with that of two. The
time to load pipelines does not count. Each run loads the pipeline anew, so that its vocabulary
knows no words yet. The kinds of runs alternate on the same text, each process uses one thread, and
medians are printed. The memory is the resident memory of the driver after --memory million words.

    python benchmarks/annotation.py training/gothic/model-best got-ud-train.conllu
    python benchmarks/annotation.py training/gothic/model-best got-ud-train.conllu --memory 1 10
"""

import argparse
import os
import time
from collections.abc import Callable, Iterator
from itertools import chain, repeat
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import spacy
import torch

from spacy_npparse.scaling import Workers
from spacy_npparse.scaling.corpus import Corpus, begin_corpus
from spacy_npparse.scaling.execution import annotate_shards
from spacy_npparse.scaling.inputs import find_inputs
from spacy_npparse.scaling.pipelines import Pipeline, pipeline_checksum
from spacy_npparse.scaling.shards import Annotator, Job, ShardFiles, ShardRecord
from spacy_npparse.scaling.units import Reading
from spacy_npparse.scaling.worker import annotator, begin_worker
from spacy_npparse.treebank import raw_texts, read_conllu

# The batch size of the configs.
BATCH = 512
SHARDS = 8


def main() -> None:
    """Print words per second, or the memory of the driver."""
    arguments = parse_arguments()
    torch.set_num_threads(1)
    with TemporaryDirectory() as folder:
        if arguments.memory:
            for millions in arguments.memory:
                report_memory(arguments.treebank, Path(folder), millions)
        else:
            report_speed(arguments.model, arguments.treebank, Path(folder), arguments.runs)


def parse_arguments() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", type=Path, help="trained pipeline")
    parser.add_argument("treebank", type=Path, help="CoNLL-U file, whose text is annotated")
    parser.add_argument("--runs", type=int, default=3, help="runs of each kind")
    parser.add_argument(
        "--memory",
        type=float,
        nargs="+",
        metavar="N",
        help="instead, the driver's memory after that many million words, with workers that write "
        "nothing",
    )
    return parser.parse_args()


def paragraphs(treebank: Path) -> list[str]:
    """Return the text of a treebank in paragraphs of five sentences."""
    sentences = [" ".join(text.split()) for text in sentence_texts(treebank)]
    return [" ".join(sentences[i : i + 5]) for i in range(0, len(sentences), 5)]


def sentence_texts(treebank: Path) -> Iterator[str]:
    """Return the text of each sentence."""
    return (text for sentence in read_conllu(treebank) for text in raw_texts([sentence]))


def report_speed(model: Path, treebank: Path, folder: Path, runs: int) -> None:
    """Print the words per second of a bare pipeline, and of annotation by one and two processes."""
    texts = paragraphs(treebank)
    n_words = sum(len(text.split()) for text in texts)
    (folder / "text.txt").write_text("\n\n".join(texts), encoding="utf-8")

    def bare() -> float:
        nlp = spacy.load(model)
        start = time.process_time()
        for _ in nlp.pipe(texts, batch_size=BATCH):
            pass
        return time.process_time() - start

    kinds: dict[str, Callable[[], float]] = {
        "nlp.pipe": bare,
        "annotate": lambda: cpu_seconds(model, folder, n_words),
        "1 process": lambda: annotation_seconds(model, folder, 1, n_words),
        "2 processes": lambda: annotation_seconds(model, folder, 2, n_words),
    }
    seconds: dict[str, list[float]] = {name: [] for name in kinds}
    bare()
    for _ in range(runs):
        for name, run in kinds.items():
            seconds[name].append(run())
    print(f"{treebank}: {n_words:,} words in {len(texts):,} paragraphs, {SHARDS} shards")
    for title, first, second in (
        ("CPU time", "nlp.pipe", "annotate"),
        ("elapsed", "1 process", "2 processes"),
    ):
        reference = median(seconds[first])
        for name in (first, second):
            taken = median(seconds[name])
            print(f"{title:9} {name:12} {n_words / taken:9,.0f} words/s  {reference / taken:5.2f}")


def cpu_seconds(model: Path, folder: Path, n_words: int) -> float:
    """Measure the CPU time of annotation in this process, without loading the pipeline. The text is
    one shard, as it would be by default, because smaller shards have smaller batches."""
    with TemporaryDirectory() as output:
        corpus = make_corpus(model, folder, Path(output), n_words)
        annotator = Annotator(corpus.job)
        start = time.process_time()
        for shard in corpus.shards:
            annotator.annotate(shard)
        return time.process_time() - start


def annotation_seconds(model: Path, folder: Path, processes: int, n_words: int) -> float:
    """Measure the elapsed seconds of annotation after all workers have loaded the pipeline."""
    with TemporaryDirectory() as output:
        corpus = make_corpus(model, folder, Path(output), n_words // SHARDS)
        workers: Workers[Any, Any] = Workers(processes, begin_worker, corpus.job)
        with workers:
            for _ in range(processes):
                workers.start(None, load)
            while workers.running:
                list(workers.ended())
            start = time.perf_counter()
            for _ in annotate_shards(workers, corpus, corpus.shards):
                pass
            return time.perf_counter() - start


def load() -> None:
    """Load the pipeline in a worker."""
    annotator()


def make_corpus(model: Path, folder: Path, output: Path, words_per_shard: int) -> Corpus:
    """Plan the annotation of the text in a folder."""
    inputs = find_inputs([str(folder / "text.txt")], output)
    files = ShardFiles(output, "conllu")
    job = Job(Pipeline(str(model)), inputs, Reading(), BATCH, files)
    return begin_corpus(job, words_per_shard, pipeline_checksum(model))


class Nothing:
    """An executor that annotates nothing, to measure the driver alone."""

    def __init__(self) -> None:
        self._tags: list[Any] = []

    @property
    def idle(self) -> int:
        """The number of idle workers: 1, or 0 during a task."""
        return 1 - len(self._tags)

    @property
    def running(self) -> int:
        """The number of running tasks."""
        return len(self._tags)

    def start(self, tag: Any, task: Callable[..., Any], *arguments: Any) -> None:
        """Start a task, which does nothing."""
        self._tags.append(tag)

    def ended(self) -> Iterator[tuple[Any, ShardRecord]]:
        """End the running task."""
        yield self._tags.pop(), ShardRecord("0" * 64, None, 0, 0, 0, 0, 0, 0.0)


def report_memory(treebank: Path, folder: Path, millions: float) -> None:
    """Plan and run a corpus of so many million words in a separate process."""
    texts = paragraphs(treebank)
    n_words = 0
    with (folder / "text.txt").open("w", encoding="utf-8") as file:
        for text in chain.from_iterable(repeat(texts)):
            file.write(f"{text}\n\n")
            n_words += len(text.split())
            if n_words >= millions * 1e6:
                break
    child = os.fork()
    if child == 0:
        with TemporaryDirectory() as output:
            corpus = make_corpus(folder, folder, Path(output), 200_000)
            n_shards = sum(1 for _ in annotate_shards(Nothing(), corpus, corpus.shards))
        status = Path("/proc/self/status").read_text(encoding="utf-8")
        resident = int(status.partition("VmRSS:")[2].split()[0]) / 1024
        print(f"{n_words:,} words, {n_shards} shards: {resident:.0f} MB", flush=True)
        os._exit(0)
    os.waitpid(child, 0)


if __name__ == "__main__":
    main()
