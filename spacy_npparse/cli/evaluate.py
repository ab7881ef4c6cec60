"""`evaluate`: the official scores of a trained pipeline."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import repeat
from pathlib import Path
from typing import Annotated

import typer
from spacy.language import Language
from spacy.tokens import Doc

from spacy_npparse.cli._app import app, fail, provenance_of, user_errors
from spacy_npparse.cli._outputs import check_outputs, pipeline_files
from spacy_npparse.cli._pipeline import (
    Annotation,
    BatchSize,
    Code,
    GpuId,
    Keep,
    Model,
    Treebank,
    load_parser,
)
from spacy_npparse.cli._report import Validate, report_scores
from spacy_npparse.cli._threads import Threads
from spacy_npparse.evaluation import score_sentences, validate_sentences
from spacy_npparse.extras import UDTOOLS, optional_version
from spacy_npparse.files import is_stream
from spacy_npparse.models import assume_treebank
from spacy_npparse.treebank import (
    Kept,
    Sentence,
    keep_annotation,
    paragraphs_of_treebank,
    read_conllu,
    sentences_from_doc,
    unannotated_doc,
    write_conllu,
)
from spacy_npparse.treebank.docs import group_sentences
from spacy_npparse.treebank_names import treebank_name

Gold = Annotated[Path, typer.Argument(help="CoNLL-U file with the gold annotation.")]
Raw = Annotated[
    bool, typer.Option("--raw", help="Start from plain text: no gold tokens or sentences.")
]
JsonPath = Annotated[
    Path | None, typer.Option("--json", help="Write all scores and counts to this file.")
]
Output = Annotated[
    Path | None, typer.Option(help="Write the predicted annotation to this .conllu file.")
]
SentencesPerDoc = Annotated[
    int, typer.Option(min=0, help="Gold sentences in one Doc; 0: all up to a `# newdoc`.")
]


def _check_options(
    raw: bool,
    output: Path | None,
    sentences_per_doc: int,
    keep: list[Kept] | None,
    validate: bool,
) -> None:
    if output is not None and output.suffix != ".conllu" and not is_stream(output):
        fail(f"Cannot write {output}. Give --output a name that ends in .conllu.")
    if keep and (raw or output is None):
        fail(
            "--keep copies gold annotation to the words of --output. Give it with --output, and "
            "without --raw."
        )
    if raw and sentences_per_doc != 1:
        fail("--sentences-per-doc is for gold sentences. Give it without --raw.")
    if validate:
        optional_version(UDTOOLS)


@app.command()
@user_errors
def evaluate(
    context: typer.Context,
    model: Model,
    gold: Gold,
    raw: Raw = False,
    json_path: JsonPath = None,
    output: Output = None,
    gpu_id: GpuId = -1,
    batch_size: BatchSize = None,
    threads: Threads = 1,
    sentences_per_doc: SentencesPerDoc = 1,
    keep: Keep = None,
    validate: Validate = False,
    treebank: Treebank = None,
    code: Code = None,
) -> None:
    """Score a pipeline on a treebank.

    The pipeline gets gold tokens and sentence boundaries, and nothing else of the annotation. With
    --raw it gets the plain text, one Doc per paragraph, and predicts tokens and sentence
    boundaries, too. If it was trained on several treebanks, it parses like that of GOLD, as far as
    the name of the file tells, unless --treebank is given. Scores are those of `score`, and of the
    pipeline's predictions, whatever the output keeps of the gold annotation (--keep). With
    --validate, the syntax errors of the validator of Universal Dependencies (level 3) are counted.

    Examples:

    \b
      python -m spacy_npparse evaluate training/model-best dev.conllu
      python -m spacy_npparse evaluate training/model-best dev.conllu --raw --json scores.json
      python -m spacy_npparse evaluate training/model-best dev.conllu --sentences-per-doc 10
      python -m spacy_npparse evaluate xx_my_pipeline dev.conllu --output predicted.conllu
    """
    _check_options(raw, output, sentences_per_doc, keep, validate)
    check_outputs([json_path, output], [gold, code, *pipeline_files(model)])
    sentences = list(read_conllu(gold))
    if not sentences:
        fail(f"{gold}: no sentence to evaluate on. Give a treebank in CoNLL-U.")
    nlp = load_parser(model, gpu_id, code, treebank)
    name = treebank_name(gold)
    if treebank is None and assume_treebank(nlp, name):
        treebank = name
    annotation = _annotation(nlp, sentences, raw, sentences_per_doc, batch_size)
    predicted: list[Sentence] = []
    docs = _predicted(annotation, predicted, keep)
    if output is None:
        deque(docs, maxlen=0)
    else:
        write_conllu(docs, output)
    given = "plain text" if raw else "gold tokens and sentences"
    if treebank is not None:
        given += f", treebank {treebank}"
    typer.echo(f"{gold}, {given}: {annotation.summary()}", err=True)
    scores = score_sentences(sentences, predicted)
    validation = validate_sentences(sentences, predicted) if validate else None
    report_scores(scores, json_path, provenance_of(context, [gold]), validation)


def _annotation(
    nlp: Language,
    sentences: list[Sentence],
    raw: bool,
    sentences_per_doc: int,
    batch_size: int | None,
) -> Annotation[list[Sentence]]:
    """The annotated Docs, after their sentences unless they are made from plain text."""
    if raw:
        paragraphs = list(paragraphs_of_treebank(sentences))
        # Many treebanks have no paragraphs, and are one long text.
        nlp.max_length = max(nlp.max_length, *(len(one.text) for one in paragraphs))
        return Annotation(nlp, zip(repeat([]), paragraphs), len(paragraphs), batch_size)
    groups = list(group_sentences(sentences, repeat(sentences_per_doc)))
    bare = ((group, unannotated_doc(group, nlp.vocab, sentence_starts=True)) for group in groups)
    return Annotation(nlp, bare, len(groups), batch_size)


def _predicted(
    annotation: Annotation[list[Sentence]], predicted: list[Sentence], keep: list[Kept] | None
) -> Iterator[Doc]:
    """The Docs as they are written; their predicted sentences are added. The Docs, and their
    vectors, are not kept."""
    for group, doc in annotation:
        predicted.extend(sentences_from_doc(doc))
        yield keep_annotation(doc, group, keep) if keep else doc
