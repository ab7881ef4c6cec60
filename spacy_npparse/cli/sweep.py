"""`sweep`: parsers trained on several treebanks and ranked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from spacy_npparse.cli._app import app, fail, provenance_of, user_errors
from spacy_npparse.cli._outputs import check_outputs
from spacy_npparse.cli._pipeline import Code
from spacy_npparse.cli._report import print_result, progress, write_json, write_text
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
    board_page,
    check_treebanks,
    complete,
    find_config,
    find_contestants,
    find_executor,
    inputs_of,
    read_seeds,
    report_failures,
    write_board,
)
from spacy_npparse.evaluation.leaderboard import Leaderboard, make_leaderboard
from spacy_npparse.evaluation.sweep import make_sweep
from spacy_npparse.laboratory import Contestant, Experiment, Task
from spacy_npparse.treebank import treebank_parts
from spacy_npparse.visualisation import render_sweep


@app.command()
@user_errors
def sweep(
    context: typer.Context,
    treebanks: Annotated[list[Path], typer.Argument(help="Folders of UD treebanks, as released.")],
    output: Annotated[Path, typer.Argument(help="Folder for a leaderboard of each, and report.")],
    test: Annotated[
        bool, typer.Option("--test", help="Evaluate on the test files instead of the dev files.")
    ] = False,
    parsers: Parsers = ALL,
    seeds: Seeds = "0",
    updates: Updates = None,
    config: TrainingConfig = None,
    processes: Processes = 1,
    executor: ExecutorOption = ExecutorChoice.LOCAL,
    address: Address = None,
    raw: Raw = False,
    code: Code = None,
) -> None:
    """Train parsers on several treebanks and rank them.

    TREEBANKS have files *-ud-train.conllu, *-ud-dev.conllu and, for --test, *-ud-test.conllu. Each
    gets a leaderboard in OUTPUT/TREEBANK, which the command `leaderboard` can go on with. Finished
    runs are kept: given again, the command resumes, and treebanks, parsers or seeds can be added;
    give all that the report should have.

    The report on all treebanks is OUTPUT/sweep-dev.html and .json, or sweep-test, with --raw
    sweep-dev-raw: mean ranks, wins and losses, and letters shared by parsers that do not differ
    significantly across treebanks.

    Examples:

    \b
      python -m spacy_npparse sweep ud/UD_Gothic-PROIEL ud/UD_Hungarian-Szeged training/sweep \\
        --parsers "mh4 arc_hybrid_swap spacy" --seeds "0 1 2" --processes 2
      python -m spacy_npparse sweep ud/UD_* training/sweep --executor ray --address head:6379
    """
    numbers = read_seeds(seeds)
    tasks = find_executor(executor, processes, address)
    config = find_config(config, code)
    experiments: dict[str, Experiment] = {}
    for folder in treebanks:
        name = folder.absolute().name
        if name in experiments:
            fail(f"{folder}: two treebanks are called {name}. Rename a folder.")
        parts = treebank_parts(folder)
        if test and "test" not in parts:
            fail(f"{folder}: no file *-ud-test.conllu. Leave out the treebank, or --test.")
        task = Task(parts["train"], parts["dev"], config, updates, code)
        gold = parts["test" if test else "dev"]
        experiments[name] = Experiment(task, gold, output / name, raw)
    for folder in (output, *(experiment.folder for experiment in experiments.values())):
        if any(folder.glob("*-ud-*.conllu")):
            fail(f"{folder} is a treebank. Give last another folder, to write to.")
    # For the parsers, treebanks differ in their files only.
    contestants = find_contestants(parsers, task)
    part = ("test" if test else "dev") + "-raw" * raw
    page = output / f"sweep-{part}.html"
    pages = [page, *map(board_page, experiments.values())]
    inputs = list(dict.fromkeys(path for one in experiments.values() for path in inputs_of(one)))
    check_outputs([path.with_suffix(kind) for path in pages for kind in (".html", ".json")], inputs)
    check_treebanks(list(experiments.values()))
    with ExitStack() as locks:
        for experiment in experiments.values():
            locks.enter_context(experiment.locked())
            experiment.begin()
        missing = [run for one in experiments.values() for run in one.missing(contestants, numbers)]
        failures = complete(missing, tasks, code, treebanks=True)
        if boards := _boards(context, experiments, contestants, numbers):
            found = make_sweep(boards)
            source = provenance_of(context, inputs)
            links = {
                name: board_page(experiments[name]).relative_to(output).as_posix()
                for name in boards
            }
            try:
                print_result(found.table())
            finally:
                write_json(found.as_dict(), page.with_suffix(".json"), source)
                write_text(render_sweep(found, source, links, title=f"Sweep: {part}"), page)
                typer.echo(f"{page}", err=True)
    report_failures(failures, kept="the reports")


def _boards(
    context: typer.Context,
    experiments: Mapping[str, Experiment],
    contestants: Sequence[Contestant],
    seeds: Sequence[int],
) -> dict[str, Leaderboard]:
    """Rank the parsers on each treebank, and write the reports."""
    peers = {one.name for one in contestants if one.is_peer}
    boards = {}
    for name, experiment in progress(experiments.items(), "treebank", len(experiments)):
        if results := experiment.results(contestants, seeds):
            boards[name] = make_leaderboard(results, peers, raw=experiment.raw)
            write_board(experiment, boards[name], provenance_of(context, inputs_of(experiment)))
    return boards
