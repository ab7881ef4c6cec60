"""`parse`: trees for text or CoNLL-U."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated

import typer
from spacy.tokens import Doc

from spacy_npparse.cli._app import OnErrorChoice, app, fail, user_errors
from spacy_npparse.cli._pipeline import Annotation, BatchSize, Code, GpuId, Model, load_parser
from spacy_npparse.cli._report import write_text
from spacy_npparse.cli._texts import STDIN, check_lengths, read_texts
from spacy_npparse.treebank import read_conllu, unannotated_doc, write_conllu
from spacy_npparse.visualisation import render_trees


@app.command()
@user_errors
def parse(
    model: Model,
    source: Annotated[
        Path,
        typer.Argument(
            metavar="IN", help="File to parse: .conllu, or .txt with one text per line; - is stdin."
        ),
    ],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="File to write: .conllu.")],
    html: Annotated[
        Path | None, typer.Option(help="Also draw the trees on a page in this file.")
    ] = None,
    gpu_id: GpuId = -1,
    batch_size: BatchSize = 128,
    n_process: Annotated[int, typer.Option(min=1, help="Processes, on the CPU.")] = 1,
    on_error: Annotated[
        OnErrorChoice,
        typer.Option(help="Stop at malformed CoNLL-U sentences, or skip and count them."),
    ] = OnErrorChoice.RAISE,
    code: Code = None,
) -> None:
    """Parse a file and write the trees as CoNLL-U.

    Tokens, sentence boundaries and whatever the pipeline does not predict are those of the .conllu
    file; its annotation is ignored. A .txt file has one text per line, of any number of sentences;
    blank lines are skipped.

    Examples:

    \b
      python -m spacy_npparse parse training/model-best dev.conllu parsed.conllu
      python -m spacy_npparse parse training/model-best news.txt news.conllu --html news.html
      echo "Was glaubst du?" | python -m spacy_npparse parse training/model-best - out.conllu
    """
    if target.suffix != ".conllu":
        fail(f"Cannot write {target}. Give OUT a name that ends in .conllu.")
    if source != STDIN and source.suffix not in (".conllu", ".txt"):
        fail(f"Cannot read {source}. Give a .conllu file, a .txt file, or - for text on stdin.")
    if gpu_id >= 0 and n_process > 1:
        fail("Processes cannot share a GPU. Use --gpu-id or --n-process, not both.")
    # The input is checked before time is spent on loading and parsing.
    if source.suffix == ".conllu":
        sentences = list(read_conllu(source, on_error=on_error.value))
        nlp = load_parser(model, gpu_id, code)
        inputs: list[Doc | str] = [
            unannotated_doc([sentence], nlp.vocab, sentence_starts=True) for sentence in sentences
        ]
    else:
        texts = read_texts(source)
        nlp = load_parser(model, gpu_id, code)
        check_lengths(texts, source, nlp)
        inputs = list(texts.values())
    docs = Annotation(nlp, inputs, batch_size, n_process)
    drawn: list[Doc] = []
    write_conllu(docs if html is None else _keeping(docs, drawn), target)
    typer.echo(f"{target}: {docs.summary()}", err=True)
    if html is not None:
        page = render_trees(drawn, title=f"Dependency trees: {target.stem}")
        write_text(page, html)
        typer.echo(f"{html}: {docs.n_sentences:,} trees", err=True)


def _keeping(docs: Iterable[Doc], kept: list[Doc]) -> Iterator[Doc]:
    for doc in docs:
        kept.append(doc)
        yield doc
