"""White space between tokens: the MISC attributes that encode it, and the raw text.

`SpaceAfter=No` is part of the CoNLL-U format. `SpacesAfter`, `SpacesBefore` and `SpacesInToken`,
with their escapes, come from UDPipe, and many treebanks use them. Other white space is not allowed
in MISC, and is written as `\\uXXXX`.

Source: Straka and Straková (2017, section 2.1).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from spacy_npparse.errors import DocError
from spacy_npparse.treebank.sentence import EMPTY, Row, Sentence, shortened

_LINE_END = r"(?:\r\n|\n|\r(?!\n))"
# Chinese, Japanese and Yi characters with their punctuation, and fullwidth forms. Korean, whose
# characters are as wide, has spaces. Other scripts share the quotation marks, dashes and dots.
_WITHOUT_SPACES = (
    "\u2e80-\u2fff\u3001-\u312f\u3190-\u9fff\ua000-\ua4cf\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff9f"
    "\uffe0-\uffe6\U00020000-\U0003ffff"
)
_SHARED = "\u2014\u2018\u2019\u201c\u201d\u2026"
_LINE_BREAK = r"[^\S\r\n]*[\r\n]\s*"
_WORD_CUT = re.compile(
    f"(?<=[{_WITHOUT_SPACES}]){_LINE_BREAK}(?=[{_WITHOUT_SPACES}{_SHARED}])"
    f"|(?<=[{_SHARED}]){_LINE_BREAK}(?=[{_WITHOUT_SPACES}])"
)
SPACE_ATTRIBUTES = frozenset(["SpaceAfter", "SpacesAfter", "SpacesBefore", "SpacesInToken"])
_ESCAPES = {" ": r"\s", "\t": r"\t", "\n": r"\n", "\r": r"\r", "|": r"\p", "\\": "\\\\"}
_CHARACTERS = {escape: character for character, escape in _ESCAPES.items()}


def space_misc(before: str, token: str, after: str | None, *, wrapped: bool = False) -> str:
    """Encode white space in the MISC column of a token.

    Args:
        before: The white space before the token, only at the beginning of a text.
        token: The token, which may contain white space.
        after: The white space after the token; None at the end of a text, where missing white space
            means nothing.
        wrapped: Whether `after` is a line break that is not a space, see `unwrapped`.

    Returns:
        The attributes; `_` if there are none.
    """
    fields = []
    if before:
        fields.append(f"SpacesBefore={escape(before)}")
    if after == "" or wrapped:
        fields.append("SpaceAfter=No")
    if after not in (None, "", " "):
        fields.append(f"SpacesAfter={escape(after)}")
    if token != form(token):
        fields.append(f"SpacesInToken={escape(token)}")
    return "|".join(fields) or EMPTY


def form(token: str) -> str:
    """Write a token as FORM: white space inside it becomes one space."""
    return " ".join(token.split())


def unwrapped(text: str) -> str:
    """Write a text in one line. White space becomes one space, but a line break between two
    characters of a script without spaces, such as Chinese characters, is left out.

    Args:
        text: The text.

    Returns:
        The line.

    Examples:
        >>> unwrapped("他们在北\n京见面。 in\nBeijing")
        '他们在北京见面。 in Beijing'
    """
    return form(_WORD_CUT.sub("", text))


def escape(space: str) -> str:
    """Escape white space for MISC."""
    return "".join(map(_escaped, space))


def unescape(value: str) -> str:
    """Invert `escape`."""
    # Only white space is escaped, and half of a surrogate pair is not a character.
    return re.sub(r"\\(?:u(?!d[89a-f])[0-9a-f]{4}|.)", _unescaped, value)


def _escaped(character: str) -> str:
    unknown = f"\\u{ord(character):04x}" if character.isspace() else character
    return _ESCAPES.get(character, unknown)


def _unescaped(match: re.Match[str]) -> str:
    escaped = match[0]
    if len(escaped) > len(r"\u"):
        return chr(int(escaped[2:], 16))
    return _CHARACTERS.get(escaped, escaped)


def character_spans(text: str, tokens: Sequence[str]) -> list[tuple[int, int]]:
    """Find tokens in a text from which they may differ in white space.

    Args:
        text: The text.
        tokens: The tokens of the text in order, none of them blank.

    Returns:
        The beginning and the end of each token.

    Raises:
        DocError: The text and the tokens differ in characters other than white space.

    Examples:
        >>> character_spans("Was  glaubst\\ndu?", ["Was", "glaubst", "du", "?"])
        [(0, 3), (5, 12), (13, 15), (15, 16)]
    """
    spans, end = [], 0
    for token in tokens:
        begin = end
        while text[begin : begin + 1].isspace():
            begin += 1
        end = begin + len(token)
        if text[begin:end] != token or token[-1:].isspace():
            return _aligned_spans(text, tokens)
        spans.append((begin, end))
    return spans if not text[end:].strip() else _aligned_spans(text, tokens)


def _aligned_spans(text: str, tokens: Sequence[str]) -> list[tuple[int, int]]:
    """Find tokens that have other white space inside them than the text."""
    characters = ["".join(token.split()) for token in tokens]
    if "".join(characters) != "".join(text.split()):
        raise DocError(
            f"the tokens of a Doc ({' '.join(tokens[:5])!r} …) are not those of its text "
            f"({text[:40]!r} …). Before a Doc is written, do not change its characters. If it is "
            "a part of another Doc, create it with span.as_doc(), which leaves out the text of "
            "that Doc."
        )
    places = [place for place, character in enumerate(text) if not character.isspace()]
    spans, begin = [], 0
    for token in characters:
        end = begin + len(token)
        spans.append((places[begin], places[end - 1] + 1))
        begin = end
    return spans


def raw_texts(sentences: Iterable[Sentence]) -> Iterator[str]:
    """Restore the raw text of each document of a treebank by the MISC attributes.

    Args:
        sentences: The sentences of the treebank. `# newdoc` separates documents; without it, there
            is a single document. `# newpar` is preceded by a blank line.

    Yields:
        The texts of the documents in order.
    """
    return (text for _, text in raw_documents(sentences))


def raw_documents(sentences: Iterable[Sentence]) -> Iterator[tuple[str, str]]:
    """Restore the raw texts of the documents of a treebank, with their names.

    Args:
        sentences: The sentences of the treebank.

    Yields:
        Pairs of the value of `# newdoc id`, or an empty string without it, and the raw text.
    """
    name = ""
    parts: list[str] = []
    for sentence in sentences:
        if sentence.begins_document:
            if parts:
                yield name, "".join(parts)
            name, parts = sentence.metadata.get("newdoc id") or "", []
        if parts and sentence.begins_paragraph:
            parts.append(_up_to_blank_line(parts[-1]))
        parts.extend(_surface(row) for row in _surface_rows(sentence))
    if parts:
        yield name, "".join(parts)


def with_own_characters(sentence: Sentence) -> Sentence:
    """Check that the raw text of a sentence consists of the characters of its tokens. Otherwise
    predictions for the text could not be aligned with the sentence.

    Args:
        sentence: The sentence.

    Returns:
        The sentence itself.

    Raises:
        DocError: The raw text has other characters. The message names the sentence and the token.
    """
    for row in _surface_rows(sentence):
        if "".join(_surface(row).split()) != "".join(row.form.split()):
            name = sentence.sent_id or str(sentence).splitlines()[0]
            raise DocError(
                f"sentence {shortened(name)!r}, token {row.id} {shortened(row.form)!r}: its raw "
                f"text is {shortened(_surface(row))!r} by MISC ({shortened(row.misc)}), with other "
                "characters than FORM and white space. Correct MISC."
            )
    return sentence


def _up_to_blank_line(text: str) -> str:
    """Find the line ends that are missing for a blank line at the end of a text."""
    space = text[len(text.rstrip()) :]
    missing = ""
    while n_line_ends(space + missing) < 2:
        missing += "\n"
    return missing


def n_line_ends(text: str) -> int:
    """Count the line ends: LF, CRLF and CR."""
    return len(re.findall(_LINE_END, text))


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
    if row.misc == EMPTY:
        return f"{row.form} "
    misc = dict(part.partition("=")[::2] for part in row.misc.split("|"))
    token = unescape(misc["SpacesInToken"]) if "SpacesInToken" in misc else row.form
    after = "" if misc.get("SpaceAfter") == "No" else " "
    if "SpacesAfter" in misc:
        after = unescape(misc["SpacesAfter"])
    return unescape(misc.get("SpacesBefore", "")) + token + after
