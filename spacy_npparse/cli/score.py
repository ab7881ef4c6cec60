"""The command `score`, which scores a predicted CoNLL-U file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from spacy_npparse.cli._app import app, fail, provenance_of, user_errors
from spacy_npparse.cli._outputs import check_outputs
from spacy_npparse.cli._report import GoldFile, ScoresFile, Validate, report_scores
from spacy_npparse.evaluation import score_sentences, validate_sentences
from spacy_npparse.treebank import read_conllu


@app.command()
@user_errors
def score(
    context: typer.Context,
    gold: GoldFile,
    predicted: Annotated[
        Path,
        typer.Argument(metavar="PREDICTED", help="CoNLL-U file with the predicted annotation."),
    ],
    json_path: ScoresFile = None,
    validate: Validate = False,
) -> None:
    """Score a predicted CoNLL-U file against a gold one.

    The command prints the official scores of the CoNLL 2018 shared task, which include punctuation
    and ignore subtypes of labels, and scores on non-projective sentences and arcs. The files
    must have the same text, but tokens, words and sentences may differ. With --validate, it also
    counts the syntax errors that the UD validator finds in both files (level 3).

    Examples:

    \b
      python -m spacy_npparse score dev.conllu predicted.conllu
      python -m spacy_npparse score dev.conllu predicted.conllu --json scores.json
    """
    check_outputs([json_path], [gold, predicted])
    if next(read_conllu(gold), None) is None:
        fail(f"{gold}: no sentence to score. Give a treebank in CoNLL-U.")
    scores = score_sentences(read_conllu(gold), read_conllu(predicted))
    validation = None
    if validate:
        validation = validate_sentences(read_conllu(gold), read_conllu(predicted))
    report_scores(scores, json_path, provenance_of(context, [gold, predicted]), validation)
