"""Paragraphs of plain text as input of a pipeline, with their original characters.

A pipeline gets each paragraph in one line, with single spaces for all white space, so that a
wrapped paragraph gets the same trees as an unwrapped one. Encoders have rarely seen white-space
tokens. The original characters are kept in `doc.user_data`, from which `text_sentences.py` restores
them.
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
from spacy_npparse.treebank.raw_text import raw_documents, unwrapped, with_own_characters
from spacy_npparse.treebank.sentence import Sentence

# In scripts with spaces, words and the spaces after them are shorter on average.
_MOST_CHARACTERS = 8


class Paragraph(NamedTuple):
    """A paragraph of a document.

    Attributes:
        original: Its characters, including the white space up to the next paragraph. Those of the
            first paragraph begin with the document.
        offset: The number of characters before it in the document.
        line: The number of the line that contains its first word, from 1.
        document: The name, which may be empty, of the document that begins with it; None for other
            paragraphs.
        metadata: The comments with which the document begins, after its name, by key.
        sent_ids: The prefix of its sentences' `# sent_id`, before their number in the paragraph;
            None to number all written sentences.
    """

    original: str
    offset: int = 0
    line: int = 1
    document: str | None = None
    metadata: Mapping[str, str] = MappingProxyType({})
    sent_ids: str | None = None

    @property
    def text(self) -> str:
        """The text as a pipeline gets it, in one line; see `unwrapped`."""
        return unwrapped(self.original)

    @property
    def n_words(self) -> int:
        """The approximate number of words."""
        return approximate_words(self.original)

    def mark(self, doc: Doc) -> Doc:
        """Note in a Doc which paragraph it comes from.

        Args:
            doc: The Doc of `text`, changed in place.

        Returns:
            The Doc. Its `user_data` has the original characters, their offset in the document, the
            prefix of the sentences' sent_id and, where a document begins, its name and metadata.
        """
        doc.user_data[TEXT_KEY] = self.original
        doc.user_data[OFFSET_KEY] = self.offset
        if self.sent_ids is not None:
            doc.user_data[SENT_IDS_KEY] = self.sent_ids
        if self.document is not None:
            doc.user_data[DOCUMENT_KEY] = self.document
            doc.user_data[METADATA_KEY] = dict(self.metadata)
        return doc


def approximate_words(text: str) -> int:
    """Estimate the number of words in a text.

    Args:
        text: The text.

    Returns:
        The number of stretches between white space, but at least one word for every eight
        characters, because scripts such as those of Chinese and Thai have no spaces.
    """
    return max(len(text.split()), len(text) // _MOST_CHARACTERS)


def paragraphs_of_text(text: str, name: str = "", *, lines: bool = False) -> Iterator[Paragraph]:
    """Split a document into paragraphs.

    Lines end with LF, CRLF or CR. A word that is hyphenated at the end of a line remains in two
    parts.

    Args:
        text: The document.
        name: The name of the document.
        lines: Whether each line is a paragraph. Otherwise, blank lines separate paragraphs.

    Returns:
        The paragraphs in order, none of them blank.

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
        source: The lines with their ends (LF, CRLF or CR), as from a file that was opened with
            `newline=""`.
        name: The name of the document.
        lines: Whether each line is a paragraph. Otherwise, blank lines separate paragraphs.

    Yields:
        The paragraphs in order, none of them blank.
    """
    n_ends_between = 1 if lines else 2
    document: str | None = name
    parts: list[str] = []
    offset = first_line = n_ends = 0
    for number, line in enumerate(source, 1):
        words = line.lstrip()
        if words and first_line and n_ends >= n_ends_between:
            # White space before the first word of a paragraph belongs to the previous paragraph.
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
    """Split the raw text of a treebank into paragraphs; see `raw_texts`.

    Args:
        sentences: The sentences of the treebank.

    Yields:
        The paragraphs of all documents in order.

    Raises:
        DocError: MISC gives a token characters other than its own and white space. The message
            names the sentence and the token.
    """
    for name, text in raw_documents(map(with_own_characters, sentences)):
        yield from paragraphs_of_text(text, name)
