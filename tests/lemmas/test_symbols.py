"""Tests of the encoding of the characters, tags and edits of many words as numbers."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from spacy_npparse.lemmas import Edit, Symbols, Word

EDITS = [
    Edit("copy"),
    Edit("delete"),
    Edit("delete", "xy"),
    Edit("copy", "z"),
    Edit("lower"),
    Edit("upper", "é"),
]
SYMBOLS = Symbols("ab ç𐌰", ["FEATS:A=1", "FEATS:B=2", "UPOS:N", "XPOS:n"], EDITS)
# Known and unknown characters, among them the null character and a UTF-16 surrogate.
CHARS = st.sampled_from("abB ç𐌰жİßx\0\ud800\U0010ffff") | st.characters()
FORMS = st.lists(st.text(CHARS, min_size=1, max_size=6), min_size=1, max_size=6)


@given(FORMS, st.data())
def test_lemmas_are_those_of_one_form_after_the_other(forms, data):
    numbers = st.integers(0, len(EDITS) - 1)
    edits = [
        data.draw(st.lists(numbers, min_size=len(form) + 1, max_size=len(form) + 1))
        for form in forms
    ]
    assert SYMBOLS.spell(forms, np.concatenate(edits)) == [
        "".join(EDITS[number].of(char) for char, number in zip(("", *form), one, strict=True))
        for form, one in zip(forms, edits, strict=True)
    ]


@given(FORMS)
def test_forms_in_known_scripts(forms):
    n_known = [sum(char in SYMBOLS.chars for char in form) for form in forms]
    expected = [2 * n > len(form) for n, form in zip(n_known, forms, strict=True)]
    assert SYMBOLS.knows(forms).tolist() == expected


@given(FORMS, st.data())
def test_batches(forms, data):
    tags = st.tuples(
        st.sampled_from(["", "N", "V"]),
        st.sampled_from(["", "n", "v"]),
        st.sampled_from(["", "A=1", "A=1|B=2", "B=2|C=3"]),
    )
    words = [Word(form, *data.draw(tags)) for form in forms]
    made = SYMBOLS.batch(words)
    assert made.lengths.tolist() == [len(form) + 1 for form in forms]
    # 0 is the beginning of a word, 1 an unknown character.
    expected = [[0, *(SYMBOLS.chars.find(char) + 2 for char in form)] for form in forms]
    assert made.chars.tolist() == sum(expected, [])
    columns = [
        [f"FEATS:{pair}" for pair in word.feats.split("|")]
        + [f"UPOS:{word.upos}", f"XPOS:{word.xpos}"]
        for word in words
    ]
    known = [[SYMBOLS.tags.index(tag) for tag in one if tag in SYMBOLS.tags] for one in columns]
    assert made.n_tags.tolist() == list(map(len, known))
    assert made.tags.tolist() == sum(known, [])


def test_a_spelling_that_has_been_learnt():
    symbols = Symbols.collect([(Word("abs"), "ab"), (Word("cds"), "cd")])
    gold = symbols.gold(Word("xs"), "x")
    assert gold is not None and symbols.spell(["xs"], np.array(gold)) == ["x"]


def test_symbols_of_the_same_frequency_are_in_the_order_of_their_occurrence():
    symbols = Symbols.collect([(Word("abcdefgh"), "stuvwxyz")])
    assert [edit.added for edit in symbols.edits] == ["", *"stuvwxyz"]
    assert symbols.chars == "abcdefgh"
