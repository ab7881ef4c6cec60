"""Pipelines on disk: loading them on a worker, and what identifies them."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

import spacy
from spacy.language import Language

from spacy_npparse.files import checksum
from spacy_npparse.imported_code import import_code
from spacy_npparse.models import use_treebank

# The files of any pipeline's folder outside the folders of its components.
_FILES = ("config.cfg", "meta.json", "tokenizer")


@dataclass(frozen=True)
class Pipeline:
    """A pipeline that workers load.

    Attributes:
        name: Its folder, or the name of an installed package.
        code: Python file with registered functions to import first.
        gpu_id: Number of the GPU; -1 for the CPU.
        treebank: What Docs are encoded as, see `use_treebank`; None to leave it as it is.
    """

    name: str
    code: Path | None = None
    gpu_id: int = -1
    treebank: str | None = None

    def load(self) -> Language:
        """Load it in this process."""
        import_code(self.code)
        if self.gpu_id >= 0:
            spacy.require_gpu(self.gpu_id)
        nlp = spacy.load(self.name)
        if self.treebank is not None:
            use_treebank(nlp, self.treebank)
        return nlp


def files_of_pipeline(folder: Path) -> list[Path]:
    """The files that a pipeline consists of.

    Args:
        folder: Its folder.

    Returns:
        The files, without others in the folder, such as scores.
    """
    names = _component_names(folder)
    top = [folder / name for name in _FILES]
    # Of components that write no folder, such as sentencizer.json.
    top += sorted(
        path
        for path in folder.glob("*")
        if names & {path.name, path.stem} and path.name not in _FILES and path.is_file()
    )
    below = sorted(path for path in folder.glob("*/**/*") if path.is_file())
    return top + below


def _component_names(folder: Path) -> set[str]:
    """What files of components may be called, without suffix. A pipeline may be damaged, which
    shows when it is loaded."""
    try:
        meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
        names = {*meta["components"], *meta["pipeline"], *meta["disabled"]}
        # spaCy replaces what follows a dot.
        return names | {Path(name).stem for name in names}
    except (AttributeError, KeyError, OSError, RecursionError, TypeError, ValueError):
        return set()


def pipeline_checksum(folder: Path) -> str:
    """SHA-256 of the files of a pipeline and their names.

    Args:
        folder: Its folder.
    """
    found = hashlib.sha256()
    for path in files_of_pipeline(folder):
        if not path.is_file():  # such as the tokenizer of some languages
            continue
        found.update(f"{path.relative_to(folder).as_posix()} {checksum(path)}\n".encode())
    return found.hexdigest()
