"""Forms as networks read them: text in capitals in lower case, and composed characters (NFC).

Treebanks contain too little text in capitals, such as headlines, and hardly any combining
characters, so that a network does not learn that *WERE* is *were*. Stretches of at least four words
in capitals are read in lower case. Fewer words may be abbreviations. Words without letters neither
count nor end a stretch.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import SENT_START
from spacy.tokens import Doc

from spacy_npparse.word_forms import form_ids, word_forms

Bools = NDArray[np.bool_]

_LEAST_WORDS = 4
_STRING = re.compile(r"\S+")


def text_as_read(text: str) -> str:
    """Write stretches of capitals in a text in lower case. Words are the strings between white
    space.

    Args:
        text: The text.

    Returns:
        A text of the same length.

    Examples:
        >>> text_as_read("By IBM: HOW TO READ, PART 2, IN IBM'S WORDS. So")
        "By ibm: how to read, part 2, in ibm's words. So"
    """
    strings = text.split()
    if sum(map(str.isupper, strings)) < _LEAST_WORDS:
        return text
    in_capitals = iter(_in_capitals(*_cases(strings), np.zeros(len(strings), dtype=bool)).tolist())
    return _STRING.sub(lambda match: _lower(match[0]) if next(in_capitals) else match[0], text)


def forms_as_read(
    docs: Sequence[Doc], begins: Bools
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Find the different forms of the words of Docs.

    Args:
        docs: The Docs.
        begins: bool [n_words], whether each word begins a sequence, see `sequence_begins`.

    Returns:
        uint64 [n_forms], the hashes of the forms, which the string store of the first Doc contains;
        and int64 [n_words], the number of the form of each word.
    """
    strings = docs[0].vocab.strings
    for doc in docs:
        if doc.vocab.strings is not strings:
            for form in word_forms(doc):
                strings.add(form)
    forms, number = np.unique(np.concatenate(list(map(form_ids, docs))), return_inverse=True)
    texts = [strings[form] for form in forms.tolist()]
    composed = [normalize("NFC", text) for text in texts]
    is_upper, ends = (case[number] for case in _cases(composed))
    in_capitals = _in_capitals(is_upper, ends, begins)
    if composed == texts and not in_capitals.any():
        return forms, number
    words = np.array([strings.add(text) for text in composed], dtype=np.uint64)[number]
    lower = [strings.add(_lower(composed[i])) for i in number[in_capitals].tolist()]
    words[in_capitals] = lower
    return np.unique(words, return_inverse=True)


def sequence_begins(docs: Sequence[Doc], *, cut: bool) -> Bools:
    """Find the words that begin a sequence for a network.

    Args:
        docs: The Docs.
        cut: Whether each sentence of a Doc is a sequence of its own.

    Returns:
        bool [n_words].
    """
    docs = [doc for doc in docs if len(doc)]
    begins = np.concatenate([doc.to_array(SENT_START) for doc in docs]) == 1
    begins &= cut
    begins[np.cumsum([0, *map(len, docs[:-1])])] = True
    return begins


def _cases(words: Sequence[str]) -> tuple[Bools, Bools]:
    """Find out which words are in capitals, and which have letters but are not."""
    is_upper = np.fromiter(map(str.isupper, words), dtype=bool, count=len(words))
    # For nearly all words, the first test is enough, and faster.
    letters = [word.isalpha() or any(map(str.isalpha, word)) for word in words]
    return is_upper, np.array(letters, dtype=bool) & ~is_upper


def _in_capitals(is_upper: Bools, ends: Bools, begins: Bools) -> Bools:
    """Find the words in stretches of capitals. ends: whether a word ends a stretch."""
    stretch = np.cumsum(begins | ends)
    found: Bools = is_upper & (np.bincount(stretch, is_upper) >= _LEAST_WORDS)[stretch]
    return found


def _lower(word: str) -> str:
    """Write a word in lower case, of the same length."""
    return word.replace("İ", "i").lower()
