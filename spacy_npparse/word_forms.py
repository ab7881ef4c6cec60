"""The syntactic words of a Doc: their forms, and the multiword tokens that they are slices of.

A token of a Doc is a slice of the text. A multiword token consists of several tokens: French "du"
consists of the slices "d" and "u" of the words "de" and "le", which are their norms. All code that
needs word forms, such as encoders, lemmatizers and the writer of CoNLL-U, uses this module.

Multiword tokens are noted by their characters, which do not change if tokens are merged or split.
They are attributes of the span group `doc.spans["mwt"]`, which `DocBin` always saves, and are also
in `doc.user_data`, because `Doc.from_docs` drops the former. The group itself is empty, because
spaCy does not move spans when tokens are merged, and cannot copy or save a Doc whose spans end
beyond it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import compress
from typing import Any, NamedTuple, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import IDX, LENGTH, NORM, ORTH
from spacy.lookups import Lookups
from spacy.tokens import Doc, Span, SpanGroup, Token

from spacy_npparse.errors import DocError

MULTIWORD_SPANS = "mwt"
_WORDS = "words"
# The beginning of a key of user_data, followed by the places of the first and the last character,
# which spaCy moves with the text.
_KEY = ("._.", "spacy_npparse.multiword")
# The same for a note that the text has none. It saves `token._.form` from looking through the
# values of extension attributes, of which a Doc has several for each token.
_NONE = ("._.", "spacy_npparse.no_multiword")
_MANY_VALUES = 100
# ORTH and NORM of the words of a multiword token. span.as_doc() passes on nothing else.
_Slices: TypeAlias = tuple[tuple[int, int], ...]
# The multiword tokens that contain words which are not spelled as in the text, with the place of
# such a word, by that word and by vocabulary. There are no weak references to vocabularies.
_respelt: WeakKeyDictionary[Lookups, dict[tuple[int, int], set[tuple[_Slices, int]]]] = (
    WeakKeyDictionary()
)


class SurfaceToken(NamedTuple):
    """A token of the text: a word, or a multiword token.

    Attributes:
        start: The index of its first word in the Doc.
        end: The index after its last word.
        text: The token as spelled in the text.
        words: The forms of its words if it is a multiword token, otherwise empty.
    """

    start: int
    end: int
    text: str
    words: tuple[str, ...]


def add_multiword_tokens(doc: Doc, found: Iterable[tuple[int, tuple[str, ...]]]) -> None:
    """Note which tokens of a Doc are the words of multiword tokens.

    Args:
        doc: The Doc, whose tokens are slices of the multiword tokens.
        found: The index of the first word of each multiword token and the forms of its words, in
            order.
    """
    noted = []
    none: Any = (*_NONE, 0, doc[:].end_char)
    doc.user_data.pop(none, None)
    for start, words in found:
        tokens = doc[start : start + len(words)]
        noted.append([tokens.start_char, tokens.end_char, list(words)])
        key: Any = (*_KEY, tokens.start_char, tokens.end_char)
        doc.user_data[key] = list(words)
        is_respelt = [token.text != word for token, word in zip(tokens, words, strict=True)]
        for token, word in compress(zip(tokens, words, strict=True), is_respelt):
            token.norm_ = doc.vocab[word].norm_ or word
        _note_slices(doc, tuple((token.orth, token.norm) for token in tokens), is_respelt)
    if noted:
        doc.spans[MULTIWORD_SPANS] = SpanGroup(doc, name=MULTIWORD_SPANS, attrs={_WORDS: noted})


def copy_multiword_tokens(doc: Doc, copy: Doc) -> None:
    """Note the multiword tokens of a Doc in a copy whose texts may differ, as augmenters make it.
    They are lost where the copy has other tokens, or white space between their words.

    Args:
        doc: The Doc.
        copy: The copy, changed in place.
    """
    places = [token.i for token in copy if not token.is_space]
    originals = [token for token in doc if not token.is_space]
    # A copy by Example.from_dict() has the group without its attributes.
    group = copy.spans.get(MULTIWORD_SPANS)
    if len(places) != len(originals) or (group is not None and _WORDS in group.attrs):
        return
    place_of = {token.i: place for token, place in zip(originals, places, strict=True)}
    found = []
    for start, end, words in multiword_words(doc):
        first, last = place_of[start], place_of[end - 1]
        # White space may have been inserted between the words.
        if last - first == len(words) - 1:
            pairs = zip(doc[start:end], copy[first : last + 1], words, strict=True)
            found.append((first, tuple(_changed(w, old.text, new.text) for old, new, w in pairs)))
    add_multiword_tokens(copy, found)


def _changed(word: str, before: str, after: str) -> str:
    """Change a word as its text has been changed: replaced if it is spelled as in the text, or
    written in lower case."""
    if word == before:
        return after
    return word.lower() if after == before.lower() else word


def _note_slices(doc: Doc, slices: _Slices, is_respelt: Sequence[bool]) -> None:
    """Note the words of a multiword token, so that its loss is noticed. A memory zone, whose words
    are many and soon forgotten, notes none."""
    if doc.vocab.in_memory_zone:  # type: ignore[attr-defined]
        return
    respelt = _respelt.setdefault(doc.vocab.lookups, {})
    for place in compress(range(len(slices)), is_respelt):
        respelt.setdefault(slices[place], set()).add((slices, place))


def has_multiword_tokens(doc: Doc) -> bool:
    """Check whether a Doc has multiword tokens, including merged ones.

    Args:
        doc: The Doc.
    """
    return bool(_noted(doc))


def multiword_tokens(doc: Doc) -> list[Span]:
    """Find the multiword tokens of a Doc, as `doc._.multiword_tokens` does.

    Args:
        doc: The Doc.

    Returns:
        Spans in order, whose labels are the words, separated by spaces. Multiword tokens whose
        words have been merged are left out.
    """
    found = multiword_words(doc)
    return [Span(doc, start, end, label=" ".join(words)) for start, end, words in found]


def multiword_words(doc: Doc) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Iterate over the multiword tokens of a Doc.

    Args:
        doc: The Doc.

    Yields:
        The first word, the end and the forms of each multiword token. Those whose words have been
        merged or split are left out.
    """
    return _multiword_tokens(doc, strict=False)


