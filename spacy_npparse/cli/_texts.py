"""Reading plain text, one text per line."""

from __future__ import annotations

import sys
from pathlib import Path

from spacy.language import Language

from spacy_npparse.cli._app import fail

STDIN = Path("-")


def read_texts(path: Path) -> dict[int, str]:
    """Read the lines that are not blank, or end the program with an error message.

    Args:
        path: UTF-8 file, or `STDIN`.

    Returns:
        At least one text, by line number from 1.
    """
    lines = (sys.stdin.buffer.read() if path == STDIN else path.read_bytes()).splitlines()
    texts: dict[int, str] = {}
    for number, line in enumerate(lines, 1):
        try:
            # A byte order mark is no part of the text.
            text = line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            fail(
                f"{_name(path)}, line {number}: not valid UTF-8 at byte {error.start + 1} of the "
                "line. Convert the text to UTF-8."
            )
        if text.strip():
            texts[number] = text
    if not texts:
        fail(f"{_name(path)}: no text. Give one text per line.")
    return texts


def check_lengths(texts: dict[int, str], path: Path, nlp: Language) -> None:
    """End the program with an error message if a text exceeds `nlp.max_length`.

    Args:
        texts: The texts, by line number.
        path: Where they come from.
        nlp: The pipeline.
    """
    for number, text in texts.items():
        if len(text) > nlp.max_length:
            fail(
                f"{_name(path)}, line {number}: {len(text):,} characters, more than the "
                f"{nlp.max_length:,} that the pipeline takes. Cut the text into several lines."
            )


def _name(path: Path) -> str:
    return "stdin" if path == STDIN else str(path)
