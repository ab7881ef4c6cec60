"""A note in Docs whose sentence boundaries were all set before parsing, so that they are not
scored."""

from __future__ import annotations

from typing import Any

from spacy.attrs import SENT_START
from spacy.tokens import Doc

# The beginning of a key of user_data, followed by the places of the first character and of the end,
# which Doc.from_docs() moves with the text. It warns of keys of another form.
_KEY = ("._.", "spacy_npparse.given_sentences")


def note_given_sentences(doc: Doc) -> None:
    """Note whether all sentence boundaries of a Doc are set. A Doc that has been parsed remains
    unchanged.

    Args:
        doc: A Doc that will be parsed.
    """
    if doc.has_annotation("DEP"):
        return
    if (doc.to_array(SENT_START)[1:] != 0).all():
        key: Any = (*_KEY, 0, doc[:].end_char)
        doc.user_data[key] = True


def sentences_were_given(doc: Doc) -> bool:
    """Check whether all sentence boundaries of a Doc were set before parsing.

    Args:
        doc: A parsed Doc.

    Returns:
        Whether `note_given_sentences` noted that they were, in the Doc or in all Docs of which
        `Doc.from_docs()` made it.
    """
    keys: list[Any] = [*doc.user_data]
    noted = [key[2:] for key in keys if isinstance(key, tuple) and key[:2] == _KEY]
    covered = 0
    for start, end in sorted(noted):
        # There may be a space between two Docs.
        if start > covered + 1:
            return False
        covered = end
    return bool(noted) and covered == doc[:].end_char
