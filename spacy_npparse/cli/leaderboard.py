"""`leaderboard`: parsers trained on one treebank and ranked."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer
from tqdm import tqdm

from spacy_npparse.cli._app import app, fail, provenance_of, user_errors
from spacy_npparse.cli._outputs import check_outputs
from spacy_npparse.cli._pipeline import Code
from spacy_npparse.cli._report import print_result, write_json, write_text
from spacy_npparse.evaluation.leaderboard import Leaderboard, make_leaderboard
from spacy_npparse.laboratory import (
    Contestant,
    Experiment,
    FailedRun,
    Task,
    config_path,
    contestant,
    import_code,
    trainable_parsers,
)
from spacy_npparse.treebank import read_conllu
from spacy_npparse.visualisation import render_leaderboard

_ALL = "all"


@app.command()
@user_errors
def leaderboard(
    context: typer.Context,
    train: Annotated[Path, typer.Argument(help="CoNLL-U file to train on.")],
    dev: Annotated[Path, typer.Argument(help="CoNLL-U file for model selection.")],
    output: Annotated[Path, typer.Argument(help="Folder for models, predictions and report.")],
    test: Annotated[
        Path | None, typer.Option(help="CoNLL-U file to evaluate on; by default the dev file.")
    ] = None,
    parsers: Annotated[
        str,
        typer.Option(
            help="Factories without `_parser`, each with settings of its component if need be "
            "(mh4,search=greedy), and the peers spacy and udpipe, separated by spaces; all: every "
            "registered parser."
        ),
    ] = _ALL,
    seeds: Annotated[str, typer.Option(help="Seeds to train with, separated by spaces.")] = "0",
    updates: Annotated[
        int | None,
        typer.Option(min=1, help="Updates of each training; by default those of its config."),
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option(
            help="Training config whose parser is replaced.  [default: this package's accuracy.cfg]"
        ),
    ] = None,
    processes: Annotated[
        int, typer.Option(min=1, help="Trainings at a time, each on one thread.")
    ] = 1,
    raw: Annotated[
        bool,
        typer.Option("--raw", help="Rank by what the pipelines make of plain text."),
    ] = False,
    code: Code = None,
) -> None:
    """Train parsers on one treebank and rank them.

    `spacy train` trains each parser with each seed, in place of the config's own parser; spacy is
    spaCy's parser, udpipe is UDPipe 1, both with their usual settings. All parse gold tokens and
    sentences, without gold tags; with --raw, they parse plain text, with tokens, words and
    sentences of their own. The models are the same. Finished runs are kept: given again, the
    command resumes, and parsers or seeds can be added; give all that the report should have.

    The report is OUTPUT/leaderboard-TEST.html and .json, with --raw leaderboard-TEST-raw: scores,
    letters shared by parsers that do not differ significantly, learning curves, accuracy against
    speed, and precision against recall of crossing arcs. The predictions are kept for `compare`.

    Examples:

    \b
      python -m spacy_npparse leaderboard train.conllu dev.conllu training/board --updates 2000
      python -m spacy_npparse leaderboard train.conllu dev.conllu training/board \\
        --parsers "mh4 arc_hybrid_swap arc_hybrid_swap,oracle=static spacy udpipe" \\
        --seeds "0 1 2" --processes 2
      python -m spacy_npparse leaderboard train.conllu dev.conllu training/board --raw
    """
    numbers = _seeds(seeds)
    config = config or config_path("accuracy")
    if not config.is_file():
        fail(f"{config}: no such file. Give --config a training config with a parser.")
    import_code(code)
    task = Task(train, dev, config, updates, code)
    contestants = _contestants(parsers, task)
    experiment = Experiment(task, test or dev, output, raw)
    page = _page(experiment)
    check_outputs([page, page.with_suffix(".json")], _inputs(experiment))
    # Read before the first training, so that errors in them show only once.
    parts = {path: list(read_conllu(path)) for path in (train, dev, experiment.gold)}
    for path, sentences in parts.items():
        if not sentences:
            fail(
                f"{path}: no sentence to train or evaluate parsers on. Give a treebank in CoNLL-U."
            )
    with experiment.locked():
        experiment.begin()
        failures = _complete(experiment, contestants, numbers, processes)
        if results := experiment.results(contestants, numbers):
            peers = {one.name for one in contestants if one.is_peer}
            board = make_leaderboard(results, peers, raw=raw)
            _report(context, experiment, board)
    for failure in failures:
        typer.secho(f"✘ {failure.name}, seed {failure.seed}: {failure.reason}", err=True)
    if failures:
        fail(
            f"{len(failures)} runs failed; all others are in the report. Give the command "
            "again to repeat the failed ones only."
        )


def _seeds(text: str) -> list[int]:
    if not text.split() or not all(word.isdecimal() for word in text.split()):
        fail(f'--seeds is "{text}". Give whole numbers, separated by spaces: "0 1 2".')
    return list(dict.fromkeys(map(int, text.split())))


def _contestants(text: str, task: Task) -> list[Contestant]:
    names = [
        name for word in text.split() for name in (trainable_parsers() if word == _ALL else [word])
    ]
    if not names:
        fail("--parsers names none. Give at least one, or all.")
    try:
        found = [contestant(name) for name in dict.fromkeys(names)]
        for one in found:
            one.check(task)
    except ValueError as error:
        fail(str(error))
    return found


def _complete(
    experiment: Experiment, contestants: Sequence[Contestant], seeds: Sequence[int], processes: int
) -> list[FailedRun]:
    """Complete all runs without result."""
    missing = experiment.missing(contestants, seeds)
    for message in experiment.damage(missing):
        typer.echo(f"⚠ {message}", err=True)
    typer.echo(f"{len(missing)} runs to do, the others are done.", err=True)
    failures = []
    # disable=None: no bar where stderr is no terminal.
    with (
        closing(experiment.run(missing, processes)) as runs,
        tqdm(total=len(missing), unit="run", disable=None) as bar,
    ):
        for done, seed, failure in runs:
            bar.update()
            bar.set_postfix_str(f"{done.name}, seed {seed}")
            if failure is not None:
                failures.append(failure)
    return failures


def _report(context: typer.Context, experiment: Experiment, board: Leaderboard) -> None:
    source = provenance_of(context, _inputs(experiment))
    page = _page(experiment)
    try:
        print_result(board.table())
    finally:
        write_json(board.as_dict(), page.with_suffix(".json"), source)
        write_text(
            render_leaderboard(board, source, title=f"Leaderboard: {experiment.gold.stem}"), page
        )
        typer.echo(f"{page}", err=True)


def _inputs(experiment: Experiment) -> list[Path]:
    task = experiment.task
    given = [task.train, task.dev, experiment.gold, task.config, task.code]
    return list(dict.fromkeys(path for path in given if path is not None))


def _page(experiment: Experiment) -> Path:
    name = experiment.gold.stem + ("-raw" if experiment.raw else "")
    return experiment.folder / f"leaderboard-{name}.html"
