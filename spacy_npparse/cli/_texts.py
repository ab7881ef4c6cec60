"""Reading plain text."""

from __future__ import annotations

import codecs
import sys
from collections.abc import Sequence
from pathlib import Path

from spacy.language import Language

from spacy_npparse.cli._app import fail
from spacy_npparse.treebank import Paragraph, paragraphs_of_text

STDIN = Path("-")


def read_text(path: Path, *, lines: bool = False) -> list[Paragraph]:
    """Read the paragraphs of a file, or end the program with an error message.

    Args:
        path: UTF-8 file, with or without byte order mark, or `STDIN`.
        lines: Whether each line is a paragraph, instead of all lines up to a blank one.

    Returns:
        At least one paragraph. The document has the name of the file without its extension; that
        on stdin has none.
    """
    content = sys.stdin.buffer.read() if path == STDIN else path.read_bytes()
    content = content.removeprefix(codecs.BOM_UTF8)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        before = content[: error.start + 1].splitlines()
        fail(
            f"{_name(path)}, line {len(before)}: not valid UTF-8 at byte {len(before[-1])} of the "
            "line. Convert the text to UTF-8."
        )
    name = "" if path == STDIN else path.stem
    found = list(paragraphs_of_text(text, name, lines=lines))
    if not found:
        fail(f"{_name(path)}: no text. Give paragraphs, separated by blank lines.")
    return found


def check_lengths(paragraphs: Sequence[Paragraph], path: Path, nlp: Language) -> None:
    """End the program with an error message if a paragraph exceeds `nlp.max_length`.

    Args:
        paragraphs: The paragraphs.
        path: Where they come from.
        nlp: The pipeline.
    """
    for paragraph in paragraphs:
        length = len(paragraph.text)
        if length > nlp.max_length:
            fail(
                f"{_name(path)}, line {paragraph.line}: a paragraph of {length:,} characters, more "
                f"than the {nlp.max_length:,} that the pipeline takes. Separate its parts by blank "
                "lines, or give --lines if each line is a text of its own."
            )


def _name(path: Path) -> str:
    return "stdin" if path == STDIN else str(path)
