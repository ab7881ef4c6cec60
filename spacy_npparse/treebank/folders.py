"""Folders of treebanks, as Universal Dependencies releases them."""

from __future__ import annotations

from pathlib import Path

from spacy_npparse.errors import UserError

PARTS = ("train", "dev", "test")


class TreebankFolderError(UserError, ValueError):
    """A folder is not that of a treebank with training data; the message says what is missing."""


def treebank_parts(folder: Path) -> dict[str, Path]:
    """Find the parts of a treebank.

    Args:
        folder: Has files *-ud-train.conllu, *-ud-dev.conllu and, possibly, *-ud-test.conllu.

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
    if "dev" not in found:
        raise TreebankFolderError(
            f"{folder}: no file *-ud-dev.conllu, on which training chooses the best model. Move "
            f"about a tenth of the sentences of {found['train'].name} to a file of that name."
        )
    return found


def _find(folder: Path, part: str) -> Path | None:
    paths = sorted(folder.glob(f"*-ud-{part}.conllu"))
    if len(paths) > 1:
        raise TreebankFolderError(
            f"{folder}: several files *-ud-{part}.conllu: {', '.join(p.name for p in paths)}. "
            "Leave those of one treebank in the folder."
        )
    return paths[0] if paths else None
