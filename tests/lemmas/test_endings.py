"""Tests of lemmas for new forms of known lemmas."""

from os.path import commonprefix

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_npparse.lemmas import Word
from spacy_npparse.lemmas.endings import Endings

TEXTS = st.text("abAİ", max_size=4)
PARTS_OF_SPEECH = st.sampled_from(["", "N", "V"])
PAIRS = st.lists(
    st.tuples(st.builds(Word, TEXTS, PARTS_OF_SPEECH, feats=st.sampled_from(["", "A=1"])), TEXTS),
    max_size=8,
)


def expected(pairs, form, upos):
    """Return the only known lemma that endings of known words make of the form, or ''."""
    pairs = [(word.form.lower(), lemma) for word, lemma in pairs if word.upos == upos]
    form = form.lower()
    made = set()
    for known, lemma in pairs:
        start = len(commonprefix([known, lemma.lower()]))
        ending, other = known[start:], lemma.lower()[start:]
        if form.endswith(ending):
            made.add(form.removesuffix(ending) + other)
    lemmas = {lemma for _, lemma in pairs}
    low = {lemma.lower() for lemma in lemmas} & made
    found = {lemma for lemma in lemmas if lemma.lower() in low}
    return found.pop() if len(found) == 1 else ""


@given(PAIRS, TEXTS, PARTS_OF_SPEECH)
def test_all_endings_of_all_words_are_tried(pairs, form, upos):
    endings = Endings(pairs)
    assert endings.find(Word(form, upos)) == expected(pairs, form, upos)
    for word, _ in pairs:
        assert endings.find(word) == expected(pairs, word.form, word.upos)


@pytest.mark.parametrize(
    "form, upos, lemma",
    [
        ("Hundar", "NOUN", "hund"),
        ("stockholmar", "NOUN", "Stockholm"),
        ("hundar", "VERB", ""),
        # The endings make no known lemma, or two.
        ("bokar", "NOUN", ""),
        ("skatar", "NOUN", ""),
        ("hundar", "X", ""),
    ],
)
def test_lemmas(form, upos, lemma):
    words = [
        ("katar", "NOUN", "kat"),
        ("lampar", "NOUN", "lampa"),
        ("hund", "NOUN", "hund"),
        ("Stockholm", "NOUN", "Stockholm"),
        ("skat", "NOUN", "skat"),
        ("skatan", "NOUN", "skata"),
        ("talar", "VERB", "tala"),
    ]
    assert Endings((Word(f, u), found) for f, u, found in words).find(Word(form, upos)) == lemma
