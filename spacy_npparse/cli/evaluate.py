"""`evaluate`: the official scores of a trained pipeline."""

from __future__ import annotations

from itertools import repeat
from pathlib import Path
from typing import Annotated

import typer
from spacy.tokens import Doc

from spacy_npparse.cli._app import app, fail, provenance_of, user_errors
from spacy_npparse.cli._pipeline import Annotation, BatchSize, Code, GpuId, Model, load_parser
from spacy_npparse.cli._report import report_scores
from spacy_npparse.evaluation import score_sentences
from spacy_npparse.treebank import (
    raw_texts,
    read_conllu,
    sentences_from_doc,
    unannotated_doc,
    write_conllu,
)
from spacy_npparse.treebank.docs import group_sentences


@app.command()
@user_errors
def evaluate(
    context: typer.Context,
    model: Model,
    gold: Annotated[Path, typer.Argument(help="CoNLL-U file with the gold annotation.")],
    raw: Annotated[
        bool, typer.Option("--raw", help="Start from plain text: no gold tokens or sentences.")
    ] = False,
    json_path: Annotated[
        Path | None, typer.Option("--json", help="Write all scores and counts to this file.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option(help="Write the predicted annotation to this .conllu file.")
    ] = None,
    gpu_id: GpuId = -1,
    batch_size: BatchSize = 128,
    sentences_per_doc: Annotated[
        int,
        typer.Option(min=0, help="Gold sentences in one Doc; 0: all up to a `# newdoc`."),
    ] = 1,
    code: Code = None,
) -> None:
    """Score a pipeline on a treebank.

    The pipeline gets gold tokens and sentence boundaries, and nothing else of the annotation. With
    --raw it gets the plain text, one Doc per paragraph, and predicts tokens and sentence
    boundaries, too. Scores are those of `score`.

    Examples:

    \b
      python -m spacy_npparse evaluate training/model-best dev.conllu
      python -m spacy_npparse evaluate training/model-best dev.conllu --raw --json scores.json
      python -m spacy_npparse evaluate training/model-best dev.conllu --sentences-per-doc 10
      python -m spacy_npparse evaluate xx_my_pipeline dev.conllu --output predicted.conllu
    """
    if output is not None and output.suffix != ".conllu":
        fail(f"Cannot write {output}. Give --output a name that ends in .conllu.")
    sentences = list(read_conllu(gold))
    if not sentences:
        fail(f"{gold}: no sentence to evaluate on. Give a treebank in CoNLL-U.")
    nlp = load_parser(model, gpu_id, code)
    inputs: list[Doc | str]
    if raw:
        # Paragraphs: a treebank without document boundaries would be one long text.
        inputs = [
            part for text in raw_texts(sentences) for part in text.split("\n\n") if part.strip()
        ]
        nlp.max_length = max(nlp.max_length, *map(len, inputs))
    else:
        inputs = [
            unannotated_doc(group, nlp.vocab, sentence_starts=True)
            for group in group_sentences(sentences, repeat(sentences_per_doc))
        ]
    annotation = Annotation(nlp, inputs, batch_size)
    docs = list(annotation)
    typer.echo(
        f"{gold}, {'plain text' if raw else 'gold tokens and sentences'}: {annotation.summary()}",
        err=True,
    )
    if output is not None:
        write_conllu(docs, output)
    predicted = (sentence for doc in docs for sentence in sentences_from_doc(doc))
    scores = score_sentences(sentences, predicted)
    report_scores(scores, json_path, provenance_of(context, [gold]))
