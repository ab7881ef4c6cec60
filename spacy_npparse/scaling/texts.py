"""The texts of a unit, as a pipeline gets them and as they are written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_npparse.scaling.bounds import MOST_BYTES, Oversized
from spacy_npparse.scaling.inputs import Input
from spacy_npparse.scaling.units import Reading, Record, Unit, parse_record
from spacy_npparse.treebank import (
    ConlluError,
    Kept,
    Paragraph,
    Sentence,
    keep_annotation,
    paragraphs_of_text,
    unannotated_doc,
)

_ID = "id"
_METADATA = "metadata"
_SEPARATE = "Separate its parts by blank lines, or give --lines if each line is a text of its own."


class UnreadableError(ValueError):
    """A unit that cannot be read; the message has the reason and the remedy."""


class Text(Protocol):
    """One Doc of a pipeline."""

    @property
    def place(self) -> str:
        """The file and the line, for messages."""

    def __str__(self) -> str:
        """Its characters."""

    def prepared(self, vocab: Vocab) -> Doc | Paragraph:
        """What the pipeline gets: always a new Doc, because an attempt may have changed another."""

    def finished(self, doc: Doc) -> Doc:
        """The annotated Doc with all that identifies the text."""


@dataclass(frozen=True)
class ParagraphText:
    """A paragraph of plain text."""

    place: str
    paragraph: Paragraph

    def __str__(self) -> str:
        return self.paragraph.original

    def prepared(self, vocab: Vocab) -> Paragraph:
        """See `Text`."""
        return self.paragraph

    def finished(self, doc: Doc) -> Doc:
        """See `Text`."""
        return self.paragraph.mark(doc)


@dataclass(frozen=True)
class SentenceText:
    """A sentence of CoNLL-U, whose tokens, comments and place in its document are kept."""

    place: str
    sentence: Sentence

    def __str__(self) -> str:
        return str(self.sentence)

    def prepared(self, vocab: Vocab) -> Doc:
        """See `Text`."""
        return unannotated_doc([self.sentence], vocab, sentence_starts=True)

    def finished(self, doc: Doc) -> Doc:
        """See `Text`."""
        return keep_annotation(doc, [self.sentence], [Kept.COMMENTS])


def texts_of_unit(unit: Unit, one: Input, options: Reading, max_length: int) -> list[Text]:
    """The texts of a unit.

    Args:
        unit: The unit.
        one: Its file.
        options: How it is read.
        max_length: The number of characters that the pipeline takes.

    Returns:
        One text, or those of a record.

    Raises:
        UnreadableError: It cannot be read.
    """
    place = f"{one.path}, line {unit.line}"
    content = unit.content
    if isinstance(content, Oversized):
        raise UnreadableError(too_large(content, one))
    if isinstance(content, Paragraph):
        named = content._replace(sent_ids=f"{one.name}-d1p{unit.end.unit}s")
        return [_checked(ParagraphText(place, named), max_length)]
    if isinstance(content, Record):
        texts = _texts_of_record(content, place, one, options)
        return [_checked(text, max_length) for text in texts]
    try:
        return [SentenceText(place, content.parse())]
    except ConlluError as error:
        raise UnreadableError(f"{error.problem} (line {error.line}). {error.remedy}.") from error


def too_large(found: Oversized, one: Input) -> str:
    """Say why a unit is not read, and what to do about it.

    Args:
        found: The unit.
        one: Its file.
    """
    what, remedy = {
        ".txt": ("paragraph", f"{_SEPARATE} Lines have to end with LF."),
        ".conllu": ("sentence", "Separate its sentences by blank lines."),
        ".jsonl": ("record", "Divide its text into several records, one a line."),
    }[one.kind]
    return (
        f"a {what} of {found.n_bytes:,} bytes, more than the {MOST_BYTES:,} that are read. {remedy}"
    )


def check_length(length: int, max_length: int) -> None:
    """Check that the pipeline takes a paragraph.

    Args:
        length: Its number of characters.
        max_length: The number that the pipeline takes.

    Raises:
        UnreadableError: It does not.
    """
    if length > max_length:
        raise UnreadableError(
            f"a paragraph of {length:,} characters, more than the {max_length:,} that the pipeline "
            f"takes. {_SEPARATE}"
        )


def _texts_of_record(
    record: Record, place: str, one: Input, options: Reading
) -> Iterator[ParagraphText]:
    try:
        others, text = parse_record(record.raw, options.text_key)
    except ValueError as error:
        raise UnreadableError(str(error)) from error
    document = f"{one.name}-d{record.number}"
    name = others.pop(_ID, None)
    metadata = {_METADATA: _json(others)} if others else {}
    if not isinstance(name, str):
        name = document if name is None else _json(name)
    paragraphs = list(paragraphs_of_text(text, name))
    if not paragraphs:
        raise UnreadableError("the text is empty.")
    for number, paragraph in enumerate(paragraphs, 1):
        begins = number == 1
        yield ParagraphText(
            place,
            paragraph._replace(
                metadata=metadata if begins else {}, sent_ids=f"{document}p{number}s"
            ),
        )


def _checked(text: ParagraphText, max_length: int) -> ParagraphText:
    paragraph = text.paragraph
    try:
        f"{paragraph.original}{paragraph.document}".encode()
    except UnicodeEncodeError:
        raise UnreadableError("not valid UTF-8. Convert the text to UTF-8.") from None
    check_length(len(paragraph.text), max_length)
    return text


def _json(value: Any) -> str:
    """JSON in one line, with characters as they are unless they are none of Unicode's."""
    text = json.dumps(value, ensure_ascii=False)
    return text if text.isprintable() else json.dumps(value)
