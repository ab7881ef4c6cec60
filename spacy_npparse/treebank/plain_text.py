"""Plain text in paragraphs: the Docs of a pipeline, and the way back to the original characters.

A pipeline gets each paragraph with single spaces for all white space, so that a wrapped paragraph
has the same trees as an unwrapped one: encoders have hardly ever seen white-space tokens. The
original characters are kept in `doc.user_data`, from which `text_sentences.py` restores them.
"""

from __future__ import annotations

import io
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from types import MappingProxyType
from typing import NamedTuple

from spacy.language import Language
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

# A window ends with that many batches, or with that many words, which are in memory at once.
_WINDOW_BATCHES = 32
_WINDOW_WORDS = 100_000


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


def annotate(
    nlp: Language, inputs: Iterable[Doc | Paragraph], *, batch_size: int = 128, n_process: int = 1
) -> Iterator[Doc]:
    """Run a pipeline. Batches are made of inputs of similar length, of a window of them at a time,
    so that memory does not depend on their number.

    Args:
        nlp: The pipeline.
        inputs: Paragraphs, or Docs whose tokens are kept.
        batch_size: Docs in a batch.
        n_process: Processes.

    Yields:
        The annotated Docs in the order of the inputs; those of paragraphs are marked, see
        `Paragraph.mark`.

    Raises:
        ValueError: At the end, if the pipeline has left out some of them.
    """
    begun: deque[Window] = deque()

    def texts() -> Iterator[Doc | str]:
        for window in windows(inputs, batch_size):
            begun.append(window)
            for i in window.by_length:
                one = window.inputs[i]
                yield one.text if isinstance(one, Paragraph) else one

    docs = nlp.pipe(texts(), batch_size=batch_size, n_process=n_process)
    for first in docs:
        window = begun.popleft()
        by_length = [first, *islice(docs, len(window.inputs) - 1)]
        if len(by_length) < len(window.inputs):
            begun.append(window)
            break
        for one, (_, doc) in zip(
            window.inputs, sorted(zip(window.by_length, by_length, strict=True)), strict=True
        ):
            yield one.mark(doc) if isinstance(one, Paragraph) else doc
    if begun:
        raise ValueError(
            "the pipeline has left out some of the texts, so that others have been taken for them. "
            "Let its error handler raise exceptions, as that of spaCy does by default."
        )


class Window(NamedTuple):
    """Consecutive inputs of a pipeline.

    Attributes:
        inputs: Paragraphs or Docs.
        by_length: Their indices, shorter ones first.
    """

    inputs: list[Doc | Paragraph]
    by_length: list[int]


def windows(inputs: Iterable[Doc | Paragraph], batch_size: int) -> Iterator[Window]:
    """Divide inputs into windows of a bounded size, to be sorted by length.

    Args:
        inputs: Paragraphs or Docs.
        batch_size: How many of them make a batch.

    Yields:
        One window after the other.
    """
    found: list[Doc | Paragraph] = []
    lengths: list[int] = []
    n_words = 0
    for one in inputs:
        found.append(one)
        lengths.append(len(one.original.split()) if isinstance(one, Paragraph) else len(one))
        n_words += lengths[-1]
        if len(found) >= _WINDOW_BATCHES * batch_size or n_words >= _WINDOW_WORDS:
            yield Window(found, sorted(range(len(found)), key=lengths.__getitem__))
            found, lengths, n_words = [], [], 0
    if found:
        yield Window(found, sorted(range(len(found)), key=lengths.__getitem__))
