"""The texts of a unit, as input of a pipeline and as output."""

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
from spacy_npparse.treebank.rows import with_comments

_ID = "id"
_METADATA = "metadata"
_SEPARATE = (
    "Separate its parts by blank lines. For parse and annotate, give --lines instead if "
    "each line of a .txt file is a text of its own."
)


class UnreadableError(ValueError):
    """A unit that cannot be read. The message has the reason and the remedy."""


class Text(Protocol):
    """The text of one Doc."""

    @property
    def place(self) -> str:
        """The file and the line, for messages."""

    def __str__(self) -> str:
        """The characters of the text."""

    def prepared(self, vocab: Vocab) -> Doc | Paragraph:
        """Make the input of the pipeline, always a new Doc, because an earlier attempt may have
        changed it."""

    def finished(self, doc: Doc) -> Doc:
        """Add to the annotated Doc what identifies the text."""


@dataclass(frozen=True)
class ParagraphText:
    """A paragraph of plain text."""

    place: str
    paragraph: Paragraph

    def __str__(self) -> str:
        return self.paragraph.original

    def prepared(self, vocab: Vocab) -> Paragraph:
        return self.paragraph

    def finished(self, doc: Doc) -> Doc:
        return self.paragraph.mark(doc)


@dataclass(frozen=True)
class SentenceText:
    """A sentence of CoNLL-U, which keeps its tokens, its comments and its place in the document."""

    place: str
    sentence: Sentence

    def __str__(self) -> str:
        return str(self.sentence)

    def prepared(self, vocab: Vocab) -> Doc:
        return unannotated_doc([self.sentence], vocab)

    def finished(self, doc: Doc) -> Doc:
        return keep_annotation(doc, [self.sentence], [Kept.COMMENTS])


def texts_of_unit(unit: Unit, one: Input, options: Reading, max_length: int) -> list[Text]:
    """Split a unit into texts.

    Args:
        unit: The unit.
        one: The file of the unit.
        options: The settings of reading.
        max_length: The maximum number of characters that the pipeline accepts.

    Returns:
        A single text, or the texts of a record.

    Raises:
        UnreadableError: The unit cannot be read.
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
        sentence = content.parse()
        if unit.end.unit == 1 and not sentence.begins_document:
            # Otherwise it would belong to the last document of the file before.
            sentence = with_comments(sentence, {"newdoc id": one.name})
        return [SentenceText(place, sentence)]
    except ConlluError as error:
        raise UnreadableError(f"{error.problem} (line {error.line}). {error.remedy}.") from error


def too_large(found: Oversized, one: Input) -> str:
    """Explain why a unit is too large to be read, and name the remedy.

    Args:
        found: The unit.
        one: The file of the unit.
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
    """Check that a paragraph is not too long for the pipeline.

    Args:
        length: The number of characters in the paragraph.
        max_length: The maximum number of characters that the pipeline accepts.

    Raises:
        UnreadableError: The paragraph is too long.
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
    except UnicodeEncodeError as error:
        found = error.object[error.start]
        if "\udc80" <= found <= "\udcff":  # a byte that is not UTF-8
            raise UnreadableError("not valid UTF-8. Convert the text to UTF-8.") from None
        raise UnreadableError(
            f"{found!r} is half of a surrogate pair, and no character. Remove it."
        ) from None
    check_length(len(paragraph.text), max_length)
    return text


def _json(value: Any) -> str:
    """Write JSON on one line. Only invalid Unicode characters are escaped."""
    text = json.dumps(value, ensure_ascii=False)
    return text if text.isprintable() else json.dumps(value)
