"""Plain text in paragraphs: the Docs of a pipeline, and the way back to the original characters.

A pipeline gets each paragraph with single spaces for all white space, so that a wrapped paragraph
has the same trees as an unwrapped one: encoders have hardly ever seen white-space tokens. The
original characters are kept in `doc.user_data`, from which `text_sentences.py` restores them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from spacy.language import Language
from spacy.tokens import Doc

from spacy_npparse.treebank.docs import DOCUMENT_KEY, OFFSET_KEY, TEXT_KEY
from spacy_npparse.treebank.raw_text import LINE_END, n_line_ends, raw_documents
from spacy_npparse.treebank.sentence import Sentence

_AFTER_LINE = re.compile(rf"{LINE_END}\s*")
_AFTER_PARAGRAPH = re.compile(rf"{LINE_END}(?:[^\S\r\n]*{LINE_END})+\s*")


class Paragraph(NamedTuple):
    """A paragraph of a document.

    Attributes:
        original: Its characters, with the white space up to the next paragraph; those of the first
            paragraph begin with the document.
        offset: Number of characters before it in the document.
        line: Number of the line in which its first word is, from 1.
        document: The name of the document that it begins, which may be empty; None for other
            paragraphs.
    """

    original: str
    offset: int = 0
    line: int = 1
    document: str | None = None

    @property
    def text(self) -> str:
        """The text with single spaces for all white space, as a pipeline gets it."""
        return " ".join(self.original.split())

    def mark(self, doc: Doc) -> Doc:
        """Note in a Doc which paragraph it comes from.

        Args:
            doc: The Doc of `text`, changed in place.

        Returns:
            The Doc. `user_data` has the original characters, their offset in the document and,
            where a document begins, its name.
        """
        doc.user_data[TEXT_KEY] = self.original
        doc.user_data[OFFSET_KEY] = self.offset
        if self.document is not None:
            doc.user_data[DOCUMENT_KEY] = self.document
        return doc


def paragraphs_of_text(text: str, name: str = "", *, lines: bool = False) -> Iterator[Paragraph]:
    """Split a document into paragraphs.

    Lines end with LF, CRLF or CR. Words hyphenated at the end of a line stay in two parts.

    Args:
        text: The document.
        name: Its name.
        lines: Whether each line is a paragraph, instead of all lines up to a blank one.

    Yields:
        One paragraph after the other, none of them blank.

    Examples:
        >>> [paragraph.text for paragraph in paragraphs_of_text("Was glaubst\\ndu?\\n\\nNichts.")]
        ['Was glaubst du?', 'Nichts.']
    """
    separator = _AFTER_LINE if lines else _AFTER_PARAGRAPH
    document: str | None = name
    begin, line = 0, 1
    for end in [*(match.end() for match in separator.finditer(text)), len(text)]:
        original = text[begin:end]
        words = original.lstrip()
        if words:
            line += n_line_ends(original[: -len(words)])
            yield Paragraph(original, begin, line, document)
            line += n_line_ends(words)
            begin, document = end, None


def paragraphs_of_treebank(sentences: Iterable[Sentence]) -> Iterator[Paragraph]:
    """The paragraphs of the raw text of a treebank; see `raw_texts`.

    Args:
        sentences: The treebank.

    Yields:
        The paragraphs of one document after the other.
    """
    for name, text in raw_documents(sentences):
        yield from paragraphs_of_text(text, name)


def annotate(
    nlp: Language, inputs: Sequence[Doc | Paragraph], *, batch_size: int = 128, n_process: int = 1
) -> Iterator[Doc]:
    """Run a pipeline.

    Args:
        nlp: The pipeline.
        inputs: Paragraphs, or Docs whose tokens are kept.
        batch_size: Docs in a batch.
        n_process: Processes.

    Yields:
        The annotated Docs; those of paragraphs are marked, see `Paragraph.mark`.
    """
    texts = (one.text if isinstance(one, Paragraph) else one for one in inputs)
    docs = nlp.pipe(texts, batch_size=batch_size, n_process=n_process)
    for one, doc in zip(inputs, docs, strict=True):
        yield one.mark(doc) if isinstance(one, Paragraph) else doc
