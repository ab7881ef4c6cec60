"""`score`: compare two CoNLL-U files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from spacy_npparse.cli._app import app, fail, provenance_of, user_errors
from spacy_npparse.cli._outputs import check_outputs
from spacy_npparse.cli._report import report_scores
from spacy_npparse.evaluation import score_sentences
from spacy_npparse.treebank import read_conllu


@app.command()
@user_errors
def score(
    context: typer.Context,
    gold: Annotated[Path, typer.Argument(help="CoNLL-U file with the gold annotation.")],
    predicted: Annotated[Path, typer.Argument(help="CoNLL-U file with the predicted annotation.")],
    json_path: Annotated[
        Path | None, typer.Option("--json", help="Write all scores and counts to this file.")
    ] = None,
) -> None:
    """Score a predicted CoNLL-U file against a gold one.

    The scores are those of the official evaluation of CoNLL 2018 (with punctuation, without
    subtypes of relations), and scores on non-projective sentences and arcs. The two files must have
    the same text; tokens, words and sentences may differ.

    Examples:

    \b
      python -m spacy_npparse score dev.conllu predicted.conllu
      python -m spacy_npparse score dev.conllu predicted.conllu --json scores.json
    """
    check_outputs([json_path], [gold, predicted])
    sentences = list(read_conllu(gold))
    if not sentences:
        fail(f"{gold}: no sentence to score. Give a treebank in CoNLL-U.")
    scores = score_sentences(sentences, read_conllu(predicted))
    report_scores(scores, json_path, provenance_of(context, [gold, predicted]))
