"""`leaderboard`: training parsers on one treebank, and ranking them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from spacy_npparse.cli._app import app, user_errors
from spacy_npparse.cli._pipeline import Code
from spacy_npparse.cli._report import report
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
    ranked,
    read_seeds,
)
from spacy_npparse.cli._threads import Threads
from spacy_npparse.laboratory import Experiment, Task

_Test = Annotated[
    Path | None, typer.Option(help="CoNLL-U file to evaluate on; by default the dev file.")
]
_AlsoTrain = Annotated[
    list[Path] | None,
    typer.Option(
        help="CoNLL-U file of another treebank to train on as well; repeat the option for more."
    ),
]


@app.command()
@user_errors
def leaderboard(
    context: typer.Context,
    train: Annotated[Path, typer.Argument(metavar="TRAIN", help="CoNLL-U file to train on.")],
    dev: Annotated[
        Path, typer.Argument(metavar="DEV", help="CoNLL-U file for the learning curve.")
    ],
    output: Annotated[
        Path, typer.Argument(metavar="OUTPUT", help="Folder for models, predictions and report.")
    ],
    test: _Test = None,
    also_train: _AlsoTrain = None,
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
    """Train parsers on one treebank and rank them.

    `spacy train` trains each parser with each seed, in place of the parser in the config. `spacy`
    is spaCy's parser with its quickstart config for efficiency and `min_action_freq = 1`, and
    `udpipe` is UDPipe 1. The parsers get gold tokens and sentences without gold tags. With --raw,
    the same models parse plain text and predict tokens, words and sentences. The models after the
    last update are evaluated: DEV serves for the learning curve only, except that udpipe uses it to
    stop early. To resume, or to add parsers or seeds, run the command again and name all that the
    report should contain. Finished trainings are not repeated.

    With --also-train, all parsers are trained on TRAIN and these treebanks together. Encoders of
    this package then have treebank embeddings, and parse in the style of TRAIN.

    The report is OUTPUT/leaderboard-TEST.html and .json (with --raw, leaderboard-TEST-raw). It
    contains scores, letters that are shared by parsers that do not differ significantly, learning
    curves, accuracy against speed, and precision against recall of non-projective arcs. You can
    pass the predictions to `compare`.

    Examples:

    \b
      python -m spacy_npparse leaderboard train.conllu dev.conllu training/board --updates 1000
      python -m spacy_npparse leaderboard train.conllu dev.conllu training/board \\
        --parsers "mh4 arc_hybrid_swap arc_hybrid_swap,oracle=static spacy udpipe" \\
        --seeds "0 1 2" --processes 2
      python -m spacy_npparse leaderboard train.conllu dev.conllu training/board --raw
      python -m spacy_npparse leaderboard sv_lines-ud-train.conllu sv_lines-ud-dev.conllu \\
        training/swedish --also-train en_lines-ud-train.conllu --parsers mh4
    """
    numbers = read_seeds(seeds)
    tasks = find_executor(executor, processes, threads, address)
    task = Task(train, dev, find_config(config, code), updates, code, tuple(also_train or ()))
    contestants = find_contestants(parsers, task)
    experiment = Experiment(task, test or dev, output, raw)
    check_experiments([experiment])
    with completed(context, {experiment: contestants}, numbers, tasks, kept="the report"):
        if board := ranked(experiment, contestants, numbers):
            report(board.table(), *board_files(context, experiment, board), page=True)
