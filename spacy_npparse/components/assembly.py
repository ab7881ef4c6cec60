"""The callback `spacy_npparse.add_other_components.v1`, which completes an ensemble's pipeline."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import spacy
from spacy.language import Language


def add_other_components(source: str | Path) -> Callable[[Language], None]:
    """Make a callback for `initialize.after_init` that copies trained components into a pipeline.

    It copies all components of the source except parsers and components whose names the pipeline
    already has. Components that come before the parser in the source are inserted before the first
    parser, and the others are appended. A config can thus assemble pipelines whose taggers depend
    on their treebanks. Components that listen to an encoder find the one of the same name.

    Args:
        source: The folder of a trained pipeline, or the name of a package.

    Returns:
        The callback, a function of the pipeline.
    """

    def add(nlp: Language) -> None:
        other = spacy.load(source)
        before = next((name for name in nlp.component_names if _parses(nlp, name)), None)
        for name in other.pipe_names:
            if _parses(other, name):
                before = None
            elif name not in nlp.component_names:
                nlp.add_pipe(name, source=other, before=before)

    return add


def _parses(nlp: Language, name: str) -> bool:
    return "token.dep" in nlp.get_pipe_meta(name).assigns
