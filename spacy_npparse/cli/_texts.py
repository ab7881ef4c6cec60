"""Reading plain text."""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from spacy.language import Language

from spacy_npparse.cli._app import fail
from spacy_npparse.treebank import Paragraph, paragraphs_of_lines

STDIN = Path("-")
_BOM = "\ufeff"


@contextmanager
def rereadable(path: Path) -> Iterator[Path]:
    """Make sure that what is given can be read more than once.

    Args:
        path: A file, a pipe, or `STDIN`.

    Yields:
        The file itself, or a temporary copy.
    """
    if path != STDIN and (path.is_file() or not path.exists()):
        yield path
        return
    # Not a temporary file, which Windows does not open a second time.
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, f"copy{path.suffix}")
        with copy.open("wb") as target:
            if path == STDIN:
                shutil.copyfileobj(sys.stdin.buffer, target)
            else:
                with path.open("rb") as file:
                    shutil.copyfileobj(file, target)
        yield copy


@dataclass(frozen=True)
class Text(Iterable[Paragraph]):
    """The paragraphs of a file, which is read each time they are iterated over. The program ends
    with an error message where the file is not UTF-8.

    The document has the name of the file without its extension; that on stdin has none.

    Attributes:
        path: UTF-8 file, with or without byte order mark.
        given: The file as its user knows it.
        lines: Whether each line is a paragraph, instead of all lines up to a blank one.
    """

    path: Path
    given: Path
    lines: bool = False

    @property
    def name(self) -> str:
        """The file, for messages."""
        return "stdin" if self.given == STDIN else str(self.given)

    def __iter__(self) -> Iterator[Paragraph]:
        document = "" if self.given == STDIN else self.given.stem
        with self.path.open("rb") as file:
            yield from paragraphs_of_lines(self._read(file), document, lines=self.lines)

    def _read(self, file: io.BufferedReader) -> Iterator[str]:
        text = io.TextIOWrapper(file, "utf-8", "surrogateescape", newline="")
        first = text.readline().removeprefix(_BOM)
        for number, line in enumerate(chain([first], text), 1):
            try:
                line.encode("utf-8")
            except UnicodeEncodeError as error:
                before = line[: error.start].encode("utf-8")
                fail(
                    f"{self.name}, line {number}: not valid UTF-8 at byte {len(before) + 1} of the "
                    "line. Convert the text to UTF-8."
                )
            yield line


@dataclass(frozen=True)
class Extent:
    """How much there is in a text.

    Attributes:
        n_paragraphs: Number of its paragraphs.
        longest: Number of characters of the longest one.
        line: Where that one begins.
    """

    n_paragraphs: int
    longest: int
    line: int


def extent(text: Text) -> Extent:
    """Read a text to see how much there is in it, or end the program with an error message.

    Args:
        text: The text.
    """
    n_paragraphs = longest = line = 0
    for paragraph in text:
        n_paragraphs += 1
        length = len(paragraph.text)
        if length > longest:
            longest, line = length, paragraph.line
    if n_paragraphs == 0:
        fail(f"{text.name}: no text. Give paragraphs, separated by blank lines.")
    return Extent(n_paragraphs, longest, line)


def check_lengths(text: Text, known: Extent, nlp: Language) -> None:
    """End the program with an error message if a paragraph exceeds `nlp.max_length`.

    Args:
        text: The text.
        known: Its extent.
        nlp: The pipeline.
    """
    if known.longest > nlp.max_length:
        fail(
            f"{text.name}, line {known.line}: a paragraph of {known.longest:,} characters, more "
            f"than the {nlp.max_length:,} that the pipeline takes. Separate its parts by blank "
            "lines, or give --lines if each line is a text of its own."
        )
