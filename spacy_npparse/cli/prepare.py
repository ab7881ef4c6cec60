"""The command `prepare`, which checks UD treebanks and copies them under the names of training."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, compress
from pathlib import Path
from typing import IO, Annotated

import typer

from spacy_npparse.cli._app import app, fail, user_errors
from spacy_npparse.cli._outputs import check_outputs
from spacy_npparse.cli._report import print_result, progress
from spacy_npparse.cli._treebanks import check_no_treebank
from spacy_npparse.evaluation.attachment import rate
from spacy_npparse.files import have_same_content, replacing
from spacy_npparse.tables import Column, Table, columns, count, text
from spacy_npparse.treebank import ConlluReader, Sentence, read_conllu, treebank_parts
from spacy_npparse.treebank.folders import PARTS, split_off_dev
from spacy_npparse.treebank.sentence import EMPTY, WITHOUT_TEXT
from spacy_npparse.trees import nonprojective_arcs
from spacy_npparse.trees.missing import NO_HEAD

logger = logging.getLogger(__name__)


@app.command()
@user_errors
def prepare(
    treebanks: Annotated[
        list[Path],
        typer.Argument(metavar="TREEBANK", help="Folders of UD treebanks, or .conllu files."),
    ],
    output: Annotated[Path, typer.Argument(metavar="OUT", help="Folder to write to.")],
    split: Annotated[
        bool,
        typer.Option(
            "--split",
            help="If there is no dev part, split it off the train part: every tenth document, or "
            "the last tenth of the sentences if there are fewer than ten documents.",
        ),
    ] = False,
) -> None:
    """Check UD treebanks and copy their parts.

    TREEBANK is a folder with *-ud-train.conllu, *-ud-dev.conllu and, optionally, *-ud-test.conllu.
    With --split, it can also be a single .conllu file. The command checks all lines, and then
    copies the files to OUT/train.conllu, OUT/dev.conllu and OUT/test.conllu. It normalises line
    ends and blank lines, and changes nothing else. If you give several treebanks for one parser, it
    copies their files to OUT/train/TREEBANK-ud-train.conllu and so on. You can then pass the
    folders OUT/train and OUT/dev to `spacy train`.

    Examples:

    \b
      python -m spacy_npparse prepare UD_Gothic-PROIEL corpus/gothic
      python -m spacy_npparse prepare UD_English-LinES UD_Swedish-LinES corpus/lines
      python -m spacy_npparse prepare train.conllu corpus/mine --split
    """
    parts: dict[Path, _Part] = {}
    for treebank in treebanks:
        found = _parts(treebank, split)
        name = treebank.absolute().stem if treebank.is_file() else treebank.absolute().name
        for kind, part in found.items():
            alone = output / f"{kind}.conllu"
            joint = output / kind / f"{name}-ud-{kind}.conllu"
            target = alone if len(treebanks) == 1 else joint
            if target in parts:
                fail(f"{treebank}: two treebanks are called {name}. Rename one.")
            parts[target] = part
    check_no_treebank(output)
    check_outputs(parts, dict.fromkeys(part.path for part in parts.values()))
    _check_no_others(output, parts)
    counts = {target: _count(part) for target, part in parts.items()}
    for target, part in parts.items():
        with replacing(target) as file:
            part.write(file)
    _report(parts, counts)


@dataclass
class _Part:
    """A part of a treebank: a file, or some sentences of a file, and how they were chosen."""

    path: Path
    chosen: Sequence[bool] | None = None
    choice: str = ""

    def sentences(self) -> Iterable[Sentence]:
        return read_conllu(self.path) if self.chosen is None else self._read_again()

    def write(self, file: IO[bytes]) -> None:
        file.writelines(f"{sentence}\n\n".encode() for sentence in self._read_again())

    def _read_again(self) -> Iterator[Sentence]:
        """Read the sentences without the warnings, which have been printed before."""
        sentences = ConlluReader(self.path, warn=lambda message: None)
        return sentences if self.chosen is None else compress(sentences, self.chosen)


def _parts(treebank: Path, split: bool) -> dict[str, _Part]:
    """Find the parts of a treebank, including a dev part that is split off."""
    if treebank.is_file():
        files = {"train": treebank}
        if not split:
            fail(
                f"{treebank} is a single file, but training also needs a dev file. Give --split "
                "to split off a tenth of it, or give a folder with both files."
            )
    else:
        files = treebank_parts(treebank, needs_dev=not split)
    parts = {name: _Part(path) for name, path in files.items()}
    if "dev" in parts:
        return parts
    path = files["train"]
    in_dev, n_documents = split_off_dev(read_conllu(path))
    if len(in_dev) < 2:
        fail(f"{path}: fewer than two sentences, which cannot be split.")
    unit = f"every tenth document, {n_documents:,}" if n_documents else "the last tenth"
    choice = f"{unit} of {path.name}: {sum(in_dev):,} of {len(in_dev):,} sentences"
    made = {
        "train": _Part(path, [not chosen for chosen in in_dev]),
        "dev": _Part(path, in_dev, choice),
    }
    return {**made, **{name: part for name, part in parts.items() if name != "train"}}


@dataclass
class _Counts:
    """The counts of a part of a treebank. Words without form are not in `forms`. Trees and arcs are
    counted in sentences in which all words have a head."""

    sentences: int = 0
    words: int = 0
    forms: int = 0
    trees: int = 0
    arcs: int = 0
    crossed_trees: int = 0
    crossing_arcs: int = 0


def _report(parts: Mapping[Path, _Part], counts: Mapping[Path, _Counts]) -> None:
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
    for target, part in parts.items():
        if part.choice:
            print_result(f"{target.stem} is {part.choice}")
    for one, other in combinations([part for part in parts.values() if part.chosen is None], 2):
        if have_same_content(one.path, other.path):
            logger.warning(
                "%s and %s have the same content: scores on one of them after training on the "
                "other say nothing about other text.",
                one.path,
                other.path,
            )


def _check_no_others(output: Path, targets: Iterable[Path]) -> None:
    """Refuse a folder with treebanks that would be trained or evaluated on beside the new ones."""
    found = [
        path
        for part in PARTS
        for path in (output / f"{part}.conllu", *sorted((output / part).glob("[!.]*.conllu")))
        if path.is_file()
    ]
    others = sorted({*found} - {*targets})
    if others:
        fail(
            f"{output} has other treebanks: {', '.join(map(str, others))}. Remove them, or give "
            "another folder."
        )


def _count(part: _Part) -> _Counts:
    found = _Counts()
    for sentence in progress(part.sentences(), "sentence", title=part.path.name):
        found.sentences += 1
        found.words += len(sentence.words)
        found.forms += sum(word.form != EMPTY for word in sentence.words)
        if NO_HEAD in sentence.heads[1:]:
            continue
        crossing = sum(nonprojective_arcs(sentence.heads))
        found.trees += 1
        found.arcs += len(sentence.words)
        found.crossed_trees += crossing > 0
        found.crossing_arcs += crossing
    if found.sentences == 0:
        fail(f"{part.path.name}: no sentence in this file. Give a treebank in CoNLL-U.")
    if found.forms == 0:
        fail(f"{part.path.name}: {WITHOUT_TEXT}")
    return found
