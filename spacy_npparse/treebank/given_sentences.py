"""A note in Docs whose sentence boundaries were all set before parsing, so that they are not
scored."""

from __future__ import annotations

from typing import Any

from spacy.attrs import SENT_START
from spacy.tokens import Doc

# Doc.from_docs() warns of keys of another form, and moves this one with the text.
GIVEN_SENTENCES_KEY: Any = ("._.", "spacy_npparse.given_sentences", 0, None)


def note_given_sentences(doc: Doc) -> None:
    """Note whether all sentence boundaries of a Doc are set. A Doc that has been parsed remains
    unchanged.

    Args:
        doc: A Doc that will be parsed.
    """
    if doc.has_annotation("DEP"):
        return
    if (doc.to_array(SENT_START)[1:] != 0).all():
        doc.user_data[GIVEN_SENTENCES_KEY] = True


def sentences_were_given(doc: Doc) -> bool:
    """Check whether all sentence boundaries of a Doc were set before parsing.

    Args:
        doc: A parsed Doc.

    Returns:
        Whether `note_given_sentences` noted that they were.
    """
    return GIVEN_SENTENCES_KEY in doc.user_data
