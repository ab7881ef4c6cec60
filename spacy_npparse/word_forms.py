"""The syntactic words of a Doc: their forms, and the multiword tokens that they are slices of.

A token of a Doc is a slice of the text. A multiword token is several of them, French "du" the
slices "d" and "u" of the words "de" and "le". It is a span of `doc.spans["mwt"]`, whose label has
the forms of its words; NORM is that of the word. Everything that reads forms reads them here:
encoders, lemmatizers, and what writes CoNLL-U.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import lru_cache
from struct import Struct
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import srsly
from numpy.typing import NDArray
from spacy.attrs import IDX, LENGTH, NORM, ORTH
from spacy.lookups import Lookups
from spacy.tokens import Doc, Span, SpanGroup, Token

from spacy_npparse.errors import DocError

MULTIWORD_SPANS = "mwt"
# ORTH and NORM of the words of multiword tokens that the text does not spell as they are: all that
# span.as_doc() passes on. Of each vocabulary, to which there are no weak references.
_respelt: WeakKeyDictionary[Lookups, set[tuple[int, int]]] = WeakKeyDictionary()
# Of spaCy: ids, label, and where the span is in tokens and in characters.
_SAVED_SPAN = Struct(">QQQllll")


class SurfaceToken(NamedTuple):
    """A token as the text has it: a word, or a multiword token.

    Attributes:
        start: The first of its words: an index of the Doc.
        end: The end of its words, exclusive.
        text: How the text spells it.
        words: The forms of its words if it is a multiword token, else empty.
    """

    start: int
    end: int
    text: str
    words: tuple[str, ...]


def add_multiword_tokens(doc: Doc, found: Iterable[tuple[int, tuple[str, ...]]]) -> None:
    """Note which tokens of a Doc are the words of multiword tokens.

    Args:
        doc: The Doc, whose tokens are slices of the multiword tokens.
        found: The index of the first word of each multiword token, and the forms of its words; in
            order.
    """
    spans = []
    respelt = set()
    for start, words in found:
        spans.append(Span(doc, start, start + len(words), label=_label(words)))
        for token, word in zip(doc[start : start + len(words)], words, strict=True):
            if token.text != word:
                token.norm_ = doc.vocab[word].norm_ or word
                respelt.add((token.orth, token.norm))
    if spans:
        doc.spans[MULTIWORD_SPANS] = spans
        _respelt.setdefault(doc.vocab.lookups, set()).update(respelt)


def surface_tokens(doc: Doc) -> Iterator[SurfaceToken]:
    """The tokens of the text, without white space.

    Args:
        doc: The Doc.

    Yields:
        Words and multiword tokens, in order. A multiword token whose words have all been merged
        is a word.

    Raises:
        DocError: If some of the words of a multiword token have been merged or split, or if the
            Doc is from `span.as_doc()`, which drops multiword tokens.
    """
    _check_complete(doc)
    multiword = {start: (end, words) for start, end, words in _multiword_tokens(doc, strict=True)}
    texts = _texts(doc, _tokens(doc))
    end = 0
    for i, text in enumerate(texts):
        if i < end:
            continue
        if i in multiword:
            end, words = multiword[i]
            yield SurfaceToken(i, end, "".join(texts[i:end]), words)
        elif not text.isspace():
            yield SurfaceToken(i, i + 1, text, ())


def form_ids(doc: Doc) -> NDArray[np.uint64]:
    """The forms of the words of a Doc.

    Args:
        doc: The Doc.

    Returns:
        uint64 [len(doc)], hashes of strings: the form of a word of a multiword token, the text of
        any other token.

    Raises:
        DocError: If the Doc is from `span.as_doc()`, which drops multiword tokens.
    """
    _check_complete(doc)
    ids = _tokens(doc)
    for start, end, words in _multiword_tokens(doc, strict=False):
        ids[start:end] = [doc.vocab.strings.add(word) for word in words]
    return ids


def word_forms(doc: Doc) -> list[str]:
    """The forms of the words of a Doc.

    Args:
        doc: The Doc.

    Returns:
        For each token the form of the word, which is not the token's text in multiword tokens.

    Raises:
        DocError: If the Doc is from `span.as_doc()`, which drops multiword tokens.
    """
    return _texts(doc, form_ids(doc))


def _tokens(doc: Doc) -> NDArray[np.uint64]:
    """The texts of tokens as hashes."""
    return np.asarray(doc.to_array(ORTH), dtype=np.uint64)


def _texts(doc: Doc, ids: NDArray[np.uint64]) -> list[str]:
    """The strings of ids, without looking each up that occurs again."""
    numbers = ids.tolist()
    texts = {value: doc.vocab.strings[value] for value in {*numbers}}
    return [texts[value] for value in numbers]


def _form(token: Token) -> str:
    """The form of one word, without those of all others."""
    doc = token.doc
    group = doc.spans.get(MULTIWORD_SPANS, ())
    try:
        place = bisect_right(group, token.idx, key=lambda span: span.start_char)
        span = group[place - 1] if place else None
    except IndexError:
        # Tokens have been merged, and spans end beyond the Doc; see `_saved_spans`.
        return word_forms(doc)[token.i]
    if span is None or span.end_char <= token.idx:
        return token.text
    start, end = token.i, token.i + 1
    while start and doc[start - 1].idx >= span.start_char:
        start -= 1
    while end < len(doc) and doc[end].idx < span.end_char:
        end += 1
    words = _words(span.label_)
    is_cut = doc[start].idx == span.start_char and end - start == len(words)
    return words[token.i - start] if is_cut else token.text


def _multiword_tokens(doc: Doc, *, strict: bool) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """The first word, the end and the forms of each multiword token. Those whose words have been
    merged or split are left out; if strict, those of which only some have are refused."""
    if not doc.spans.get(MULTIWORD_SPANS):
        return
    places = doc.to_array([IDX, LENGTH]).reshape(len(doc), 2).astype(np.int64)
    begins, ends = places[:, 0], places.sum(axis=1)
    for label, start_char, end_char in _saved_spans(doc.spans[MULTIWORD_SPANS]):
        words = _words(label)
        start = int(np.searchsorted(begins, start_char, side="right")) - 1
        end = int(np.searchsorted(ends, end_char)) + 1
        is_cut = begins[start] == start_char and ends[end - 1] == end_char
        if is_cut and end - start == len(words):
            yield start, end, words
        elif strict and end - start > 1:
            raise DocError(
                f"the multiword token {doc.text[start_char:end_char]!r} has the words "
                f"{', '.join(map(repr, words))}, and tokens that are not theirs: "
                f"{', '.join(repr(token.text) for token in doc[start:end])}. Merge all of its "
                "words with each other, or none."
            )


def _saved_spans(group: SpanGroup) -> list[tuple[str, int, int]]:
    """The labels of spans, and their first and last characters. doc.retokenize() leaves the spans
    with indices that are not those of their tokens any more; their characters are right."""
    try:
        return [(span.label_, span.start_char, span.end_char) for span in group]
    except IndexError:
        # spaCy cannot make spans with indices of no tokens at all.
        saved = map(_SAVED_SPAN.unpack, srsly.msgpack_loads(group.to_bytes())["spans"])
        strings = group.doc.vocab.strings
        return [(strings[label], begin, end) for _, _, label, _, _, begin, end in saved]


def _label(words: Iterable[str]) -> str:
    """The forms in one string, from which `_words` gets them again."""
    return " ".join(word.replace("\\", r"\\").replace(" ", r"\s") for word in words)


@lru_cache(2**14)
def _words(label: str) -> tuple[str, ...]:
    return tuple(re.sub(r"\\(.)", _unescaped, part) for part in label.split(" "))


def _unescaped(match: re.Match[str]) -> str:
    return " " if match[1] == "s" else match[1]


def _check_complete(doc: Doc) -> None:
    respelt = _respelt.get(doc.vocab.lookups)
    if not respelt or MULTIWORD_SPANS in doc.spans:
        return
    values = doc.to_array([ORTH, NORM]).reshape(-1, 2).tolist()
    lost = respelt.intersection(map(tuple, values))
    if any(doc.vocab[orth].norm != norm for orth, norm in lost):
        raise DocError(
            f"the Doc {doc.text[:40]!r} has words of multiword tokens, which it has lost: "
            "span.as_doc() drops them, and so does gold_preproc of spaCy's reader. Use the span, "
            "or give its text to the pipeline; leave gold_preproc out."
        )


if not Token.has_extension("form"):
    Token.set_extension("form", getter=_form)
