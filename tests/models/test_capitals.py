"""Stretches of capitals, compared with their definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from spacy.strings import StringStore

from spacy_npparse.models.capitals import forms_without_capitals, text_without_capitals

WORDS = ["WERE", "IBM", "A", "I.", "Go", "x", "12", ",", "北", "İÇ", "ß", "U.S."]


def expected(words, begins):
    """Go through the words one by one."""
    found, stretch = list(words), []

    def end():
        if len(stretch) >= 4:
            for i in stretch:
                found[i] = words[i].lower()
        stretch.clear()

    for i, word in enumerate(words):
        if begins[i] or any(char.islower() for char in word):
            end()
        if word.isupper():
            stretch.append(i)
    end()
    return found


@given(st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from([False, False, True]))))
def test_forms(pairs):
    words, begins = [word for word, _ in pairs], [begin for _, begin in pairs]
    strings = StringStore(words)
    forms = np.array([strings[word] for word in words], dtype=np.uint64)
    found = forms_without_capitals(forms, np.array(begins, dtype=bool), strings)
    assert [strings[form] for form in found.tolist()] == expected(words, begins)


@given(st.lists(st.sampled_from(WORDS)), st.sampled_from([" ", "\n", " \t"]))
def test_text(words, space):
    found = text_without_capitals(space.join(words))
    lower = [word.replace("i̇", "İ") for word in expected(words, [False] * len(words))]
    assert found == space.join(lower)


@pytest.mark.parametrize("text", ["", " ", "THREE WORDS ONLY", "A B C d E F G", "北 京 12"])
def test_texts_without_stretches(text):
    assert text_without_capitals(text) is text
