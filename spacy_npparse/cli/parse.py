"""`parse`: trees for text or CoNLL-U."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from spacy.language import Language
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_npparse.annotation.silver import ConfidentSentences
from spacy_npparse.cli._app import OnErrorChoice, app, fail, user_errors
from spacy_npparse.cli._outputs import check_outputs, pipeline_files
from spacy_npparse.cli._pipeline import (
    Annotation,
    BatchSize,
    Code,
    GpuId,
    Keep,
    Model,
    Treebank,
    keep_confidence,
    load_parser,
)
from spacy_npparse.cli._report import write_text
from spacy_npparse.cli._texts import STDIN, Text, check_lengths, extent, rereadable
from spacy_npparse.components import ConstraintError, constraints_of_sentence, set_given_labels
from spacy_npparse.components.dependency_parser import DependencyParser
from spacy_npparse.components.ensemble_parser import EnsembleParser
from spacy_npparse.components.prediction import ParserPipe
from spacy_npparse.files import is_stream
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
from spacy_npparse.treebank.reading import conllu_blocks
from spacy_npparse.visualisation import render_trees


@app.command()
@user_errors
def parse(
    model: Model,
    source: Annotated[
        Path,
        typer.Argument(
            metavar="IN",
            help="File to parse: .conllu, or .txt with blank lines between paragraphs; - is stdin.",
        ),
    ],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="File to write: .conllu.")],
    lines: Annotated[
        bool,
        typer.Option("--lines", help="Each line of the text is a paragraph of its own."),
    ] = False,
    token_ranges: Annotated[
        bool,
        typer.Option(
            "--token-ranges", help="Write where tokens are in the text: TokenRange in MISC."
        ),
    ] = False,
    min_confidence: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            max=1.0,
            help="Leave out sentences in which the mean probability of the heads is lower.",
        ),
    ] = None,
    html: Annotated[
        Path | None, typer.Option(help="Also draw the trees on a page in this file.")
    ] = None,
    gpu_id: GpuId = -1,
    batch_size: BatchSize = None,
    n_process: Annotated[int, typer.Option(min=1, help="Processes, on the CPU.")] = 1,
    on_error: Annotated[
        OnErrorChoice,
        typer.Option(help="Stop at malformed CoNLL-U sentences, or skip and count them."),
    ] = OnErrorChoice.RAISE,
    keep: Keep = None,
    treebank: Treebank = None,
    complete: Annotated[
        bool,
        typer.Option(
            "--complete",
            help="Complete partial trees: keep every HEAD and DEPREL of the CoNLL-U and predict "
            "those that are _. All other annotation is written as it is, too.",
        ),
    ] = False,
    code: Code = None,
) -> None:
    """Parse a file and write the trees as CoNLL-U.

    A .conllu file gives tokens, sentence boundaries, white space and the comments sent_id, text,
    newdoc and newpar; its annotation is ignored, and written only on request (--keep), unless its
    trees are to be completed (--complete). The paragraphs of a .txt file are separated by blank
    lines; a line break inside a paragraph is white space, unless --lines is given. Its white space
    is written to MISC, with a `# newdoc` and a `# newpar` for each paragraph.

    Examples:

    \b
      python -m spacy_npparse parse training/model-best dev.conllu parsed.conllu
      python -m spacy_npparse parse training/model-best news.txt news.conllu --html news.html
      python -m spacy_npparse parse training/model-best tweets.txt tweets.conllu --lines
      python -m spacy_npparse parse training/model-best news.txt news.conllu --token-ranges
      python -m spacy_npparse parse training/model-best partial.conllu full.conllu --complete
      echo "Was glaubst du?" | python -m spacy_npparse parse training/model-best - out.conllu
    """
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
    kept = list(Kept) if complete else keep
    # Files are checked, and read a first time, before time is spent on loading and parsing.
    check_outputs([target, html], [source, code, *pipeline_files(model)])
    with rereadable(source) as path:
        if source.suffix == ".conllu":
            sentences = _Sentences(path)
            n_inputs = sum(1 for _ in read_conllu(path, on_error=on_error.value))
            nlp = load_parser(model, gpu_id, code, treebank)
            _handle_errors(nlp)
            labels = _known_labels(nlp) if complete else None
            inputs: Iterable[Doc | Paragraph] = (
                _doc_to_parse(sentence, nlp.vocab, labels) for sentence in sentences
            )
        else:
            inputs = text = Text(path, source, lines)
            known = extent(text)
            nlp = load_parser(model, gpu_id, code, treebank)
            check_lengths(text, known, nlp)
            n_inputs = known.n_paragraphs
        choose = None
        if min_confidence is not None:
            keep_confidence(nlp)
            # A parser would only learn from itself how unsure it is.
            is_vote = any(isinstance(pipe, EnsembleParser) for _, pipe in nlp.pipeline)
            choose = ConfidentSentences(min_confidence, distributions=is_vote)
        docs = Annotation(nlp, inputs, n_inputs, batch_size, n_process)
        parsed: Iterable[Doc] = docs
        if kept:
            pairs = zip(docs, sentences, strict=True)
            parsed = (keep_annotation(doc, [sentence], kept) for doc, sentence in pairs)
        if complete:
            pairs = zip(parsed, sentences, strict=True)
            parsed = (set_given_labels(doc, sentence) for doc, sentence in pairs)
        drawn: list[Doc] = []
        written = parsed if html is None else _keeping(parsed, drawn)
        write_conllu(written, target, token_ranges=token_ranges, choose=choose)
    typer.echo(f"{target}: {docs.summary()}", err=True)
    if choose is not None:
        typer.echo(f"{target}: {choose.n_left_out:,} sentences left out", err=True)
    if html is not None:
        page = render_trees(drawn, title=f"Dependency trees: {target.stem}")
        write_text(page, html)
        typer.echo(f"{html}: {docs.n_sentences:,} trees", err=True)


@dataclass(frozen=True)
class _Sentences(Iterable[Sentence]):
    """The sentences of a CoNLL-U file that has been checked, which is read each time they are
    iterated over; malformed ones are left out."""

    path: Path

    def __iter__(self) -> Iterator[Sentence]:
        with self.path.open("rb") as file:
            for block in conllu_blocks(file, self.path):
                with suppress(ConlluError):
                    yield block.parse()


def _known_labels(nlp: Language) -> set[str]:
    """The labels that all parsers of a pipeline know. Others than those of this package do not obey
    what is given."""
    parsers = (DependencyParser, EnsembleParser)
    known = [set(pipe.labels) for _, pipe in nlp.pipeline if isinstance(pipe, parsers)]
    if not known:
        fail(
            "--complete needs a parser of spacy_npparse; the pipeline has only: "
            f"{', '.join(nlp.pipe_names)}"
        )
    return set.intersection(*known)


def _doc_to_parse(sentence: Sentence, vocab: Vocab, labels: Collection[str] | None) -> Doc:
    """The words of a sentence; if its tree is to be completed by a parser with these labels, with
    what is known of it."""
    doc = unannotated_doc([sentence], vocab, sentence_starts=True)
    return doc if labels is None else constraints_of_sentence(sentence, labels).attach(doc)


def _handle_errors(nlp: Language) -> None:
    """Name the sentence in errors of our parsers, and in those that come from other processes. Not
    all components of spaCy take an error handler: its `ner` has no place for it."""
    nlp.default_error_handler = _naming_the_sentence
    for _, component in nlp.pipeline:
        if isinstance(component, ParserPipe):
            component.set_error_handler(_naming_the_sentence)


def _naming_the_sentence(
    _name: str | None, _pipe: object, docs: list[Doc] | None, error: Exception
) -> NoReturn:
    """The error handler of the pipeline, given a Doc of one sentence that could not be parsed. From
    another process, spaCy gives the text of its traceback instead."""
    if docs is None:
        _, is_known, message = str(error).rpartition(f"{ConstraintError.__name__}: ")
        if is_known:
            raise ConstraintError(message.strip()) from error
    elif isinstance(error, ConstraintError):
        [sentence] = sentences_from_doc(docs[0])
        if sentence.sent_id:
            raise ConstraintError(f"sentence {sentence.sent_id}, {error}") from error
    raise error


def _keeping(docs: Iterable[Doc], kept: list[Doc]) -> Iterator[Doc]:
    for doc in docs:
        kept.append(doc)
        yield doc
