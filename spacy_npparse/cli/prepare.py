"""`prepare`: a UD treebank, checked, under the names that training uses."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from spacy_npparse.cli._app import app, fail, user_errors
from spacy_npparse.cli._outputs import check_outputs
from spacy_npparse.cli._report import print_result, progress
from spacy_npparse.files import replacing
from spacy_npparse.treebank import Sentence, read_conllu, treebank_parts
from spacy_npparse.trees import complete_heads, nonprojective_arcs


@app.command()
@user_errors
def prepare(
    folder: Annotated[Path, typer.Argument(help="Folder of a UD treebank, as released.")],
    output: Annotated[Path, typer.Argument(metavar="OUT", help="Folder to write to.")],
) -> None:
    """Check a UD treebank and copy its parts.

    FOLDER has files *-ud-train.conllu, *-ud-dev.conllu and, optionally, *-ud-test.conllu; OUT gets
    train.conllu, dev.conllu and test.conllu. All lines are checked before anything is written; the
    copies are identical to the byte.

    Examples:

    \b
      python -m spacy_npparse prepare UD_Gothic-PROIEL corpus/gothic
    """
    sources = treebank_parts(folder)
    targets = {part: output / f"{part}.conllu" for part in sources}
    check_outputs(targets.values(), sources.values())
    counts = {part: _count(read_conllu(path), path.name) for part, path in sources.items()}
    for part, path in sources.items():
        with replacing(targets[part]) as file:
            file.write(path.read_bytes())
    rows = [
        "Part  | Sentences |     Words | Non-projective sentences |     arcs",
        "------+-----------+-----------+--------------------------+---------",
    ]
    for part, (n_sentences, n_words, n_crossed, n_arcs) in counts.items():
        rows.append(
            f"{part:5} | {n_sentences:9,} | {n_words:9,} | {n_crossed / n_sentences:24.2%} | "
            f"{n_arcs / n_words:8.2%}"
        )
    print_result("\n".join(rows))


def _count(sentences: Iterable[Sentence], name: str) -> tuple[int, int, int, int]:
    """Sentences, words, non-projective sentences, and non-projective arcs."""
    n_sentences = n_words = n_crossed = n_arcs = 0
    for sentence in progress(sentences, "sentence", title=name):
        heads = sentence.integer_heads
        crossing = sum(nonprojective_arcs(complete_heads(heads)))
        n_sentences += 1
        n_words += len(sentence.words)
        n_crossed += crossing > 0
        n_arcs += crossing
    if n_sentences == 0:
        fail(f"{name}: no sentence in this file. Give a treebank in CoNLL-U.")
    return n_sentences, n_words, n_crossed, n_arcs
