"""White space between tokens: the MISC attributes that encode it, and the raw text.

`SpaceAfter=No` is part of the CoNLL-U format; `SpacesAfter`, `SpacesBefore` and `SpacesInToken`,
with their escapes, are UDPipe's and used by many treebanks.

Source: Straka and Straková (2017, section 2.1).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from spacy_npparse.treebank.sentence import MISSING, Row, Sentence

_ESCAPES = {" ": r"\s", "\t": r"\t", "\n": r"\n", "\r": r"\r", "|": r"\p", "\\": "\\\\"}
_CHARACTERS = {escape: character for character, escape in _ESCAPES.items()}


def space_misc(before: str, token: str, after: str) -> str:
    """The MISC column of a token.

    Args:
        before: White space before the token, only given at the beginning of a text.
        token: The token, which may contain white space.
        after: White space after the token.
    """
    fields = []
    if before:
        fields.append(f"SpacesBefore={escape(before)}")
    if not after:
        fields.append("SpaceAfter=No")
    elif after != " ":
        fields.append(f"SpacesAfter={escape(after)}")
    if token != form(token):
        fields.append(f"SpacesInToken={escape(token)}")
    return "|".join(fields) or MISSING


def form(token: str) -> str:
    """The token as FORM writes it: white space inside it becomes one space."""
    return " ".join(token.split())


def escape(space: str) -> str:
    """White space, escaped for MISC."""
    return "".join(_ESCAPES.get(character, character) for character in space)


def unescape(value: str) -> str:
    """Inverse of `escape`."""
    return re.sub(r"\\.", lambda match: _CHARACTERS.get(match[0], match[0]), value)


def raw_texts(sentences: Iterable[Sentence]) -> Iterator[str]:
    """The raw text of each document of a treebank, detokenised by the MISC attributes.

    Args:
        sentences: The treebank. `# newdoc` separates documents; without one there is a single
            document. `# newpar` becomes an empty line.

    Yields:
        The text of one document after the other.
    """
    parts: list[str] = []
    for sentence in sentences:
        if parts and sentence.begins_document:
            yield "".join(parts)
            parts = []
        if parts and sentence.begins_paragraph and not parts[-1].endswith("\n"):
            parts.append("\n\n")
        parts.extend(_surface(row) for row in _surface_rows(sentence))
    if parts:
        yield "".join(parts)


def _surface_rows(sentence: Sentence) -> Iterator[Row]:
    multiword = {token.first: token for token in sentence.multiword_tokens}
    last = 0
    for i, word in enumerate(sentence.words, 1):
        if i in multiword:
            last = multiword[i].last
            yield multiword[i].row
        elif i > last:
            yield word


def _surface(row: Row) -> str:
    if row.misc == MISSING:
        return f"{row.form} "
    misc = dict(part.partition("=")[::2] for part in row.misc.split("|"))
    token = unescape(misc["SpacesInToken"]) if "SpacesInToken" in misc else row.form
    after = "" if misc.get("SpaceAfter") == "No" else " "
    if "SpacesAfter" in misc:
        after = unescape(misc["SpacesAfter"])
    return unescape(misc.get("SpacesBefore", "")) + token + after
