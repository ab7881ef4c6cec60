"""The options, runs and reports that `leaderboard`, `sweep` and `pipelines` share."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from enum import Enum
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Annotated

import typer
from thinc.api import Config
from tqdm import tqdm

from spacy_npparse.cli._app import fail, provenance_of, resumable
from spacy_npparse.cli._outputs import check_outputs
from spacy_npparse.cli._report import as_json
from spacy_npparse.cli._treebanks import check_heads, check_no_treebank
from spacy_npparse.evaluation.leaderboard import Leaderboard, make_leaderboard
from spacy_npparse.files import are_same, checksum
from spacy_npparse.imported_code import import_code
from spacy_npparse.laboratory import (
    Contestant,
    Experiment,
    Run,
    Task,
    complete_runs,
    config_path,
    contestant,
    trainable_parsers,
)
from spacy_npparse.scaling import Executor, RayTasks, Workers
from spacy_npparse.treebank import read_conllu, treebank_parts
from spacy_npparse.visualisation import render_leaderboard

ALL = "all"


class ExecutorChoice(str, Enum):
    """Where processes run: on this machine or on a Ray cluster."""

    LOCAL = "local"
    RAY = "ray"


Parsers = Annotated[
    str,
    typer.Option(
        help="Names of factories without `_parser`, each optionally with settings of its component "
        "(mh4,search=greedy), and the other parsers spacy and udpipe, separated by spaces. all: "
        "every registered parser that can be trained."
    ),
]
Seeds = Annotated[str, typer.Option(help="Random seeds, separated by spaces.")]
Updates = Annotated[
    int | None,
    typer.Option(min=1, help="Updates of each training.  [default: the number in the config]"),
]
TrainingConfig = Annotated[
    Path | None,
    typer.Option(
        help="Training config whose parser is replaced.  [default: this package's accuracy.cfg]"
    ),
]
Processes = Annotated[
    int,
    typer.Option(
        min=1,
        help="Number of parallel trainings. Ignored by Ray, which uses all CPUs of the cluster.",
    ),
]
Raw = Annotated[bool, typer.Option("--raw", help="Evaluate on plain text.")]
ExecutorOption = Annotated[
    ExecutorChoice,
    typer.Option("--executor", help="Train on this machine, or on a Ray cluster."),
]
Address = Annotated[
    str | None,
    typer.Option(
        help="Address of the Ray cluster, such as auto.  [default: the cluster of this machine, or "
        "a new one on this machine]"
    ),
]


def find_executor(
    choice: ExecutorChoice, processes: int, threads: int, address: str | None
) -> Executor:
    """Find the executor that the options specify.

    Args:
        choice: The place where processes run.
        processes: The number of processes on this machine.
        threads: The number of threads of each process.
        address: The address of the Ray cluster.

    Raises:
        typer.Exit: The options contradict each other.
    """
    if choice is ExecutorChoice.RAY:
        return partial(RayTasks, address, cpus=threads)
    if address is not None:
        fail("--address is that of a cluster of Ray. Give --executor ray, too.")
    return partial(Workers, processes)


def read_seeds(text: str) -> list[int]:
    """Read the numbers of `--seeds`.

    Raises:
        typer.Exit: The option has no numbers, or something else.
    """
    if not text.split() or not all(word.isdecimal() for word in text.split()):
        fail(f'--seeds is "{text}". Give whole numbers, separated by spaces: "0 1 2".')
    return list(dict.fromkeys(map(int, text.split())))


def find_config(config: Path | None, code: Path | None) -> Path:
    """Find the training config, and import the file of `--code`.

    Args:
        config: The config that the user gave; None for that of this package.
        code: The Python file to import; None for no file.

    Returns:
        The path of the config.

    Raises:
        CodeError: `code` cannot be imported.
        typer.Exit: The config does not exist, or is malformed.
    """
    config = config or config_path("accuracy")
    if not config.is_file():
        problem = "is a folder" if config.is_dir() else "no such file"
        fail(f"{config}: {problem}. Give --config a training config with a parser.")
    try:
        Config().from_disk(config, interpolate=False)
    except ValueError as error:
        fail(f"{config}: not a config. {str(error).strip()}")
    import_code(code)
    return config


def find_contestants(text: str, task: Task) -> list[Contestant]:
    """Find the parsers that `--parsers` names.

    Args:
        text: The value of the option.
        task: The task that the parsers are trained for.

    Raises:
        typer.Exit: The option names no parser, one that does not exist, or one that does not fit
            the task.
    """
    names = [
        name for word in text.split() for name in (trainable_parsers() if word == ALL else [word])
    ]
    if not names:
        fail("--parsers names no parser. Give at least one, or all.")
    try:
        found = list({one.name: one for one in map(contestant, names)}.values())
        for one in found:
            one.check(task)
    except ValueError as error:
        fail(str(error))
    return found


def find_treebanks(
    treebanks: Sequence[Path], needed: str, output: Path
) -> dict[str, dict[str, Path]]:
    """Find the files of treebanks, and check that the output is not a treebank itself.

    Args:
        treebanks: Their folders, as Universal Dependencies releases them.
        needed: The part that all of them are evaluated on.
        output: The folder to write to.

    Returns:
        The files of their parts, by the names of the folders.

    Raises:
        TreebankFolderError: A folder or part is missing.
        typer.Exit: Two have the same name, or the last folder is no place to write to.
    """
    found: dict[str, dict[str, Path]] = {}
    for folder in treebanks:
        name = Path(os.path.abspath(folder)).name
        if name in found:
            fail(f"{folder}: two treebanks are called {name}. Rename a folder.")
        found[name] = treebank_parts(folder)
        if needed not in found[name]:
            fail(f"{folder}: no file *-ud-test.conllu. Leave out the treebank, or --test.")
    for folder in (output, *(output / name for name in found)):
        check_no_treebank(folder)
    return found


def check_experiments(experiments: Sequence[Experiment], *pages: Path) -> None:
    """Check all inputs and outputs before the first training.

    Args:
        experiments: The experiments.
        *pages: Pages of reports in addition to those of the experiments.

    Raises:
        ConlluError: A file is malformed.
        WriteError: A report cannot be written.
        typer.Exit: A file has no sentences, or would be overwritten.
    """
    reports = [*pages, *map(board_page, experiments)]
    outputs = [path for page in reports for path in (page, page.with_suffix(".json"))]
    check_outputs(outputs, inputs_of(experiments))
    for experiment in experiments:
        task = experiment.task
        for path, other in combinations(task.training_files, 2):
            if are_same(path, other):
                fail(f"{other} is given twice as a training file. Leave it out of --also-train.")
        for path in dict.fromkeys([*task.training_files, task.dev, experiment.gold]):
            check_heads(read_conllu(path), path)


@contextmanager
def completed(
    context: typer.Context,
    contestants: Mapping[Experiment, Sequence[Contestant]],
    seeds: Sequence[int],
    executor: Executor,
    *,
    kept: str,
    treebank_names: bool = False,
) -> Iterator[None]:
    """Complete the runs of experiments, with a progress bar.

    The folders of the experiments are locked in the context, so that the reports can be written
    there. Damaged runs are reported first, and failed runs at the end.

    Args:
        context: The context of the command.
        contestants: The parsers of each experiment, at least one.
        seeds: The random seeds of the trainings.
        executor: The executor of the runs.
        kept: A noun for what contains the other runs if some fail, for the message.
        treebank_names: Whether the folders of the experiments are named after treebanks.

    Raises:
        typer.Exit: A run has failed.
    """

    def name(run: Run) -> str:
        treebank = f"{run.folder.name}, " if treebank_names else ""
        return f"{treebank}{run.contestant.name}, seed {run.seed}"

    failures = []
    with resumable(context), ExitStack() as locks:
        for one in contestants:
            locks.enter_context(one.locked())
            one.begin()
        missing = [run for one, named in contestants.items() for run in one.missing(named, seeds)]
        for message in dict.fromkeys(message for run in missing for message in run.damage()):
            typer.echo(f"⚠ {message}", err=True)
        typer.echo(f"{len(missing)} runs to do, the others are done.", err=True)
        # disable=None: no bar where stderr is no terminal.
        with (
            closing(complete_runs(missing, executor, next(iter(contestants)).task.code)) as runs,
            tqdm(total=len(missing), unit="run", disable=None) as bar,
        ):
            for run, reason in runs:
                bar.update()
                bar.set_postfix_str(name(run))
                if reason:
                    failures.append(f"{name(run)}: {reason}")
        yield
    for failure in failures:
        typer.secho(f"✘ {failure}", err=True)
    if failures:
        fail(
            f"{len(failures)} runs failed; all others are in {kept}. Run the command again to "
            "repeat only the failed ones."
        )


def ranked(
    experiment: Experiment, contestants: Sequence[Contestant], seeds: Sequence[int]
) -> Leaderboard | None:
    """Rank the parsers of an experiment.

    Args:
        experiment: The experiment.
        contestants: The parsers.
        seeds: The random seeds of the trainings.

    Returns:
        The leaderboard of the parsers that have results; None if there are none.
    """
    results = experiment.results(contestants, seeds)
    peers = {one.name for one in contestants if one.is_peer}
    return make_leaderboard(results, peers, raw=experiment.raw) if results else None


def board_files(
    context: typer.Context, experiment: Experiment, board: Leaderboard
) -> list[tuple[Path, Callable[[], str]]]:
    """Find the files of the report on one treebank.

    Args:
        context: The context of the command.
        experiment: The experiment.
        board: The leaderboard of the experiment.

    Returns:
        Pairs of a path and a function that returns its content.
    """
    page = board_page(experiment)
    source = provenance_of(context, inputs_of([experiment]))
    title = f"Leaderboard: {experiment.gold.stem}"
    return [
        (
            page.with_suffix(".json"),
            lambda: as_json({"gold": str(experiment.gold), **board.as_dict()}, source),
        ),
        (page, lambda: render_leaderboard(board, source, title=title)),
    ]


def board_page(experiment: Experiment) -> Path:
    """Find the path of the page on one treebank. The name contains a checksum if the folder has a
    report on another treebank of the same name."""
    name = experiment.gold.stem + ("-raw" if experiment.raw else "")
    page = experiment.folder / f"leaderboard-{name}.html"
    if _is_of_another(page.with_suffix(".json"), experiment.gold):
        return page.with_stem(f"{page.stem}-{checksum(experiment.gold)[:8]}")
    return page


def _is_of_another(report: Path, gold: Path) -> bool:
    """Check whether a report exists and is about another treebank."""
    try:
        known = json.loads(report.read_text(encoding="utf-8"))
        return str(gold) != known["gold"] and (
            checksum(gold) != known["provenance"]["checksums"][known["gold"]]
        )
    except (OSError, ValueError, KeyError, TypeError):
        return False


def inputs_of(experiments: Iterable[Experiment]) -> list[Path]:
    """List the files that experiments read."""
    given = [
        path
        for one in experiments
        for path in (
            *one.task.training_files,
            one.task.dev,
            one.gold,
            one.task.config,
            one.task.code,
        )
    ]
    return list(dict.fromkeys(path for path in given if path is not None))
