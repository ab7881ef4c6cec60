"""`spacy_npparse.add_other_components.v1`: what an ensemble takes over of one of its pipelines."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import spacy
from spacy.language import Language


def add_other_components(source: str | Path) -> Callable[[Language], None]:
    """A callback for `initialize.after_init` that copies trained components into a pipeline.

    All components of the source are added that are not there yet, parsers excluded: those before
    its parser before the first parser, those behind it at the end. So a config can assemble
    pipelines whose taggers depend on what their treebanks have. Components that listen to an
    encoder find the one of the same name.

    Args:
        source: Folder of a trained pipeline, or the name of a package.

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
