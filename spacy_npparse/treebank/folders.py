"""Folders of treebanks, as Universal Dependencies releases them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from spacy_npparse.errors import UserError
from spacy_npparse.treebank.sentence import Sentence

PARTS = ("train", "dev", "test")
_PARTS_OF_A_SPLIT = 10


class TreebankFolderError(UserError, ValueError):
    """A folder is not that of a treebank with training data; the message says what is missing."""


def treebank_parts(folder: Path, *, needs_dev: bool = True) -> dict[str, Path]:
    """Find the parts of a treebank.

    Args:
        folder: Has files *-ud-train.conllu, *-ud-dev.conllu and, possibly, *-ud-test.conllu.
        needs_dev: Whether a treebank without dev part is an error.

    Returns:
        The files by `train`, `dev` and, if there is one, `test`.

    Raises:
        TreebankFolderError: The folder or a part is missing, or a part is there several times.
    """
    if not folder.is_dir():
        raise TreebankFolderError(f"{folder}: no such folder. Give the folder of a UD treebank.")
    found = {part: path for part in PARTS if (path := _find(folder, part))}
    if "train" not in found:
        names = ", ".join(sorted(path.name for path in folder.glob("*.conllu"))) or "none"
        raise TreebankFolderError(
            f"{folder}: no file *-ud-train.conllu (CoNLL-U files here: {names}). Give the folder "
            "of a treebank with training data; join a part that comes in pieces into one file."
        )
    if needs_dev and "dev" not in found:
        raise TreebankFolderError(
            f"{folder}: no file *-ud-dev.conllu, on which training chooses the best model. "
            "'npparse prepare --split' makes one from a tenth of the train file."
        )
    return found


class Split(NamedTuple):
    """A treebank in two parts, one to train on, and one to choose the best model on.

    Attributes:
        in_dev: Whether each sentence is in the latter.
        n_documents: Its documents; 0 if sentences were split, not documents.
    """

    in_dev: list[bool]
    n_documents: int


def split_off_dev(sentences: Iterable[Sentence]) -> Split:
    """Split about a tenth of a treebank off, always the same.

    It is every tenth document if there are at least ten. In a treebank of fewer documents, it is
    the last tenth of the sentences, so that both parts remain continuous texts.

    Args:
        sentences: A treebank.

    Returns:
        Its parts. A single sentence is in that to choose the model on.
    """
    begins = [sentence.begins_document for sentence in sentences]
    # Sentences before the first `# newdoc` are a document, too.
    documents = list(accumulate(begins[1:], initial=1))[: len(begins)]
    n_documents = max(documents, default=0) // _PARTS_OF_A_SPLIT
    if n_documents:
        return Split([number % _PARTS_OF_A_SPLIT == 0 for number in documents], n_documents)
    n_dev = max(1, len(begins) // _PARTS_OF_A_SPLIT)
    return Split([i >= len(begins) - n_dev for i in range(len(begins))], 0)


def _find(folder: Path, part: str) -> Path | None:
    paths = sorted(folder.glob(f"*-ud-{part}.conllu"))
    if len(paths) > 1:
        raise TreebankFolderError(
            f"{folder}: several files *-ud-{part}.conllu: {', '.join(p.name for p in paths)}. "
            "Leave those of one treebank in the folder."
        )
    return paths[0] if paths else None
