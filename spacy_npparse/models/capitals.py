"""Text in capital letters, such as headlines, which the tokenizer, encoders and the lemmatizer read
in lower case.

A treebank has too little of it for a network to learn that *WERE* is *were*. Stretches of at least
four words in capitals are written in lower case. Fewer words may be abbreviations. Words without
letters, or in scripts without case, neither count nor end a stretch.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from spacy.strings import StringStore

Bools = NDArray[np.bool_]

_LEAST_WORDS = 4
_STRING = re.compile(r"\S+")


def text_without_capitals(text: str) -> str:
    """Write stretches of capitals in a text in lower case. Words are the strings between white
    space.

    Args:
        text: The text.

    Returns:
        A text of the same length.

    Examples:
        >>> text_without_capitals("By IBM: HOW TO READ, PART 2, IN IBM'S WORDS. So")
        "By ibm: how to read, part 2, in ibm's words. So"
    """
    strings = text.split()
    if sum(map(str.isupper, strings)) < _LEAST_WORDS:
        return text
    in_capitals = _in_capitals(*_cases(strings), np.zeros(len(strings), dtype=bool))
    if not in_capitals.any():
        return text
    chars = list(text)
    for match, is_lowered in zip(_STRING.finditer(text), in_capitals.tolist(), strict=True):
        if is_lowered:
            # The lower case of some letters, such as İ, consists of two characters.
            lower = [char.lower() if len(char.lower()) == 1 else char for char in match[0]]
            chars[match.start() : match.end()] = lower
    return "".join(chars)


def forms_without_capitals(
    forms: NDArray[np.uint64], begins: Bools, strings: StringStore
) -> NDArray[np.uint64]:
    """Write stretches of capitals in lower case.

    Args:
        forms: uint64 [n_words], the hashes of the words of texts.
        begins: bool [n_words], whether each word begins a text.
        strings: The string store that contains the words.

    Returns:
        The hashes of the new forms, which the string store contains, too.
    """
    different, number = np.unique(forms, return_inverse=True)
    texts = [strings[form] for form in different.tolist()]
    is_upper, has_lower = (case[number] for case in _cases(texts))
    in_capitals = _in_capitals(is_upper, has_lower, begins)
    if not in_capitals.any():
        return forms
    lower = forms.copy()
    lower[in_capitals] = [strings.add(texts[i].lower()) for i in number[in_capitals].tolist()]
    return lower


def _cases(words: Iterable[str]) -> tuple[Bools, Bools]:
    """Find out which words are in capitals, and which have letters in lower case."""
    cases = [(word.isupper(), word != word.upper()) for word in words]
    is_upper, has_lower = np.array(cases, dtype=bool).reshape(-1, 2).T
    return is_upper, has_lower


def _in_capitals(is_upper: Bools, has_lower: Bools, begins: Bools) -> Bools:
    """Find the words in stretches of capitals."""
    stretch = np.cumsum(begins | has_lower)
    found: Bools = is_upper & (np.bincount(stretch, is_upper) >= _LEAST_WORDS)[stretch]
    return found
