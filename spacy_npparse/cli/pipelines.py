"""`pipelines`: training pipelines, and packaging them for users."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from spacy_npparse.cli._app import app, fail, user_errors
from spacy_npparse.cli._report import progress, read_gold, write_text
from spacy_npparse.cli._runs import (
    Address,
    ExecutorChoice,
    ExecutorOption,
    Processes,
    Updates,
    check_experiments,
    completed,
    find_executor,
    find_treebanks,
)
from spacy_npparse.cli._threads import Threads
from spacy_npparse.laboratory import Experiment, Task, config_path, contestant
from spacy_npparse.packaging import KINDS, Package, build_packages, index_page, read_source
from spacy_npparse.scaling import Executor
from spacy_npparse.workfolder import read_json

_SEED = 0
_ALL_KINDS = " ".join(KINDS)
_Treebanks = Annotated[
    list[Path], typer.Argument(metavar="TREEBANK", help="Folders of UD treebanks, as released.")
]
_Output = Annotated[
    Path, typer.Argument(metavar="OUTPUT", help="Folder for trainings, wheels, cards and index.")
]
_Kinds = Annotated[
    str,
    typer.Option(help="Kinds of pipelines for each treebank, separated by spaces: accuracy, fast."),
]


@app.command()
@user_errors
def pipelines(
    context: typer.Context,
    treebanks: _Treebanks,
    output: _Output,
    kinds: _Kinds = _ALL_KINDS,
    updates: Updates = None,
    processes: Processes = 1,
    threads: Threads = 1,
    executor: ExecutorOption = ExecutorChoice.LOCAL,
    address: Address = None,
) -> None:
    """Train pipelines, and package them for others to install.

    There are two kinds of pipelines: `accuracy` is accuracy.cfg with mh4_parser, and `fast` is
    fast.cfg with arc_hybrid_swap_parser. The command trains each pipeline, evaluates it on plain
    text and on gold tokens, builds a wheel, and evaluates the wheel in a new environment. The
    scores are those on the test file, or on the dev file if there is no test file.

    OUTPUT contains index.md, the wheels in wheels/, the model cards in cards/, and the trainings in
    TREEBANK-KIND/, to which `leaderboard` can add parsers. To resume, run the command again:
    finished work is not repeated.

    Examples:

    \b
      python -m spacy_npparse pipelines ud/UD_Gothic-PROIEL training/pipelines
      python -m spacy_npparse pipelines ud/UD_* training/pipelines --kinds fast --executor ray
    """
    tasks = find_executor(executor, processes, threads, address)
    chosen = list(dict.fromkeys(kinds.split()))
    if not chosen or not {*chosen} <= {*KINDS}:
        fail(f'--kinds is "{kinds}". Give some of: {", ".join(KINDS)}.')
    # Packages may be built on other machines.
    output, treebanks = output.absolute(), [folder.absolute() for folder in treebanks]
    files = find_treebanks(treebanks, "dev", output).values()
    packages = {
        package.name: package
        for folder, parts in zip(treebanks, files, strict=True)
        for package in map(partial(_package, folder, parts, output, updates), chosen)
    }
    if len(packages) < len(treebanks) * len(chosen):
        fail("two treebanks have the same language and name. Rename the files of one.")
    experiments = {
        Experiment(one.run.task, one.run.gold, one.run.folder): [one.run.contestant]
        for one in packages.values()
    }
    index = output / "index.md"
    check_experiments(list(experiments), index)
    for path in {one.gold for one in packages.values()}:
        read_gold(path, "score pipelines on")
    with completed(context, experiments, [_SEED], tasks, kept="the index", treebank_names=True):
        n_failures = _build(packages.values(), tasks)
        records = sorted((output / "cards").glob("*.json"))
        write_text(index_page(map(read_json, records)), index)
        typer.echo(f"{index}", err=True)
    if n_failures:
        fail(f"{n_failures} packages failed. Run the command again to repeat only these.")


def _build(packages: Iterable[Package], tasks: Executor) -> int:
    """Build the missing packages of trained models, and return the number of failures."""
    trained = [one for one in packages if one.run.record() is not None]
    missing = [one for one in trained if not one.is_finished()]
    typer.echo(f"{len(missing)} packages to build, the others are finished.", err=True)
    failures = []
    with closing(build_packages(missing, tasks)) as built:
        for package, reason in progress(built, "package", len(missing)):
            if reason:
                failures.append(package)
                typer.secho(f"✘ {package.name}: {reason}", err=True)
    return len(failures)


def _package(
    folder: Path, parts: Mapping[str, Path], output: Path, updates: int | None, kind: str
) -> Package:
    """Describe a package of one treebank, whether or not it is built."""
    task = Task(parts["train"], parts["dev"], config_path(kind), updates)
    experiment = Experiment(task, task.dev, output / f"{folder.name}-{kind}")
    [run] = experiment.runs([contestant(KINDS[kind])], [_SEED])
    gold = parts.get("test", task.dev)
    return Package(run, gold, read_source(folder, task.train), kind, output)
