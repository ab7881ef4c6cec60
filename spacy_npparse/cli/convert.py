"""The command `convert`, which converts CoNLL-U to .spacy and back."""

from __future__ import annotations

import logging
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from spacy.attrs import DEP
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_npparse.cli._app import OnErrorChoice, app, fail, user_errors
from spacy_npparse.cli._outputs import check_outputs
from spacy_npparse.cli._report import progress
from spacy_npparse.files import is_stream, replacing
from spacy_npparse.treebank import DocError, docs_from_conllu, write_conllu
from spacy_npparse.treebank.doc_bins import DocBinReader, DocBinWriter
from spacy_npparse.treebank.rows import annotation_columns

logger = logging.getLogger(__name__)

_OTHER = {".conllu": ".spacy", ".spacy": ".conllu"}
_REMEDY = "Give a file that spaCy's DocBin wrote, or write it again"
_PARTIAL = (
    "%s: %d Docs have words without head, so that spaCy derives wrong sentence boundaries when it "
    "reads them. Train on %s, with spacy_npparse.ConlluCorpus.v1."
)


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
            min=0, help="Sentences in a Doc of the .spacy file; 0: all up to the next `# newdoc`."
        ),
    ] = 1,
    on_error: Annotated[
        OnErrorChoice, typer.Option(help="Stop at malformed sentences, or skip and count them.")
    ] = OnErrorChoice.RAISE,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="Show no progress and no summary.")
    ] = False,
) -> None:
    """Convert a CoNLL-U file to spaCy's binary format, or back.

    The conversion is lossless: it keeps comments, multiword tokens, empty nodes, enhanced
    dependencies and MISC, and a .conllu file that is converted to .spacy and back is the same. Only
    its blank lines may differ, because there is always one after each sentence. A warning counts
    those that are superfluous or missing.

    Examples:

    \b
      python -m spacy_npparse convert train.conllu train.spacy
      python -m spacy_npparse convert train.conllu train.spacy --sentences-per-doc 10
      python -m spacy_npparse convert parsed.spacy parsed.conllu
    """
    formats = (source.suffix, _OTHER.get(source.suffix) if is_stream(target) else target.suffix)
    check_outputs([target], [source])
    if formats == (".conllu", ".spacy"):
        docs = docs_from_conllu(source, Vocab(), sentences_per_doc, on_error=on_error.value)
        n_docs, n_words = _write_doc_bin(progress(docs, "doc", quiet=quiet), source, target)
    elif formats == (".spacy", ".conllu"):
        reader = _read_doc_bin(source)
        n_docs, n_words = reader.n_docs, reader.n_tokens
        if not n_words:
            fail(f"{source}: no sentence to convert.")
        try:
            write_conllu(progress(_docs(reader, source), "doc", n_docs, quiet=quiet), target)
        except DocError as error:
            fail(f"{source}, {error}")
    else:
        fail(
            f"Cannot convert {source} to {target}. "
            "Give a .conllu file and a .spacy file, in either order."
        )
    if not quiet:
        typer.echo(f"{target}: {n_docs} Docs, {n_words} tokens", err=True)


def _write_doc_bin(docs: Iterable[Doc], source: Path, target: Path) -> tuple[int, int]:
    """Write Docs to a .spacy file, and return the numbers of Docs and tokens."""
    n_partial = 0
    with replacing(target) as file:
        writer = DocBinWriter(file)
        for doc in docs:
            writer.add(doc)
            n_partial += 0 < int(np.count_nonzero(doc.to_array(DEP))) < len(doc)
        if writer.n_docs == 0:
            fail(f"{source}: no sentence to convert.")
        writer.close()
    if n_partial:
        logger.warning(_PARTIAL, target, n_partial, source)
    return writer.n_docs, writer.n_tokens


def _read_doc_bin(path: Path) -> DocBinReader:
    try:
        return DocBinReader(path)
    except OSError:
        raise
    except Exception:  # other formats raise almost any kind
        fail(f"{path}: not a .spacy file, or an incomplete one. {_REMEDY}.")


def _docs(reader: DocBinReader, path: Path) -> Iterator[Doc]:
    docs = reader.docs(Vocab())
    for number in range(1, reader.n_docs + 1):
        try:
            doc = next(docs)
            # spaCy looks strings up when they are asked for.
            annotation_columns(doc)
        except Exception as error:  # damaged Docs raise almost any kind
            reason = textwrap.shorten(f"{type(error).__name__}: {error}", 200, placeholder=" …")
            fail(f"{path}, Doc {number}: cannot be read ({reason}). {_REMEDY}.")
        yield doc
