"""Characters of several code points: accents, jamo and emoji."""

from unicodedata import category, normalize

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from spacy_npparse.tokenization.characters import compose
from spacy_npparse.word_forms import word_forms

MARKS = ["\u0301", "\u0308", "\u0323", "\ufe0f", "\u200d", "\U0001f3fd", "\u1161", "\u11ab"]
PIECES = [
    "a",
    "é",
    "o\u0302\u0301",
    "\u1112",
    " ",
    "\n",
    "\U0001f469",
    "\u0958",
    "\ud800",
    ".",
    *MARKS,
]
TEXTS = st.lists(st.sampled_from(PIECES) | st.characters(), max_size=12).map("".join)


@given(TEXTS)
@example("\u1112\u1161\u11ab\u1100\u1173\u11af")
def test_characters_form_the_text(text):
    found = compose(text)
    if found is None:
        assert not any(category(char)[0] == "M" for char in text[1:] if not text[0].isspace())
        return
    assert found.places[0] == found.original[0] == 0
    assert (found.places[-1], found.original[-1]) == (len(found.text), len(text))
    assert (np.diff(found.original) > 0).all()
    for begin, end, begun, ended in zip(
        found.places, found.places[1:], found.original, found.original[1:], strict=False
    ):
        assert found.text[begin:end] == normalize("NFC", text[begun:ended])
        # White space is a character of its own.
        assert ended - begun == 1 or not any(map(str.isspace, text[begun:ended]))
    if not any("\u1100" <= char < "\u1200" or char == "\u200d" for char in text):
        assert found.text == normalize("NFC", text)


@given(TEXTS)
def test_tokens_end_where_characters_end(nlp, text):
    if any("\ud800" <= char < "\ue000" for char in text):
        return
    doc = nlp.tokenizer(text)
    assert doc.text == text
    found = compose(text)
    if found is not None:
        assert {token.idx for token in doc} <= {*found.original.tolist()}


@given(st.text("abéüößñ .,'-", max_size=30))
@example("Müllers Sécurité, größer.")
def test_decomposed_text_has_the_same_tokens(nlp, text):
    composed = nlp.tokenizer(text)
    decomposed = nlp.tokenizer(normalize("NFD", text))
    for forms in (lambda doc: [token.text for token in doc], word_forms):
        assert forms(composed) == [normalize("NFC", form) for form in forms(decomposed)]


@pytest.mark.parametrize(
    "character",
    [
        "👍🏽",
        "👩🏽\u200d🚀",
        "❤\ufe0f",
        "👨\u200d👩\u200d👧",
        "q\u0302\u0301",
        "\u1112\u1161\u11ab",
    ],
)
def test_characters_are_not_cut(character):
    text = f"a{character}."
    ends = np.arange(1, len(text) + 1, dtype=np.int32)
    found = compose(text)
    every = ends[: len(found.text)]
    bounds = found.bounds(np.stack([every - 1, every], axis=1))
    assert [text[start:end] for start, end in bounds] == ["a", character, "."]
