"""The command `annotate`, which annotates a corpus of any size in shards."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, closing
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from spacy.util import is_package

from spacy_npparse.cli._app import app, fail, resumable, user_errors
from spacy_npparse.cli._corpus_progress import CorpusProgress
from spacy_npparse.cli._outputs import check_outside
from spacy_npparse.cli._pipeline import BatchSize, Code, GpuId, Model, Treebank, load_parser
from spacy_npparse.cli._report import progress
from spacy_npparse.cli._runs import Address, ExecutorChoice
from spacy_npparse.cli._texts import STDIN
from spacy_npparse.cli._threads import Threads
from spacy_npparse.extras import RAY, optional_module
from spacy_npparse.files import check_writable
from spacy_npparse.scaling import Executor, RayTasks, Workers
from spacy_npparse.scaling.corpus import Corpus, begin_corpus, keep_stdin
from spacy_npparse.scaling.execution import annotate_shards
from spacy_npparse.scaling.formats import FORMATS
from spacy_npparse.scaling.inputs import Input, find_inputs
from spacy_npparse.scaling.manifest import MANIFEST
from spacy_npparse.scaling.pipelines import Pipeline, pipeline_checksum
from spacy_npparse.scaling.plan import Shard
from spacy_npparse.scaling.shards import FailingPipelineError, Job, ShardFiles
from spacy_npparse.scaling.units import Reading
from spacy_npparse.scaling.worker import begin_worker
from spacy_npparse.workfolder import DamagedFileError


class FormatChoice(str, Enum):
    """Formats of shards."""

    CONLLU = "conllu"
    DOCBIN = "docbin"
    PARQUET = "parquet"


Sources = Annotated[
    list[str],
    typer.Argument(
        metavar="IN",
        help="Files, folders or quoted patterns of .txt, .conllu and .jsonl, optionally compressed "
        "(.gz, .xz, .zst); - is text on stdin.",
    ),
]
Output = Annotated[Path, typer.Argument(metavar="OUT", help="Folder to write to.")]
Format = Annotated[FormatChoice, typer.Option(case_sensitive=False, help="Format of the shards.")]
Compress = Annotated[bool, typer.Option("--compress", help="Write .conllu.zst (Zstandard).")]
TextKey = Annotated[str, typer.Option(help="Key of the text in records of .jsonl.")]
Lines = Annotated[bool, typer.Option("--lines", help="Each line of a .txt file is a paragraph.")]
WordsPerShard = Annotated[
    int, typer.Option(min=1, help="Number of words after which a shard ends.")
]
ExecutorOption = Annotated[
    ExecutorChoice,
    typer.Option(help="Use processes on this machine, or a Ray cluster."),
]
NumberOfWorkers = Annotated[int, typer.Option(min=1, help="Number of processes.")]
GpusPerWorker = Annotated[
    float,
    typer.Option(min=0, help="Share of a GPU for each process on a Ray cluster, such as 0.25."),
]


def _check_options(
    output: Path,
    format: FormatChoice,
    compress: bool,
    executor: ExecutorChoice,
    workers: int,
    address: str | None,
    gpus_per_worker: float,
    gpu_id: int,
) -> None:
    if compress and format != FormatChoice.CONLLU:
        fail(f"--compress is for CoNLL-U; {format.value} is compressed already. Leave it out.")
    if gpu_id >= 0 and workers > 1:
        fail("Processes cannot share a GPU. Use --gpu-id or --workers, not both.")
    if executor == ExecutorChoice.LOCAL and (address is not None or gpus_per_worker):
        fail("--address and --gpus-per-worker are for --executor ray. Leave them out.")
    if executor == ExecutorChoice.RAY and gpu_id >= 0:
        fail("Ray chooses the GPUs of its processes. Give --gpus-per-worker instead of --gpu-id.")
    if output.exists() and not output.is_dir():
        fail(f"{output} is not a folder. Give a folder for the shards.")
    # Before anything is written, which would be in the way of another command.
    for module in FORMATS[_name_of_format(format, compress)].modules:
        optional_module(module)
    if executor == ExecutorChoice.RAY:
        optional_module(RAY)
    check_writable(output / MANIFEST)


def _name_of_format(format: FormatChoice, compress: bool) -> str:
    return "conllu.zst" if compress else format.value


@app.command()
@user_errors
def annotate(
    context: typer.Context,
    model: Model,
    sources: Sources,
    output: Output,
    format: Format = FormatChoice.CONLLU,
    compress: Compress = False,
    text_key: TextKey = "text",
    lines: Lines = False,
    words_per_shard: WordsPerShard = 200_000,
    batch_size: BatchSize = None,
    executor: ExecutorOption = ExecutorChoice.LOCAL,
    workers: NumberOfWorkers = 1,
    threads: Threads = 1,
    address: Address = None,
    gpus_per_worker: GpusPerWorker = 0,
    gpu_id: GpuId = -1,
    treebank: Treebank = None,
    code: Code = None,
) -> None:
    """Annotate a corpus of any size.

    The command cuts the corpus into shards between paragraphs, sentences of CoNLL-U or records of
    JSON lines. OUT contains the annotated shards, whose alphabetical order is that of the corpus,
    and records of how they were made. The texts that could not be annotated, and the reasons, are
    in its folder `quarantine`. To resume, run the command again.

    Examples:

    \b
      python -m spacy_npparse annotate training/model-best news/ parsed --workers 4
      python -m spacy_npparse annotate training/model-best "wiki/*.jsonl.zst" parsed --compress
      zcat crawl.gz | python -m spacy_npparse annotate training/model-best - parsed
      python -m spacy_npparse annotate training/model-best news/ parsed --executor ray \\
        --address auto --workers 64
    """
    _check_options(output, format, compress, executor, workers, address, gpus_per_worker, gpu_id)
    # Load the pipeline here first: its errors show once, before all of standard input is copied.
    nlp = load_parser(model, gpu_id, code, treebank)
    check_outside(output, Path(nlp.path))
    inputs = _inputs(sources, output, lines)
    # Ray shows a process only its own GPUs, which it numbers from 0.
    gpu_of_worker = 0 if gpus_per_worker else gpu_id
    name = _loaded(model, Path(nlp.path))
    pipeline = Pipeline(name, code and code.resolve(), gpu_of_worker, treebank)
    files = ShardFiles(output.resolve(), _name_of_format(format, compress))
    job = Job(pipeline, inputs, Reading(lines, text_key), batch_size or nlp.batch_size, files)
    digest = pipeline_checksum(Path(nlp.path))
    del nlp
    watch = partial(progress, unit="shard", title="Planning")
    tasks: Executor = (
        partial(Workers, workers)
        if executor == ExecutorChoice.LOCAL
        else partial(RayTasks, address, most=workers, cpus=threads, gpus=gpus_per_worker)
    )
    with resumable(context):
        corpus = begin_corpus(job, words_per_shard, digest, watch)
        _annotate(corpus, partial(tasks, begin_worker, job))
    _summarise(corpus)


def _loaded(model: str, path: Path) -> str:
    """Find the name by which workers, which may run in other folders, load the same pipeline.

    A package is loaded by its name, because spaCy does not import the code of a package that is
    loaded by its path."""
    return model if is_package(model) else str(path.resolve())


def _inputs(sources: Sequence[str], output: Path, lines: bool) -> list[Input]:
    stdin = str(STDIN)
    if sources.count(stdin) > 1:
        fail(f"{stdin} is given twice. Give it once.")
    if stdin in sources:
        copy = keep_stdin(sys.stdin.buffer, output)
        sources = [str(copy) if source == stdin else source for source in sources]
    inputs = find_inputs(sources, output)
    if lines and not any(one.kind == ".txt" for one in inputs):
        fail("--lines is for text, but there is no .txt file. Leave it out.")
    for one in inputs:
        one.check_extra()
    return inputs


def _missing(corpus: Corpus) -> list[Shard]:
    """Find the shards that are missing or damaged."""
    missing = []
    for shard in progress(corpus.shards, "shard", len(corpus.shards), title="Checking"):
        try:
            if corpus.finished(shard) is not None:
                continue
        except DamagedFileError as error:
            typer.echo(f"⚠ {error}: shard {shard.name} is annotated again.", err=True)
        missing.append(shard)
    if len(missing) < len(corpus.shards):
        n_finished = len(corpus.shards) - len(missing)
        typer.echo(f"{n_finished} of {len(corpus.shards)} shards are finished already.", err=True)
    return missing


def _annotate(corpus: Corpus, executor: Callable[[], AbstractContextManager[Any]]) -> None:
    """Annotate the missing shards, with a progress bar."""
    shards = _missing(corpus)
    n_failed = 0
    n_words = sum(shard.n_words for shard in shards)
    try:
        with (
            executor() as workers,
            closing(annotate_shards(workers, corpus, shards)) as ended,
            CorpusProgress(n_words, len(shards)) as shown,
        ):
            for shard, record in ended:
                shown.update(shard.n_words, record)
                n_failed += record is None
    except FailingPipelineError as error:
        fail(str(error))
    if n_failed:
        fail(
            f"{n_failed} shards are missing: their processes were killed, possibly out of "
            "memory. Run the command again with fewer workers."
        )


def _summarise(corpus: Corpus) -> None:
    folder = corpus.job.files.folder
    manifest = corpus.complete()
    if manifest is None:
        typer.echo(
            f"{folder}: other processes have begun the shards that are missing. If they end "
            "without them, give the command again.",
            err=True,
        )
        return
    counts = manifest.counts
    if counts["n_quarantined"] and not counts["n_docs"]:
        fail(
            f"{folder}: none of {counts['n_quarantined']} texts could be annotated; the reasons "
            f"are in {folder / 'quarantine'}. To try the same texts again, delete "
            f"{folder / 'records'}. For other texts, give another folder."
        )
    typer.echo(
        f"{folder}: {len(manifest.shards)} shards, {counts['n_sentences']:,} sentences, "
        f"{counts['n_words']:,} words",
        err=True,
    )
    if counts["n_quarantined"]:
        typer.echo(
            f"⚠ {counts['n_quarantined']} texts could not be annotated: see "
            f"{folder / 'quarantine'}.",
            err=True,
        )
