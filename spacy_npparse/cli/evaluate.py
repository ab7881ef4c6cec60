"""The command `evaluate`, which scores a trained pipeline on a treebank."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
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
from spacy_npparse.cli._report import GoldFile, ScoresFile, Validate, report_scores
from spacy_npparse.cli._threads import Threads
from spacy_npparse.evaluation import ScoreSum, validate_sentences
from spacy_npparse.extras import UDTOOLS, optional_version
from spacy_npparse.files import is_stream
from spacy_npparse.models import assume_treebank
from spacy_npparse.treebank import (
    ConlluReader,
    Kept,
    Paragraph,
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

Raw = Annotated[
    bool, typer.Option("--raw", help="Parse plain text, without gold tokens and sentences.")
]
Output = Annotated[
    Path | None, typer.Option(help="Write the predicted annotation to this .conllu file.")
]
SentencesPerDoc = Annotated[
    int, typer.Option(min=0, help="Gold sentences in a Doc; 0: all up to the next `# newdoc`.")
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
    gold: GoldFile,
    raw: Raw = False,
    json_path: ScoresFile = None,
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

    The pipeline gets the gold tokens and sentences, but no other annotation. With --raw, it gets
    plain text, one Doc per paragraph, and predicts the tokens and sentences as well. A pipeline
    that was trained on several treebanks parses in the style of the one that --treebank names; by
    default, of the one saved in the pipeline, or else of the one that the name of GOLD indicates.
    The scores are those of `score`. --keep does not affect them. With --validate, the command also
    counts the syntax errors that the UD validator finds (level 3).

    Examples:

    \b
      python -m spacy_npparse evaluate training/model-best dev.conllu
      python -m spacy_npparse evaluate training/model-best dev.conllu --raw --json scores.json
      python -m spacy_npparse evaluate training/model-best dev.conllu --sentences-per-doc 10
      python -m spacy_npparse evaluate xx_my_pipeline dev.conllu --output predicted.conllu
    """
    _check_options(raw, output, sentences_per_doc, keep, validate)
    check_outputs([json_path, output], [gold, code, *pipeline_files(model)])
    lengths = list(_lengths(read_conllu(gold), raw, sentences_per_doc))
    if not lengths:
        fail(f"{gold}: no sentence to evaluate on. Give a treebank in CoNLL-U.")
    nlp = load_parser(model, gpu_id, code, treebank)
    name = treebank_name(gold)
    if treebank is None and assume_treebank(nlp, name):
        treebank = name
    # Many treebanks have no paragraphs, and are one long text.
    nlp.max_length = max(nlp.max_length, *lengths)
    inputs = _inputs(nlp, _again(gold), raw, sentences_per_doc)
    annotation = Annotation(nlp, inputs, len(lengths), batch_size)
    scores = ScoreSum(_again(gold))
    # The validator reads all of them at once.
    validated: list[Sentence] | None = [] if validate else None
    docs = _scored(annotation, scores, validated, keep)
    if output is None:
        deque(docs, maxlen=0)
    else:
        write_conllu(docs, output)
    given = "plain text" if raw else "gold tokens and sentences"
    if treebank is not None:
        given += f", treebank {treebank}"
    typer.echo(f"{gold}, {given}: {annotation.summary()}", err=True)
    validation = None if validated is None else validate_sentences(_again(gold), validated)
    report_scores(scores.finish(), json_path, provenance_of(context, [gold]), validation)


def _again(gold: Path) -> ConlluReader:
    """Read a file again without repeating its warnings."""
    return ConlluReader(gold, warn=lambda message: None)


def _lengths(sentences: Iterable[Sentence], raw: bool, sentences_per_doc: int) -> Iterator[int]:
    """Count the characters of each paragraph, or the words of each Doc."""
    if raw:
        yield from (len(paragraph.text) for paragraph in paragraphs_of_treebank(sentences))
    else:
        for group in group_sentences(sentences, repeat(sentences_per_doc)):
            yield sum(sentence.n_words for sentence in group)


def _inputs(
    nlp: Language, sentences: Iterable[Sentence], raw: bool, sentences_per_doc: int
) -> Iterator[tuple[list[Sentence], Doc | Paragraph]]:
    """Iterate over the Docs or paragraphs to annotate, each with the sentences of the Doc."""
    if raw:
        yield from zip(repeat([]), paragraphs_of_treebank(sentences))
    else:
        for group in group_sentences(sentences, repeat(sentences_per_doc)):
            yield group, unannotated_doc(group, nlp.vocab)


def _scored(
    annotation: Annotation[list[Sentence]],
    scores: ScoreSum,
    validated: list[Sentence] | None,
    keep: list[Kept] | None,
) -> Iterator[Doc]:
    """Score the predicted sentences of each Doc, collect them for the validator if wanted, and
    yield the Doc as it is to be written. The Docs, and their vectors, are not kept."""
    for group, doc in annotation:
        predicted = sentences_from_doc(doc)
        scores.add(predicted)
        if validated is not None:
            validated += predicted
        yield keep_annotation(doc, group, keep) if keep else doc