def surface_tokens(doc: Doc) -> Iterator[SurfaceToken]:
    """Iterate over the tokens of the text, without white space.

    Args:
        doc: The Doc.

    Yields:
        Words and multiword tokens, in order. A multiword token whose words have all been merged is
        a word.

    Raises:
        DocError: Some of the words of a multiword token have been merged or split, or the Doc is
            from `span.as_doc()`, which drops multiword tokens.
    """
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
    """Find the hashes of the forms of a Doc's words.

    Args:
        doc: The Doc.

    Returns:
        uint64 [len(doc)], the hash of each form: the word in a multiword token, the text of any
        other token.

    Raises:
        DocError: The Doc is from `span.as_doc()`, which drops multiword tokens.
    """
    ids = _tokens(doc)
    for start, end, words in multiword_words(doc):
        ids[start:end] = [doc.vocab.strings.add(word) for word in words]
    return ids


def word_forms(doc: Doc) -> list[str]:
    """Find the forms of a Doc's words.

    Args:
        doc: The Doc.

    Returns:
        The form of the word for each token, which in multiword tokens is not the token's text.

    Raises:
        DocError: The Doc is from `span.as_doc()`, which drops multiword tokens.
    """
    return _texts(doc, form_ids(doc))


def _tokens(doc: Doc) -> NDArray[np.uint64]:
    """Read the texts of tokens as hashes."""
    return np.asarray(doc.to_array(ORTH), dtype=np.uint64)


def _texts(doc: Doc, ids: NDArray[np.uint64]) -> list[str]:
    """Look up the strings of hashes, each only once."""
    numbers = ids.tolist()
    texts = {value: doc.vocab.strings[value] for value in {*numbers}}
    return [texts[value] for value in numbers]


def _form(token: Token) -> str:
    """Find the form of one word without computing all others."""
    doc = token.doc
    noted = _noted(doc, token)
    place = bisect_right(noted, token.idx, key=lambda one: one[0])
    start_char, end_char, words = noted[place - 1] if place else (0, 0, ())
    if end_char <= token.idx:
        return token.text
    start, end = token.i, token.i + 1
    while start and doc[start - 1].idx >= start_char:
        start -= 1
    while end < len(doc) and doc[end].idx < end_char:
        end += 1
    is_cut = doc[start].idx == start_char and doc[end - 1].idx + len(doc[end - 1]) == end_char
    return words[token.i - start] if is_cut and end - start == len(words) else token.text


