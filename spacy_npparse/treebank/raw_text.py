"""White space between words: CoNLL-U's MISC attributes for it, and the text they describe.

SpaceAfter=No is part of the CoNLL-U format; SpacesAfter, SpacesBefore and SpacesInToken, with
their escapes, are those of UDPipe (Straka & Straková 2017, section 2.1), used by many treebanks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from spacy_npparse.treebank.sentence import MISSING, Row, Sentence

_ESCAPES = {" ": r"\s", "\t": r"\t", "\n": r"\n", "\r": r"\r", "|": r"\p", "\\": "\\\\"}
_CHARACTERS = {escape: character for character, escape in _ESCAPES.items()}


def space_misc(before: str, token: str, after: str) -> str:
    """The MISC field of a token with this white space before, inside and after it."""
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
    """The token as FORM writes it: one space where it has white space inside."""
    return " ".join(token.split())


def escape(space: str) -> str:
    """White space as MISC writes it."""
    return "".join(_ESCAPES.get(character, character) for character in space)


def unescape(value: str) -> str:
    """The white space that a MISC value stands for."""
    return re.sub(r"\\.", lambda match: _CHARACTERS.get(match[0], match[0]), value)


def raw_texts(sentences: Iterable[Sentence]) -> Iterator[str]:
    """The plain text of each document (`# newdoc`) of a treebank, as its tokens spell it.

    Paragraphs are separated by an empty line. Without `# newdoc` there is one document.
    """
    parts: list[str] = []
    for sentence in sentences:
        if parts and sentence.has_comment("newdoc"):
            yield "".join(parts)
            parts = []
        if parts and sentence.has_comment("newpar") and not parts[-1].endswith("\n"):
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
