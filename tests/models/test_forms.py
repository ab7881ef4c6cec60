"""Forms as networks read them, compared with their definition."""

import sys
from unicodedata import normalize

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_npparse.models.forms import forms_as_read, sequence_begins, text_as_read

WORDS = ["WERE", "IBM", "A", "I.", "Go", "x", "12", ",", "北", "İÇ", "ß", "U.S.", "1ª", "fe\u0301"]
SENTENCES = st.lists(st.lists(st.sampled_from(WORDS), min_size=1))


def expected(sequences):
    """Go through the words one by one."""
    found = []
    for words in sequences:
        read, stretch = [normalize("NFC", word) for word in words], []
        for i, word in enumerate([*words, "end"]):
            if word.isupper():
                stretch.append(i)
            elif any(char.isalpha() for char in word):
                for j in stretch if len(stretch) >= 4 else []:
                    read[j] = read[j].replace("İ", "i").lower()
                stretch.clear()
        found += read
    return found


@given(st.lists(SENTENCES, min_size=1), st.booleans())
def test_forms(texts, cut):
    vocab = Vocab()
    docs = [
        Doc(
            vocab,
            [word for words in text for word in words],
            sent_starts=[i == 0 for words in text for i in range(len(words))],
        )
        for text in texts
    ]
    if not any(map(len, docs)):
        return
    forms, number = forms_as_read(docs, sequence_begins(docs, cut=cut))
    assert len({*forms.tolist()}) == len(forms)
    whole = [[word for words in text for word in words] for text in texts]
    sequences = [words for text in texts for words in text] if cut else whole
    assert [vocab.strings[form] for form in forms[number].tolist()] == expected(sequences)


@given(st.lists(st.sampled_from(WORDS)), st.sampled_from([" ", "\n", " \t"]))
def test_text(words, space):
    words = [normalize("NFC", word) for word in words]
    assert text_as_read(space.join(words)) == space.join(expected([words]))


@pytest.mark.parametrize("text", ["", " ", "THREE WORDS ONLY", "A B C d E F G", "A B 北 C D 12"])
def test_texts_without_stretches(text):
    assert text_as_read(text) == text


def test_texts_keep_their_length():
    chars = [char for char in map(chr, range(sys.maxunicode)) if char.isupper()]
    text = " ".join(chars)
    assert len(text_as_read(text)) == len(text)
    assert not any(char.isupper() and char != char.lower() for char in text_as_read(text))
    assert text_as_read("Ο ΔΡΟΜΟΣ ΤΟΥ ΘΕΟΥ") == "ο δρομος του θεου"


def test_sequences():
    vocab = Vocab()
    docs = [Doc(vocab, ["a"] * n, sent_starts=[True, False, True][:n]) for n in (0, 3, 0, 1, 0)]
    for cut in (True, False):
        assert sequence_begins(docs, cut=cut).tolist() == [True, False, cut, True]
    assert sequence_begins(docs[3:], cut=True).dtype == np.bool_


def test_docs_with_different_string_stores():
    docs = [Doc(Vocab(), words=words) for words in (["a"], ["b", "c"], ["b"])]
    forms, number = forms_as_read(docs, sequence_begins(docs, cut=True))
    strings = docs[0].vocab.strings
    assert [strings[form] for form in forms[number].tolist()] == ["a", "b", "c", "b"]
