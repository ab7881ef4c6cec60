"""Pipelines on disk: their loading by a worker, and their checksums."""

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

# The files in the folder of any pipeline, except those of its components.
_FILES = ("config.cfg", "meta.json", "tokenizer")


@dataclass(frozen=True)
class Pipeline:
    """A pipeline that workers load.

    Attributes:
        name: The folder of the pipeline, or the name of an installed package.
        code: A Python file with registered functions to import first; None for none.
        gpu_id: The number of the GPU; -1 is the CPU.
        treebank: The treebank in whose style Docs are parsed, see `use_treebank`; None for the
            default.
    """

    name: str
    code: Path | None = None
    gpu_id: int = -1
    treebank: str | None = None

    def load(self) -> Language:
        """Load the pipeline in this process."""
        import_code(self.code)
        if self.gpu_id >= 0:
            spacy.require_gpu(self.gpu_id)
        nlp = spacy.load(self.name)
        if self.treebank is not None:
            use_treebank(nlp, self.treebank)
        return nlp


def files_of_pipeline(folder: Path) -> list[Path]:
    """List the files that belong to a pipeline.

    Args:
        folder: The folder of the pipeline.

    Returns:
        The files, without others in the folder, such as scores.
    """
    names = _component_names(folder)
    top = [folder / name for name in _FILES]
    # The files of components without a folder, such as sentencizer.json.
    top += sorted(
        path
        for path in folder.glob("*")
        if names & {path.name, path.stem} and path.name not in _FILES and path.is_file()
    )
    below = sorted(path for path in folder.glob("*/**/*") if path.is_file())
    return top + below


def _component_names(folder: Path) -> set[str]:
    """Find the possible names of components' files, without suffix. Errors in a damaged pipeline
    show when it is loaded."""
    try:
        meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
        names = {*meta["components"], *meta["pipeline"], *meta["disabled"]}
        # spaCy replaces the part after a dot.
        return names | {Path(name).stem for name in names}
    except (AttributeError, KeyError, OSError, RecursionError, TypeError, ValueError):
        return set()


def pipeline_checksum(folder: Path) -> str:
    """Compute the SHA-256 checksum of a pipeline's files and their names.

    Args:
        folder: The folder of the pipeline.
    """
    found = hashlib.sha256()
    for path in files_of_pipeline(folder):
        if not path.is_file():  # such as the tokenizer of some languages
            continue
        found.update(f"{path.relative_to(folder).as_posix()} {checksum(path)}\n".encode())
    return found.hexdigest()
