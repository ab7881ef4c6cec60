"""The tokens of the text that a Doc was made from, and where they are in it.

A Doc with multiword tokens has one token per syntactic word, so that `doc.text` is another text:
French "du" is there as "de le". Such a Doc keeps its text in `doc.user_data[TEXT_KEY]`.
"""

from __future__ import annotations

from collections.abc import Iterator
from struct import Struct
from typing import NamedTuple

import srsly
from spacy.attrs import IDX, LENGTH, ORTH
from spacy.tokens import Doc, SpanGroup

from spacy_npparse.treebank.docs import MULTIWORD_SPANS, TEXT_KEY
from spacy_npparse.treebank.raw_text import character_spans

# Of spaCy: ids, label, and where the span is in tokens and in characters.
_SAVED_SPAN = Struct(">QQQllll")


class SurfaceToken(NamedTuple):
    """A token of the text.

    Attributes:
        start: The first of its words: an index of the Doc.
        end: The end of its words, exclusive.
        form: How the text spells it.
        is_multiword: Whether it has several words.
    """

    start: int
    end: int
    form: str
    is_multiword: bool


def surface_tokens(doc: Doc) -> Iterator[SurfaceToken]:
    """The tokens of the text, without white space.

    Args:
        doc: A Doc, whose multiword tokens, if any, are the spans of `doc.spans["mwt"]`.

    Yields:
        Multiword tokens whose words have not been merged, and all other tokens, in order.
    """
    multiword = _multiword_tokens(doc)
    end = 0
    for i, word in enumerate(token_texts(doc)):
        if i < end:
            continue
        if i in multiword:
            yield multiword[i]
            end = multiword[i].end
        elif not word.isspace():
            yield SurfaceToken(i, i + 1, word, False)


def token_texts(doc: Doc) -> list[str]:
    """The text of each token: `[token.text for token in doc]`, without an object for each.

    Args:
        doc: The Doc.
    """
    ids = doc.to_array(ORTH).tolist()
    texts = {value: doc.vocab.strings[value] for value in {*ids}}
    return [texts[value] for value in ids]


def _multiword_tokens(doc: Doc) -> dict[int, SurfaceToken]:
    """The multiword tokens of a Doc by their first words."""
    if MULTIWORD_SPANS not in doc.spans:
        return {}
    places = doc.to_array([IDX, LENGTH]).reshape(len(doc), 2).tolist()
    starts = {begin: i for i, (begin, _) in enumerate(places)}
    ends = {begin + length: i for i, (begin, length) in enumerate(places, 1)}
    found = {}
    # doc.retokenize() leaves the spans with indices that are not those of their tokens any more.
    # Their characters are right.
    for form, n_words, start_char, end_char in _saved_spans(doc.spans[MULTIWORD_SPANS]):
        start, end = starts.get(start_char), ends.get(end_char)
        # One word: the others have been merged with it.
        if n_words > 1 and start is not None and end is not None and end - start > 1:
            found[start] = SurfaceToken(start, end, form, True)
    return found


def _saved_spans(group: SpanGroup) -> list[tuple[str, int, int, int]]:
    """The labels of spans, their lengths in tokens, and their first and last characters."""
    try:
        return [(s.label_, s.end - s.start, s.start_char, s.end_char) for s in group]
    except IndexError:
        # spaCy cannot make spans with indices of no tokens at all.
        saved = map(_SAVED_SPAN.unpack, srsly.msgpack_loads(group.to_bytes())["spans"])
        strings = group.doc.vocab.strings
        return [(strings[label], end - start, *chars) for _, _, label, start, end, *chars in saved]


def source_text(doc: Doc) -> str:
    """The text that a Doc was made from.

    Args:
        doc: From a pipeline or a tokenizer.

    Returns:
        The text that has been noted in the Doc, else the one that its tokens spell: `doc.text`
        unless there are multiword tokens.
    """
    noted: str | None = doc.user_data.get(TEXT_KEY)
    if noted is not None:
        return noted
    if MULTIWORD_SPANS not in doc.spans:
        return doc.text
    parts: list[str] = []
    end = 0
    for token in surface_tokens(doc):
        space = doc[token.end - 1].whitespace_
        parts += [doc[end : token.start].text_with_ws, token.form, space]
        end = token.end
    return "".join([*parts, doc[end:].text_with_ws])


def character_offsets(doc: Doc) -> list[tuple[int, int]]:
    """Where the tokens of a Doc are in its `source_text`.

    Args:
        doc: From a pipeline or a tokenizer.

    Returns:
        Start and end (exclusive) of each token in characters. All words of a multiword token have
        its offsets; a token of white space reaches up to the next token.

    Raises:
        DocError: If text and tokens differ in other characters than white space.

    Examples:
        >>> import spacy
        >>> character_offsets(spacy.blank("en")("Go there!"))
        [(0, 2), (3, 8), (8, 9)]
    """
    text = source_text(doc)
    tokens = list(surface_tokens(doc))
    offsets = [(0, 0)] * len(doc)
    spans = character_spans(text, [token.form for token in tokens])
    for token, span in zip(tokens, spans, strict=True):
        offsets[token.start : token.end] = [span] * (token.end - token.start)
    following = len(text)
    for word in reversed(doc):
        if word.text.isspace():
            offsets[word.i] = (max(0, following - len(word)), following)
        following = offsets[word.i][0]
    return offsets
