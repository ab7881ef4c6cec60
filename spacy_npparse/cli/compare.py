"""The command `compare`, which compares several parsers on the same text."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from spacy_npparse.cli._app import app, fail, provenance_of, user_errors
from spacy_npparse.cli._outputs import check_outputs
from spacy_npparse.cli._report import GoldFile, ScoresFile, as_json, read_gold, report
from spacy_npparse.evaluation import compare_parsers
from spacy_npparse.evaluation.comparison_table import comparison_table
from spacy_npparse.treebank import read_conllu
from spacy_npparse.visualisation import render_comparison


@app.command()
@user_errors
def compare(
    context: typer.Context,
    gold: GoldFile,
    predicted: Annotated[
        list[str],
        typer.Argument(
            metavar="[NAME=]PREDICTED",
            help="CoNLL-U files with predicted annotation. Files with the same NAME are seeds of "
            "one parser.",
        ),
    ],
    json_path: ScoresFile = None,
    html: Annotated[
        Path | None, typer.Option(help="Write a page with plots and trees to this file.")
    ] = None,
    n_sentences: Annotated[
        int, typer.Option("--sentences", min=0, help="Number of differing sentences to show.")
    ] = 10,
) -> None:
    """Compare the predictions of parsers, with significance tests.

    The files must have the same text, but tokens, words and sentences may differ, as they do with
    `evaluate --raw --output`. The scores are those of `score`. The significance tests are
    approximate randomisation over gold sentences for every score, McNemar's test over gold words
    for UAS and LAS, and Wilcoxon's signed-rank test over seeds, paired in the given order. The
    report also shows the accuracy by arc length, sentence length, distance to the root,
    projectivity and label, and the sentences that differ most.

    Examples:

    \b
      python -m spacy_npparse compare dev.conllu mh4.conllu swap.conllu --html report.html
      python -m spacy_npparse compare dev.conllu static={a,b,c}.conllu dynamic={d,e,f}.conllu
    """
    files = _parsers(predicted)
    if len(files) < 2:
        fail(
            "There is only one parser to compare. Give predictions of several; those with the "
            "same NAME= are seeds of one parser."
        )
    inputs = [gold, *(path for paths in files.values() for path in paths)]
    check_outputs([json_path, html], inputs)
    sentences = read_gold(gold, "compare parsers on")
    predictions = {
        name: {str(path): list(read_conllu(path)) for path in paths}
        for name, paths in files.items()
    }
    found = compare_parsers(sentences, predictions)
    source = provenance_of(context, inputs)
    report(
        comparison_table(found, n_sentences),
        (json_path, lambda: as_json(found.as_dict(n_sentences), source)),
        (html, lambda: render_comparison(found, source, n_sentences=n_sentences)),
    )


def _parsers(arguments: list[str]) -> dict[str, list[Path]]:
    """Find the files of each parser. Each file without a name is a parser of its own."""
    given = [_named(argument) for argument in arguments]
    names = {name for name, _ in given if name}
    stems = Counter(path.stem for name, path in given if not name)
    parsers: dict[str, list[Path]] = {}
    for name, path in given:
        unique = stems[path.stem] == 1 and path.stem not in names
        files = parsers.setdefault(name or (path.stem if unique else str(path)), [])
        if path in files:
            fail(f"{path} is given twice. Give each seed of a parser once.")
        files.append(path)
    return parsers


def _named(argument: str) -> tuple[str, Path]:
    """Split an argument into name and file. The name may be empty, and both may contain `=`."""
    if not Path(argument).is_file():
        for sign in re.finditer("=", argument):
            path = Path(argument[sign.end() :])
            if path.is_file():
                return argument[: sign.start()], path
    return "", Path(argument)
