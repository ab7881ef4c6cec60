"""Input files of commands, which are read twice: to check them, and to parse them."""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from spacy.language import Language

from spacy_npparse.cli._app import fail
from spacy_npparse.scaling.bounds import Oversized
from spacy_npparse.scaling.inputs import Input, InputError
from spacy_npparse.scaling.texts import UnreadableError, check_length, too_large
from spacy_npparse.scaling.units import Reading, Unit, check_is_text, read_units
from spacy_npparse.treebank.raw_text import unwrapped

STDIN = Path("-")
_LINE_END = re.compile(rb"\r\n?|\n")


@contextmanager
def rereadable(path: Path) -> Iterator[Path]:
    """Make sure that an input can be read more than once.

    Args:
        path: A file, a pipe, or `STDIN`.

    Yields:
        The file itself, or a temporary copy.
    """
    if path != STDIN and (path.is_file() or not path.exists()):
        yield path
        return
    # Windows does not open a temporary file twice, so the copy is in a temporary folder.
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, f"copy{path.suffix or '.txt'}")
        with copy.open("wb") as target:
            if path == STDIN:
                shutil.copyfileobj(sys.stdin.buffer, target)
            else:
                with path.open("rb") as file:
                    shutil.copyfileobj(file, target)
        yield copy


def read_file(path: Path, given: Path, lines: bool = False) -> Iterator[Unit]:
    """Read the paragraphs of a text, or the sentences of CoNLL-U.

    The document of a text is named after the file, without its extension. Text from standard input
    has no name.

    Args:
        path: The file, or a copy of it. A text may begin with a byte order mark.
        given: The file that the user named, for messages.
        lines: Whether each line of a text is a paragraph. Otherwise, blank lines separate
            paragraphs.

    Raises:
        InputError: A paragraph or sentence is too large.
    """
    one = Input(path, "" if given == STDIN else given.stem)
    with one.open() as file:
        for unit in read_units(file, one, Reading(lines)):
            if isinstance(unit.content, Oversized):
                reason = too_large(unit.content, one)
                raise InputError(f"{_name(given)}, line {unit.line}: {reason}")
            yield unit


@dataclass
class Extent:
    """The size of an input file.

    Attributes:
        name: The name of the file, for messages.
        n_units: The number of paragraphs or sentences.
        longest: The number of characters of the longest paragraph.
        line: The line on which the longest paragraph begins.
    """

    name: str
    n_units: int = 0
    longest: int = 0
    line: int = 0

    def check_lengths(self, nlp: Language) -> None:
        """End the program with an error message if a paragraph exceeds `nlp.max_length`.

        Args:
            nlp: The pipeline.
        """
        try:
            check_length(self.longest, nlp.max_length)
        except UnreadableError as error:
            fail(f"{self.name}, line {self.line}: {error}")


def check_text(path: Path, given: Path, lines: bool = False) -> Extent:
    """Measure a text, or end the program with an error message.

    Args:
        path: The file, or a copy of it.
        given: The file that the user named, for messages.
        lines: Whether each line of the text is a paragraph.
    """
    found = Extent(_name(given))
    line = 1
    for unit in read_file(path, given, lines):
        try:
            text = unwrapped(unit.raw.decode())
        except UnicodeDecodeError as error:
            before = _LINE_END.split(unit.raw[: error.start])
            fail(
                f"{found.name}, line {line + len(before) - 1}: not valid UTF-8 at byte "
                f"{len(before[-1]) + 1} of the line. Convert the text to UTF-8."
            )
        if found.n_units == 0:
            check_is_text(unit.raw, found.name)
        found.n_units += 1
        if len(text) > found.longest:
            found.longest, found.line = len(text), unit.line
        line = unit.end.line
    if found.n_units == 0:
        fail(f"{found.name}: no text. Give paragraphs, separated by blank lines.")
    return found


def _name(given: Path) -> str:
    return "stdin" if given == STDIN else str(given)