def _multiword_tokens(doc: Doc, *, strict: bool) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Find the first word, the end and the forms of each multiword token. Those whose words have
    been merged or split, or are only in part in the Doc, are left out; they are rejected if strict
    and not all words have been merged with each other."""
    noted = _noted(doc)
    if not noted:
        return
    values = doc.to_array([IDX, LENGTH, ORTH, NORM])
    places = values[:, :2].astype(np.int64)
    begins, ends = places[:, 0], places.sum(axis=1)
    for start_char, end_char, words in noted:
        start = int(np.searchsorted(begins, start_char, side="right")) - 1
        end = int(np.searchsorted(ends, end_char)) + 1
        is_whole = start >= 0 and end <= len(doc)
        is_cut = is_whole and begins[start] == start_char and ends[end - 1] == end_char
        if is_cut and end - start == len(words):
            # The Doc may have been made by another process.
            slices = tuple(map(tuple, values[start:end, 2:].tolist()))
            ids = map(doc.vocab.strings.__getitem__, words)
            is_respelt = [orth != word for (orth, _), word in zip(slices, ids, strict=True)]
            _note_slices(doc, slices, is_respelt)
            yield start, end, tuple(words)
        elif strict and (end - start > 1 or not is_whole):
            raise DocError(
                f"the multiword token {doc.text[max(start_char, 0) : end_char]!r} has the words "
                f"{', '.join(map(repr, words))}, and tokens that are not theirs: "
                f"{', '.join(repr(token.text) for token in doc[max(start, 0) : end])}. Merge all "
                "of its words with each other, or none, and do not cut the Doc between them."
            )


def _noted(doc: Doc, token: Token | None = None) -> list[tuple[int, int, list[str]]]:
    """Find the first character, the end and the words of each multiword token, in order. token: the
    token that is asked for; None for all.

    Raises:
        DocError: The multiword tokens have been lost.
    """
    group = doc.spans.get(MULTIWORD_SPANS)
    if group is not None and _WORDS in group.attrs:
        found: list[tuple[int, int, list[str]]] = group.attrs[_WORDS]
        return found
    is_empty = group is not None and not len(group)
    end = doc[:].end_char
    none: Any = (*_NONE, 0, end)
    kept = sorted(
        (*key[2:], words)
        for key, words in (() if none in doc.user_data else doc.user_data.items())
        if isinstance(key, tuple) and key[:2] == _KEY and key[3] > 0 and key[2] < end
    )
    if not kept:
        if len(doc.user_data) > _MANY_VALUES:
            doc.user_data[none] = True
        _check_complete(doc, token, is_incomplete=is_empty)
    elif group is None or is_empty:
        # The next call finds them at once.
        doc.spans[MULTIWORD_SPANS] = SpanGroup(doc, name=MULTIWORD_SPANS, attrs={_WORDS: kept})
    return kept


def _check_complete(doc: Doc, token: Token | None, *, is_incomplete: bool) -> None:
    """Raise DocError if a Doc has words of multiword tokens that are not noted. token: the only
    token to look at; None for all."""
    respelt = _respelt.get(doc.vocab.lookups)
    if respelt and not is_incomplete:
        values = [(token.orth, token.norm)] if token else doc.to_array([ORTH, NORM]).tolist()
        lost = respelt.keys() & set(map(tuple, values))
        is_incomplete = any(
            doc.vocab[one[0]].norm != one[1] and _has(doc, one, respelt[one]) for one in lost
        )
    if is_incomplete:
        raise DocError(
            f"the Doc {doc.text[:40]!r} has words of multiword tokens, but has lost their forms: "
            "span.as_doc() and Doc.to_json() drop them, and so do Doc.from_docs() without user "
            "data, and the augmenters, gold_preproc and max_length of spaCy's reader. Use "
            "span.as_doc(copy_user_data=True), or give its text to the pipeline; train on CoNLL-U."
        )


def _has(doc: Doc, word: tuple[int, int], found: Iterable[tuple[_Slices, int]]) -> bool:
    """Check whether a Doc has the words of a multiword token, one after the other. The Doc may
    begin or end between them. word: ORTH and NORM of a word; found: the multiword tokens that
    contain it, with its place."""
    values = list(map(tuple, doc.to_array([ORTH, NORM]).tolist()))
    places = [i for i, one in enumerate(values) if one == word]
    return any(
        all(
            values[i + j - place] == one
            for j, one in enumerate(slices)
            if 0 <= i + j - place < len(values)
        )
        for i in places
        for slices, place in found
    )


if not Token.has_extension("form"):
    Token.set_extension("form", getter=_form)
if not Doc.has_extension("multiword_tokens"):
    Doc.set_extension("multiword_tokens", getter=multiword_tokens)
