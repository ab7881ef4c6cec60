"""The command `sweep`, which trains and ranks parsers on several treebanks."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from spacy_npparse.cli._app import app, provenance_of, user_errors
from spacy_npparse.cli._pipeline import Code
from spacy_npparse.cli._report import as_json, progress, report, write_text
from spacy_npparse.cli._runs import (
    ALL,
    Address,
    ExecutorChoice,
    ExecutorOption,
    Parsers,
    Processes,
    Raw,
    Seeds,
    TrainingConfig,
    Updates,
    board_files,
    check_experiments,
    completed,
    find_config,
    find_contestants,
    find_executor,
    find_treebanks,
    inputs_of,
    ranked,
    read_seeds,
)
from spacy_npparse.cli._threads import Threads
from spacy_npparse.evaluation.sweep import make_sweep
from spacy_npparse.laboratory import Contestant, Experiment, Task
from spacy_npparse.visualisation import render_sweep


@app.command()
@user_errors
def sweep(
    context: typer.Context,
    treebanks: Annotated[
        list[Path], typer.Argument(metavar="TREEBANK", help="Folders of UD treebanks.")
    ],
    output: Annotated[
        Path, typer.Argument(metavar="OUTPUT", help="Folder for the leaderboards and the report.")
    ],
    test: Annotated[
        bool, typer.Option("--test", help="Evaluate on the test files instead of the dev files.")
    ] = False,
    parsers: Parsers = ALL,
    seeds: Seeds = "0",
    updates: Updates = None,
    config: TrainingConfig = None,
    processes: Processes = 1,
    threads: Threads = 1,
    executor: ExecutorOption = ExecutorChoice.LOCAL,
    address: Address = None,
    raw: Raw = False,
    code: Code = None,
) -> None:
    """Train parsers on several treebanks and rank them.

    TREEBANK is a folder with *-ud-train.conllu, *-ud-dev.conllu and, for --test,
    *-ud-test.conllu. Its leaderboard is in OUTPUT/TREEBANK, and the command `leaderboard` can
    continue it. To resume, or to add treebanks, parsers or seeds, run the command again and name
    all that the report should contain. Finished trainings are not repeated.

    The report on all treebanks is OUTPUT/sweep-dev.html and .json (sweep-test with --test,
    sweep-dev-raw with --raw). It contains mean ranks, wins and losses, and letters that are shared
    by parsers that do not differ significantly across treebanks.

    Examples:

    \b
      python -m spacy_npparse sweep ud/UD_Gothic-PROIEL ud/UD_Hungarian-Szeged training/sweep \\
        --parsers "mh4 arc_hybrid_swap spacy" --seeds "0 1 2" --processes 2
      python -m spacy_npparse sweep ud/UD_* training/sweep --executor ray --address head:6379
    """
    numbers = read_seeds(seeds)
    tasks = find_executor(executor, processes, threads, address)
    part = "test" if test else "dev"
    task_of = partial(Task, config=find_config(config, code), updates=updates, code=code)
    experiments = [
        Experiment(task_of(parts["train"], parts["dev"]), parts[part], output / name, raw)
        for name, parts in find_treebanks(treebanks, part, output).items()
    ]
    # The tasks differ only in their files, which do not matter here.
    contestants = find_contestants(parsers, experiments[0].task)
    page = output / f"sweep-{part}{'-raw' * raw}.html"
    check_experiments(experiments, page)
    runs = dict.fromkeys(experiments, contestants)
    with completed(context, runs, numbers, tasks, kept="the reports", treebank_names=True):
        _report(context, experiments, contestants, numbers, page)


def _report(
    context: typer.Context,
    experiments: Sequence[Experiment],
    contestants: Sequence[Contestant],
    seeds: Sequence[int],
    page: Path,
) -> None:
    """Rank the parsers on each treebank and on all of them, and write the reports."""
    boards, links = {}, {}
    for one in progress(experiments, "treebank", len(experiments)):
        if board := ranked(one, contestants, seeds):
            boards[one.folder.name] = board
            for path, content in board_files(context, one, board):
                write_text(content(), path)
            links[one.folder.name] = path.relative_to(page.parent).as_posix()
    if not boards:
        return
    found = make_sweep(boards)
    source = provenance_of(context, inputs_of(experiments))
    title = f"Sweep: {page.stem.removeprefix('sweep-')}"
    report(
        found.table(),
        (page.with_suffix(".json"), lambda: as_json(found.as_dict(), source)),
        (page, lambda: render_sweep(found, source, links, title=title)),
        page=True,
    )
