"""Plain text in paragraphs: the Docs of a pipeline, and the way back to the original characters.

A pipeline gets each paragraph with single spaces for all white space, so that a wrapped paragraph
has the same trees as an unwrapped one: encoders have hardly ever seen white-space tokens. The
original characters are kept in `doc.user_data`, from which `text_sentences.py` restores them.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from spacy.tokens import Doc

from spacy_npparse.treebank.docs import (
    DOCUMENT_KEY,
    METADATA_KEY,
    OFFSET_KEY,
    SENT_IDS_KEY,
    TEXT_KEY,
)
from spacy_npparse.treebank.raw_text import raw_documents, with_own_characters
from spacy_npparse.treebank.sentence import Sentence


class Paragraph(NamedTuple):
    """A paragraph of a document.

    Attributes:
        original: Its characters, with the white space up to the next paragraph; those of the first
            paragraph begin with the document.
        offset: Number of characters before it in the document.
        line: Number of the line in which its first word is, from 1.
        document: The name of the document that it begins, which may be empty; None for other
            paragraphs.
        metadata: Comments with which the document begins, after its name, by their keys.
        sent_ids: What the `# sent_id` of its sentences begins with, before their number in the
            paragraph; None numbers the sentences of what is written.
    """

    original: str
    offset: int = 0
    line: int = 1
    document: str | None = None
    metadata: Mapping[str, str] = MappingProxyType({})
    sent_ids: str | None = None

    @property
    def text(self) -> str:
        """The text with single spaces for all white space, as a pipeline gets it."""
        return " ".join(self.original.split())

    def mark(self, doc: Doc) -> Doc:
        """Note in a Doc which paragraph it comes from.

        Args:
            doc: The Doc of `text`, changed in place.

        Returns:
            The Doc. `user_data` has the original characters, their offset in the document, what
            identifies the sentences and, where a document begins, its name and metadata.
        """
        doc.user_data[TEXT_KEY] = self.original
        doc.user_data[OFFSET_KEY] = self.offset
        if self.sent_ids is not None:
            doc.user_data[SENT_IDS_KEY] = self.sent_ids
        if self.document is not None:
            doc.user_data[DOCUMENT_KEY] = self.document
            doc.user_data[METADATA_KEY] = dict(self.metadata)
        return doc


def paragraphs_of_text(text: str, name: str = "", *, lines: bool = False) -> Iterator[Paragraph]:
    """Split a document into paragraphs.

    Lines end with LF, CRLF or CR. Words hyphenated at the end of a line stay in two parts.

    Args:
        text: The document.
        name: Its name.
        lines: Whether each line is a paragraph, instead of all lines up to a blank one.

    Returns:
        One paragraph after the other, none of them blank.

    Examples:
        >>> [paragraph.text for paragraph in paragraphs_of_text("Was glaubst\\ndu?\\n\\nNichts.")]
        ['Was glaubst du?', 'Nichts.']
    """
    return paragraphs_of_lines(io.StringIO(text, newline=""), name, lines=lines)


def paragraphs_of_lines(
    source: Iterable[str], name: str = "", *, lines: bool = False
) -> Iterator[Paragraph]:
    """Split a document into paragraphs while it is read.

    Args:
        source: Its lines with their ends (LF, CRLF or CR), as a file yields them that was opened
            with `newline=""`.
        name: Its name.
        lines: See `paragraphs_of_text`.

    Yields:
        One paragraph after the other, none of them blank.
    """
    n_ends_between = 1 if lines else 2
    document: str | None = name
    parts: list[str] = []
    offset = first_line = n_ends = 0
    for number, line in enumerate(source, 1):
        words = line.lstrip()
        if words and first_line and n_ends >= n_ends_between:
            # White space before the first word of a paragraph belongs to the one before.
            original = "".join([*parts, line[: len(line) - len(words)]])
            yield Paragraph(original, offset, first_line, document)
            parts, document = [words], None
            offset, first_line = offset + len(original), number
        else:
            parts.append(line)
            if words and not first_line:
                first_line = number
        n_ends = (0 if words else n_ends) + line.endswith(("\n", "\r"))
    if first_line:
        yield Paragraph("".join(parts), offset, first_line, document)


def paragraphs_of_treebank(sentences: Iterable[Sentence]) -> Iterator[Paragraph]:
    """The paragraphs of the raw text of a treebank; see `raw_texts`.

    Args:
        sentences: The treebank.

    Yields:
        The paragraphs of one document after the other.

    Raises:
        DocError: If MISC gives a token other characters than its own and white space. The message
            names sentence and token.
    """
    for name, text in raw_documents(map(with_own_characters, sentences)):
        yield from paragraphs_of_text(text, name)
