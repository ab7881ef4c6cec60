"""`convert`: CoNLL-U to .spacy and back."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from spacy_npparse.cli._app import OnErrorChoice, app, fail, user_errors
from spacy_npparse.cli._report import progress
from spacy_npparse.files import replacing
from spacy_npparse.treebank import docs_from_conllu, write_conllu

_ATTRIBUTES = ["ORTH", "TAG", "POS", "MORPH", "LEMMA", "HEAD", "DEP", "SENT_START"]


@app.command()
@user_errors
def convert(
    source: Annotated[Path, typer.Argument(metavar="IN", help="File to read: .conllu or .spacy.")],
    target: Annotated[
        Path, typer.Argument(metavar="OUT", help="File to write: .spacy or .conllu.")
    ],
    sentences_per_doc: Annotated[
        int,
        typer.Option(
            min=0, help="Sentences in one Doc of the .spacy file; 0: all up to a `# newdoc`."
        ),
    ] = 1,
    on_error: Annotated[
        OnErrorChoice, typer.Option(help="Stop at malformed sentences, or skip and count them.")
    ] = OnErrorChoice.RAISE,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress, no summary.")] = False,
) -> None:
    """Convert a CoNLL-U file to spaCy's binary format, or back.

    The conversion is lossless: .conllu to .spacy to .conllu gives the same file, with its comments,
    multiword tokens, empty nodes, enhanced dependencies and MISC. Only superfluous blank lines, which
    a warning counts, are not kept, and a missing one at the end is added.

    Examples:

    \b
      python -m spacy_npparse convert train.conllu train.spacy
      python -m spacy_npparse convert train.conllu train.spacy --sentences-per-doc 10
      python -m spacy_npparse convert parsed.spacy parsed.conllu
    """
    formats = (source.suffix, target.suffix)
    if formats == (".conllu", ".spacy"):
        docs: Iterable[Doc] = docs_from_conllu(
            source, Vocab(), sentences_per_doc, on_error=on_error.value
        )
        doc_bin = DocBin(attrs=_ATTRIBUTES, store_user_data=True)
        n_words = 0
        for doc in progress(docs, "doc", quiet=quiet):
            doc_bin.add(doc)
            n_words += len(doc)
        with replacing(target) as file:
            file.write(doc_bin.to_bytes())
        n_docs = len(doc_bin)
    elif formats == (".spacy", ".conllu"):
        doc_bin = _read_doc_bin(source)
        n_docs, n_words = len(doc_bin), sum(len(tokens) for tokens in doc_bin.tokens)
        write_conllu(progress(doc_bin.get_docs(Vocab()), "doc", n_docs, quiet=quiet), target)
    else:
        fail(
            f"Cannot convert {source} to {target}. "
            "Give a .conllu file and a .spacy file, in either order."
        )
    if not quiet:
        typer.echo(f"{target}: {n_docs} Docs, {n_words} tokens", err=True)


def _read_doc_bin(path: Path) -> DocBin:
    data = path.read_bytes()
    try:
        return DocBin().from_bytes(data)
    except ValueError:
        fail(f"{path}: not a .spacy file. Give a file that spaCy's DocBin wrote.")
