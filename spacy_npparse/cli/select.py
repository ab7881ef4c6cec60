"""The command `select`, which selects sentences or arcs to annotate."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer
from spacy.language import Language

from spacy_npparse.annotation.posteriors import parser_of
from spacy_npparse.annotation.selection import (
    Criterion,
    JudgedSentence,
    judge_sentences,
    partial_sentence,
    select_doubtful_words,
    select_sentences,
    select_words,
)
from spacy_npparse.cli._app import app, fail, user_errors
from spacy_npparse.cli._outputs import check_outputs, pipeline_files
from spacy_npparse.cli._pipeline import (
    Annotation,
    BatchSize,
    Code,
    GpuId,
    Model,
    Treebank,
    load_parser,
)
from spacy_npparse.cli._report import progress, write_text
from spacy_npparse.cli._texts import check_text, read_file
from spacy_npparse.cli._threads import Threads
from spacy_npparse.cli._treebanks import without_uncut_tokens
from spacy_npparse.files import is_stream
from spacy_npparse.scaling.inputs import unique_name
from spacy_npparse.treebank import (
    Paragraph,
    Sentence,
    parse_sentence,
    read_conllu,
    sentences_from_doc,
    without_annotation,
)
from spacy_npparse.treebank.sentence import conllu_text


class Granularity(str, Enum):
    """The unit of selection."""

    SENTENCE = "sentence"
    ARC = "arc"


Texts = Annotated[
    list[Path],
    typer.Argument(
        metavar="TEXT",
        help="Files to select from: .conllu, or .txt with blank lines between paragraphs.",
    ),
]
Output = Annotated[Path, typer.Argument(metavar="OUT", help="File to write: .conllu.")]
By = Annotated[Criterion, typer.Option(help="Criterion by which sentences or arcs are ranked.")]
UnitOption = Annotated[
    Granularity, typer.Option(help="Select whole sentences, or the arcs of single words.")
]
Words = Annotated[int, typer.Option(min=1, help="Maximum number of words to annotate.")]
MinError = Annotated[
    float | None,
    typer.Option(
        min=0.0,
        max=1.0,
        help="With --unit arc: draw sentences at random instead, and select their arcs that are "
        "wrong with at least this probability.",
    ),
]
AnnotatedFiles = Annotated[
    list[Path] | None,
    typer.Option(
        help="A .conllu file whose sentences are not selected again; repeat the option for more."
    ),
]


def _check_options(
    texts: Sequence[Path], output: Path, by: Criterion, unit: Granularity, min_error: float | None
) -> None:
    if output.suffix != ".conllu" and not is_stream(output):
        fail(f"Cannot write {output}. Give OUT a name that ends in .conllu.")
    for path in texts:
        if path.suffix not in (".conllu", ".txt"):
            fail(f"Cannot read {path}. Give .conllu or .txt files.")
    if unit is Granularity.ARC and by is Criterion.DIVERSITY:
        fail("--by diversity is for whole sentences. Give --by entropy or --by error.")
    if min_error is not None and unit is not Granularity.ARC:
        fail("--min-error is for single arcs. Give --unit arc as well, or leave it out.")


@app.command()
@user_errors
def select(
    model: Model,
    texts: Texts,
    output: Output,
    by: By = Criterion.ENTROPY,
    unit: UnitOption = Granularity.SENTENCE,
    words: Words = 1000,
    min_error: MinError = None,
    annotated: AnnotatedFiles = None,
    gpu_id: GpuId = -1,
    batch_size: BatchSize = None,
    threads: Threads = 1,
    treebank: Treebank = None,
    code: Code = None,
) -> None:
    """Select what to annotate next.

    The command selects the sentences or arcs of unannotated text of which the parser is least
    certain (active learning), and writes them without HEAD and DEPREL: the most uncertain ones
    first, or in random order with --min-error. MISC contains the predicted arc and its probability
    for each word to annotate. You can train on OUT even if you annotate only a part of it.
    `parse --complete` predicts the arcs of the other words.

    Examples:

    \b
      python -m spacy_npparse select training/model-best news.txt annotate.conllu --words 2000
      python -m spacy_npparse select training/model-best a.conllu b.conllu next.conllu --unit arc
      python -m spacy_npparse select training/model-best a.txt o.conllu --unit arc --min-error 0.65
    """
    _check_options(texts, output, by, unit, min_error)
    known = annotated or []
    check_outputs([output], [*texts, *known, code, *pipeline_files(model)])
    done = {_forms(sentence) for path in known for sentence in read_conllu(path)}
    nlp = load_parser(model, gpu_id, code, treebank)
    parser_of(nlp)
    size = batch_size or nlp.batch_size
    found = list(_read_all(nlp, texts, size))
    # Repeated sentences would add nothing.
    different: dict[tuple[str, ...], Sentence] = {}
    for sentence in found:
        different.setdefault(_forms(sentence), sentence)
    n_different = len(different)
    unique = [sentence for forms, sentence in different.items() if forms not in done]
    if not unique:
        fail(
            f"{', '.join(map(str, texts))}: no sentence to select from; {n_different:,} have "
            "already been annotated. Give another text."
        )
    selected, n_selected = _select(nlp, unique, by, unit, words, min_error, size)
    write_text(conllu_text(selected), output)
    typer.echo(
        f"{output}: {n_selected:,} words to annotate in {len(selected):,} sentences, of "
        f"{n_different:,} different ones; {len(found) - n_different:,} were there more than once, "
        f"and {n_different - len(unique):,} have been annotated.",
        err=True,
    )


def _select(
    nlp: Language,
    sentences: list[Sentence],
    by: Criterion,
    unit: Granularity,
    n_words: int,
    min_error: float | None,
    batch_size: int,
) -> tuple[list[Sentence], int]:
    """Select sentences, and count their words to annotate."""
    if min_error is not None:
        random.Random(0).shuffle(sentences)
    judged = judge_sentences(nlp, progress(sentences, "sentence", len(sentences)), batch_size)
    if min_error is not None:
        selected, n_selected = _select_doubtful(judged, min_error, n_words)
    else:
        selected, n_selected = _select_best(list(judged), by, unit, n_words)
    if not selected:
        which = "Every sentence" if min_error is None else "The first sentence drawn"
        fail(f"{which} has more than {n_words} words to annotate. Give a larger number of --words.")
    return selected, n_selected


def _select_best(
    judged: Sequence[JudgedSentence], by: Criterion, unit: Granularity, n_words: int
) -> tuple[list[Sentence], int]:
    if unit is Granularity.ARC:
        chosen = select_words(judged, by, n_words)
    else:
        numbers = select_sentences(judged, by, n_words)
        chosen = {n: list(range(1, len(judged[n].heads) + 1)) for n in numbers}
    measure = "diversity, entropy" if by is Criterion.DIVERSITY else by.value
    selected = [
        partial_sentence(
            judged[n], of_sentence, f"{measure} {judged[n].benefits(by).mean():.4f} per word"
        )
        for n, of_sentence in chosen.items()
    ]
    return selected, sum(map(len, chosen.values()))


def _select_doubtful(
    judged: Iterable[JudgedSentence], min_error: float, n_words: int
) -> tuple[list[Sentence], int]:
    chosen = select_doubtful_words(judged, min_error, n_words)
    selected = [
        partial_sentence(one, doubtful, f"{len(doubtful)} with an error of {min_error:g} or more")
        for one, doubtful in chosen
    ]
    return selected, sum(len(doubtful) for _, doubtful in chosen)


def _forms(sentence: Sentence) -> tuple[str, ...]:
    return tuple(word.form for word in sentence.words)


def _read_all(nlp: Language, texts: Sequence[Path], batch_size: int) -> Iterator[Sentence]:
    names: dict[str, int] = {}
    for path in texts:
        yield from _read(nlp, path, unique_name(path.stem, names), batch_size)


def _read(nlp: Language, path: Path, name: str, batch_size: int) -> Iterator[Sentence]:
    """Read the sentences of a file. Annotation of CoNLL-U is dropped. The sent_id of a sentence in
    a text contains the name of the file and the number of the paragraph."""
    if path.suffix == ".conllu":
        for sentence in without_uncut_tokens(read_conllu(path), path):
            yield parse_sentence(without_annotation(sentence).split("\n"))
        return
    known = check_text(path, path)
    known.check_lengths(nlp)
    named = (
        (None, unit.content._replace(sent_ids=f"{name}-p{unit.end.unit}s"))
        for unit in read_file(path, path)
        if isinstance(unit.content, Paragraph)
    )
    for _, doc in Annotation(nlp, named, known.n_units, batch_size):
        yield from sentences_from_doc(doc)
