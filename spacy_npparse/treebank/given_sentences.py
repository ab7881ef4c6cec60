"""A note in Docs whose sentence boundaries were all set before they were parsed: finding them is
nothing that could be scored."""

from __future__ import annotations

from spacy.attrs import SENT_START
from spacy.tokens import Doc

GIVEN_SENTENCES_KEY = "spacy_npparse.given_sentences"


def note_given_sentences(doc: Doc) -> None:
    """Note that all sentence boundaries of a Doc are set, if so. A Doc that has been parsed
    already remains as it is.

    Args:
        doc: A Doc that is going to be parsed.
    """
    if doc.has_annotation("DEP"):
        return
    if (doc.to_array(SENT_START)[1:] != 0).all():
        doc.user_data[GIVEN_SENTENCES_KEY] = True


def sentences_were_given(doc: Doc) -> bool:
    """Tell whether the parser had no sentence boundary to find.

    Args:
        doc: A parsed Doc.

    Returns:
        Whether `note_given_sentences` noted it.
    """
    return GIVEN_SENTENCES_KEY in doc.user_data
