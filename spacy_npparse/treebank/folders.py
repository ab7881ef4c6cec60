"""Folders of treebanks in the format of Universal Dependencies."""

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
    """A folder that is not a treebank with training data. The message names what is missing."""


def treebank_parts(folder: Path, *, needs_dev: bool = True) -> dict[str, Path]:
    """Find the parts of a treebank.

    Args:
        folder: A folder with *-ud-train.conllu, *-ud-dev.conllu and, optionally, *-ud-test.conllu.
        needs_dev: Whether a missing dev part is an error.

    Returns:
        The files by the keys `train`, `dev` and, if it exists, `test`.

    Raises:
        TreebankFolderError: The folder or a part is missing, or a part exists several times.
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
    """A treebank in two parts, one for training and one for model selection.

    Attributes:
        in_dev: Whether each sentence is in the part for model selection.
        n_documents: The number of documents; 0 if the treebank was split by sentences.
    """

    in_dev: list[bool]
    n_documents: int


def split_off_dev(sentences: Iterable[Sentence]) -> Split:
    """Split about a tenth off a treebank, always the same.

    If there are at least ten documents, it is every tenth document. Otherwise it is the last tenth
    of the sentences, so that both parts remain continuous texts.

    Args:
        sentences: The sentences of a treebank.

    Returns:
        The two parts. A single sentence is in the part for model selection.
    """
    begins = [sentence.begins_document for sentence in sentences]
    # Sentences before the first `# newdoc` also form a document.
    documents = list(accumulate(begins[1:], initial=1))[: len(begins)]
    n_documents = max(documents, default=0) // _PARTS_OF_A_SPLIT
    if n_documents:
        return Split([number % _PARTS_OF_A_SPLIT == 0 for number in documents], n_documents)
    n_dev = max(1, len(begins) // _PARTS_OF_A_SPLIT)
    return Split([i >= len(begins) - n_dev for i in range(len(begins))], 0)


def _find(folder: Path, part: str) -> Path | None:
    paths = sorted(folder.glob(f"[!.]*-ud-{part}.conllu"))
    if len(paths) > 1:
        raise TreebankFolderError(
            f"{folder}: several files *-ud-{part}.conllu: {', '.join(p.name for p in paths)}. "
            "Leave those of one treebank in the folder."
        )
    return paths[0] if paths else None
