"""Characters of several code points: accents, jamo and emoji."""

from unicodedata import category, normalize

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizer_helpers import SAMPLE

from spacy_npparse.tokenization.characters import compose
from spacy_npparse.treebank import paragraphs_of_treebank, read_conllu

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


def test_decomposed_text_has_the_same_tokens(nlp):
    for paragraph in paragraphs_of_treebank(list(read_conllu(SAMPLE))):
        composed = nlp.tokenizer(paragraph.text)
        decomposed = nlp.tokenizer(normalize("NFD", paragraph.text))
        assert [token.text for token in composed] == [
            normalize("NFC", token.text) for token in decomposed
        ]
        assert [token._.form for token in composed] == [
            normalize("NFC", token._.form) for token in decomposed
        ]


@pytest.mark.parametrize("emoji", ["👍🏽", "👩🏽\u200d🚀", "❤\ufe0f", "👨\u200d👩\u200d👧"])
def test_emoji_are_not_cut(nlp, emoji):
    for text in (f"Haus {emoji}.", f"Haus{emoji}.", f"{emoji}{emoji}"):
        ends = {token.idx for token in nlp.tokenizer(text)}
        begin = text.index(emoji)
        assert not ends.intersection(range(begin + 1, begin + len(emoji)))
