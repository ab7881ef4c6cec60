"""The command `parse`, which parses text or CoNLL-U."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from spacy.language import Language
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_npparse.annotation.silver import ConfidentSentences
from spacy_npparse.cli._app import OnErrorChoice, app, fail, user_errors
from spacy_npparse.cli._left_out import LeftOut
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
from spacy_npparse.cli._report import write_text
from spacy_npparse.cli._texts import STDIN, Extent, check_text, read_file, rereadable
from spacy_npparse.cli._threads import Threads
from spacy_npparse.components import ConstraintError, constraints_of_sentence, set_given_labels
from spacy_npparse.components.constraints.given import quoted
from spacy_npparse.components.dependency_parser import DependencyParser
from spacy_npparse.components.ensemble_parser import EnsembleParser
from spacy_npparse.components.prediction import ParserPipe, keep_confidence
from spacy_npparse.errors import DocError
from spacy_npparse.files import is_stream
from spacy_npparse.scaling.units import Unit
from spacy_npparse.treebank import (
    ConlluError,
    Kept,
    Paragraph,
    Sentence,
    keep_annotation,
    read_conllu,
    sentences_from_doc,
    unannotated_doc,
    write_conllu,
)
from spacy_npparse.treebank.annotating import Prepared
from spacy_npparse.treebank.contraction import contracted
from spacy_npparse.treebank.reading import ConlluBlock
from spacy_npparse.visualisation import render_trees

Source = Annotated[
    Path,
    typer.Argument(
        metavar="IN",
        help="File to parse: .conllu, or .txt with blank lines between paragraphs; - is text on "
        "stdin.",
    ),
]
Target = Annotated[Path, typer.Argument(metavar="OUT", help="File to write: .conllu.")]
Lines = Annotated[bool, typer.Option("--lines", help="Each line of the text is a paragraph.")]
TokenRanges = Annotated[
    bool,
    typer.Option("--token-ranges", help="Write the positions of tokens to MISC (TokenRange)."),
]
MinConfidence = Annotated[
    float | None,
    typer.Option(
        min=0.0,
        max=1.0,
        help="Write only sentences in which the mean probability of the heads is at least "
        "this number.",
    ),
]
Html = Annotated[Path | None, typer.Option(help="Also write a page with the trees to this file.")]
Processes = Annotated[int, typer.Option(min=1, help="Number of processes, on the CPU only.")]
OnError = Annotated[
    OnErrorChoice, typer.Option(help="Stop at malformed CoNLL-U sentences, or skip and count them.")
]
Complete = Annotated[
    bool,
    typer.Option(
        "--complete",
        help="Complete partial trees: keep every HEAD and DEPREL of the CoNLL-U file, predict "
        "those that are _, and copy all other annotation.",
    ),
]


def _check_options(
    source: Path,
    target: Path,
    lines: bool,
    token_ranges: bool,
    min_confidence: float | None,
    html: Path | None,
    gpu_id: int,
    n_process: int,
    keep: list[Kept] | None,
    complete: bool,
) -> None:
    if target.suffix != ".conllu" and not is_stream(target):
        fail(f"Cannot write {target}. Give OUT a name that ends in .conllu.")
    if source != STDIN and source.suffix not in (".conllu", ".txt"):
        fail(f"Cannot read {source}. Give a .conllu file, a .txt file, or - for text on stdin.")
    if lines and source.suffix == ".conllu":
        fail(f"--lines is for text, but {source} is CoNLL-U. Give a .txt file, or leave it out.")
    if token_ranges and source.suffix == ".conllu":
        fail(f"{source} has no text to give the ranges of tokens in. Leave out --token-ranges.")
    if gpu_id >= 0 and n_process > 1:
        fail("Processes cannot share a GPU. Use --gpu-id or --n-process, not both.")
    if keep and source.suffix != ".conllu":
        fail(f"Cannot keep annotation of {source}, which has none. Leave out --keep.")
    if complete and source.suffix != ".conllu":
        fail(f"Cannot complete the trees of {source}, which has none. Leave out --complete.")
    if complete and keep:
        fail("--complete keeps all annotation. Leave out --keep.")
    if html is not None and min_confidence is not None:
        fail("--html draws all trees, and --min-confidence leaves some out. Leave out one of them.")


@app.command()
@user_errors
def parse(
    model: Model,
    source: Source,
    target: Target,
    lines: Lines = False,
    token_ranges: TokenRanges = False,
    min_confidence: MinConfidence = None,
    html: Html = None,
    gpu_id: GpuId = -1,
    batch_size: BatchSize = None,
    n_process: Processes = 1,
    threads: Threads = 1,
    on_error: OnError = OnErrorChoice.RAISE,
    keep: Keep = None,
    treebank: Treebank = None,
    complete: Complete = False,
    code: Code = None,
) -> None:
    """Parse a file and write the trees as CoNLL-U.

    In a .txt file, blank lines separate paragraphs, and a line break inside a paragraph is white
    space, unless you pass --lines. The output contains one `# newdoc`, and a `# newpar` for each
    paragraph. MISC contains the white space.

    The command keeps the tokens, sentences and white space of a .conllu file, and its comments
    sent_id, text, newdoc and newpar. It drops all other annotation unless you pass --keep or
    --complete.

    Examples:

    \b
      python -m spacy_npparse parse training/model-best dev.conllu parsed.conllu
      python -m spacy_npparse parse training/model-best news.txt news.conllu --html news.html
      python -m spacy_npparse parse training/model-best tweets.txt tweets.conllu --lines
      python -m spacy_npparse parse training/model-best news.txt news.conllu --token-ranges
      python -m spacy_npparse parse training/model-best partial.conllu full.conllu --complete
      echo "Was glaubst du?" | python -m spacy_npparse parse training/model-best - out.conllu
    """
    _check_options(
        source, target, lines, token_ranges, min_confidence, html, gpu_id, n_process, keep, complete
    )
    check_outputs([target, html], [source, code, *pipeline_files(model)])
    left_out = LeftOut(list(Kept) if complete else keep or [])
    with rereadable(source) as path:
        # Find errors in the input before the pipeline is loaded.
        known = _check(path, source, lines, on_error, left_out)
        nlp = load_parser(model, gpu_id, code, treebank)
        known.check_lengths(nlp)
        if source.suffix == ".conllu":
            _handle_errors(nlp)
        labels = _known_labels(nlp) if complete else None
        choose = None if min_confidence is None else _confident(nlp, min_confidence, left_out.keep)
        pairs = _prepared(read_file(path, source, lines), nlp.vocab, labels)
        annotation = Annotation(nlp, pairs, known.n_units, batch_size, n_process)
        drawn: list[Doc] = []
        docs = _finished(annotation, complete, left_out, None if html is None else drawn)
        write_conllu(docs, target, token_ranges=token_ranges, choose=choose)
    if html is not None:
        write_text(render_trees(drawn, title=f"Dependency trees: {target.stem}"), html)
    _report(annotation, source, target, html, choose, left_out)


def _check(
    path: Path, source: Path, lines: bool, on_error: OnErrorChoice, left_out: LeftOut
) -> Extent:
    if source.suffix == ".conllu":
        extent = Extent(str(source))
        for sentence in read_conllu(path, on_error=on_error.value):
            extent.n_units += 1
            left_out.count(sentence)
        if extent.n_units == 0:
            fail(f"{source}: no sentence to parse.")
        return extent
    return check_text(path, source, lines)


def _prepared(
    units: Iterable[Unit], vocab: Vocab, labels: Collection[str] | None
) -> Iterator[tuple[ConlluBlock | None, Prepared]]:
    """Prepare the input of the pipeline: paragraphs, or Docs after the sentences that they are made
    from. If `labels` are given, those of the parser, the Docs have the known parts of the trees as
    constraints. Malformed sentences are skipped."""
    for unit in units:
        if isinstance(unit.content, Paragraph):
            yield None, unit.content
        elif isinstance(unit.content, ConlluBlock):
            with suppress(ConlluError):
                yield unit.content, _doc_to_parse(unit.content.parse(), vocab, labels)


def _doc_to_parse(sentence: Sentence, vocab: Vocab, labels: Collection[str] | None) -> Doc:
    doc = unannotated_doc([sentence], vocab)
    return doc if labels is None else constraints_of_sentence(sentence, labels).attach(doc)


def _known_labels(nlp: Language) -> set[str]:
    """Find the labels that all parsers of a pipeline know. Only parsers of this package count,
    because others do not support constraints."""
    parsers = (DependencyParser, EnsembleParser)
    known = [set(pipe.labels) for _, pipe in nlp.pipeline if isinstance(pipe, parsers)]
    if not known:
        fail(
            "--complete needs a parser of spacy_npparse; the pipeline has only: "
            f"{', '.join(nlp.pipe_names)}"
        )
    return set.intersection(*known)


def _confident(nlp: Language, min_confidence: float, keep: Collection[Kept]) -> ConfidentSentences:
    if not keep_confidence(nlp):
        fail(
            "--min-confidence needs a parser of spacy_npparse; the pipeline has only: "
            f"{', '.join(nlp.pipe_names)}"
        )
    # A single parser would only learn its own uncertainty.
    is_vote = any(isinstance(pipe, EnsembleParser) for _, pipe in nlp.pipeline)
    return ConfidentSentences(min_confidence, lemmas=Kept.LEMMA in keep, distributions=is_vote)


def _finished(
    annotation: Iterable[tuple[ConlluBlock | None, Doc]],
    complete: bool,
    left_out: LeftOut,
    drawn: list[Doc] | None,
) -> Iterator[Doc]:
    """Copy the annotation to keep to the Docs, and append them to `drawn`."""
    kept = left_out.keep
    for block, doc in annotation:
        left_out.note_predicted(doc)
        if kept and block is not None:
            sentence = block.parse()
            if not complete and len(doc) != contracted(sentence).n_words:
                raise DocError(
                    f"sentence {sentence.sent_id or quoted(doc.text)}: the pipeline has merged or "
                    "split tokens, so their annotation cannot be kept. Leave out --keep, or remove "
                    "the component from the pipeline."
                )
            keep_annotation(doc, [sentence], kept)
            if complete:
                set_given_labels(doc, sentence)
        if drawn is not None:
            drawn.append(doc)
        yield doc


def _report(
    annotation: Annotation[ConlluBlock | None],
    source: Path,
    target: Path,
    html: Path | None,
    choose: ConfidentSentences | None,
    left_out: LeftOut,
) -> None:
    typer.echo(f"{target}: {annotation.summary()}", err=True)
    if choose is not None:
        typer.echo(f"{target}: {choose.n_left_out:,} sentences left out", err=True)
    if html is not None:
        typer.echo(f"{html}: {annotation.n_sentences:,} trees", err=True)
    if summary := left_out.summary(source):
        typer.echo(summary, err=True)


def _handle_errors(nlp: Language) -> None:
    """Make error messages name the sentence. The handler is not set for all components, because
    some of spaCy's, such as `ner`, do not support it."""
    nlp.default_error_handler = _naming_the_sentence
    for _, component in nlp.pipeline:
        if isinstance(component, ParserPipe):
            component.set_error_handler(_naming_the_sentence)


def _naming_the_sentence(
    _name: str | None, _pipe: object, docs: list[Doc] | None, error: Exception
) -> NoReturn:
    """Handle an error of the pipeline in a Doc of one sentence. An error in another process comes
    without Docs, as the text of its traceback."""
    if docs is None:
        _, is_known, message = str(error).rpartition(f"{ConstraintError.__name__}: ")
        if is_known:
            raise ConstraintError(message.strip()) from error
    elif isinstance(error, ConstraintError):
        [sentence] = sentences_from_doc(docs[0])
        if sentence.sent_id:
            raise ConstraintError(f"sentence {sentence.sent_id}, {error}") from error
    raise error
