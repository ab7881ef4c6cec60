"""`prepare`: UD treebanks, checked, under the names that training uses."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from spacy_npparse.cli._app import app, fail, user_errors
from spacy_npparse.cli._outputs import check_outputs
from spacy_npparse.cli._report import print_result, progress
from spacy_npparse.evaluation.attachment import rate
from spacy_npparse.files import replacing
from spacy_npparse.tables import Column, Table, columns, count, text
from spacy_npparse.treebank import Sentence, read_conllu, treebank_parts
from spacy_npparse.treebank.folders import PARTS
from spacy_npparse.trees import nonprojective_arcs
from spacy_npparse.trees.missing import NO_HEAD


@app.command()
@user_errors
def prepare(
    folders: Annotated[
        list[Path],
        typer.Argument(metavar="FOLDER...", help="Folders of UD treebanks, as released."),
    ],
    output: Annotated[Path, typer.Argument(metavar="OUT", help="Folder to write to.")],
) -> None:
    """Check UD treebanks and copy their parts.

    FOLDER has files *-ud-train.conllu, *-ud-dev.conllu and, optionally, *-ud-test.conllu; OUT gets
    train.conllu, dev.conllu and test.conllu. Of several treebanks, to train one parser on, it gets
    train/FOLDER-ud-train.conllu and so on, and OUT/train and OUT/dev are paths of `spacy train`.
    All lines are checked before anything is written; the copies are identical to the byte.

    Examples:

    \b
      python -m spacy_npparse prepare UD_Gothic-PROIEL corpus/gothic
      python -m spacy_npparse prepare UD_English-LinES UD_Swedish-LinES corpus/lines
    """
    sources: dict[Path, Path] = {}
    for folder in folders:
        name = folder.absolute().name
        for part, path in treebank_parts(folder).items():
            alone = output / f"{part}.conllu"
            joint = output / part / f"{name}-ud-{part}.conllu"
            target = alone if len(folders) == 1 else joint
            if target in sources:
                fail(f"{folder}: two treebanks are called {name}. Rename a folder.")
            sources[target] = path
    check_outputs(sources, sources.values())
    _check_no_others(output, sources)
    counts = {target: _count(read_conllu(path), path.name) for target, path in sources.items()}
    for target, path in sources.items():
        with replacing(target) as file:
            file.write(path.read_bytes())
    heads = [Column("Part"), *columns(["Sentences", "Words"], count)]
    heads += columns(["Non-projective sentences", "arcs"], "{:.2%}".format)
    rows = [
        [
            target.stem,
            found.sentences,
            found.words,
            rate(found.crossed_trees, found.trees),
            rate(found.crossing_arcs, found.arcs),
        ]
        for target, found in counts.items()
    ]
    print_result(text(Table("Parts", heads, rows)))
    n_partial = sum(found.sentences - found.trees for found in counts.values())
    if n_partial:
        print_result(f"Not in the shares: {n_partial:,} sentences with words without head")


@dataclass
class _Counts:
    """Of a part of a treebank. Trees, and arcs, are those of sentences in which all words have a
    head."""

    sentences: int = 0
    words: int = 0
    trees: int = 0
    arcs: int = 0
    crossed_trees: int = 0
    crossing_arcs: int = 0


def _check_no_others(output: Path, targets: Iterable[Path]) -> None:
    """Refuse a folder with treebanks that would be trained or evaluated on beside the new ones."""
    found = [
        path
        for part in PARTS
        for path in (output / f"{part}.conllu", *sorted((output / part).glob("*.conllu")))
        if path.is_file()
    ]
    others = sorted({*found} - {*targets})
    if others:
        fail(
            f"{output} has other treebanks: {', '.join(map(str, others))}. Remove them, or give "
            "another folder."
        )


def _count(sentences: Iterable[Sentence], name: str) -> _Counts:
    found = _Counts()
    for sentence in progress(sentences, "sentence", title=name):
        found.sentences += 1
        found.words += len(sentence.words)
        if NO_HEAD in sentence.heads[1:]:
            continue
        crossing = sum(nonprojective_arcs(sentence.heads))
        found.trees += 1
        found.arcs += len(sentence.words)
        found.crossed_trees += crossing > 0
        found.crossing_arcs += crossing
    if found.sentences == 0:
        fail(f"{name}: no sentence in this file. Give a treebank in CoNLL-U.")
    return found
