"""Tests of the edits that turn a form into its lemma."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_npparse.lemmas import Edit, find_edits

# Some characters share a lower or upper case, or have a case that is several characters.
WORDS = st.text(st.sampled_from("abcABCßẞİıΣσςKKǅ1-'ж"), max_size=12) | st.text(max_size=8)


def apply_edits(form, edits):
    return "".join(edit.of(char) for char, edit in zip(("", *form), edits, strict=True))


@given(WORDS, WORDS)
def test_the_edits_of_a_form_make_the_lemma(form, lemma):
    edits = find_edits(form, lemma)
    assert len(edits) == len(form) + 1
    assert edits[0].kind == "delete"
    assert apply_edits(form, edits) == lemma


@given(WORDS)
def test_a_form_that_is_its_lemma_is_copied(form):
    assert find_edits(form, form) == [Edit("delete"), *[Edit("copy")] * len(form)]


@given(WORDS, st.data())
def test_inserted_letters_come_from_the_edits(form, data):
    kinds = st.sampled_from(["copy", "lower", "upper", "delete"])
    made = st.builds(Edit, kinds, st.text("xyz", max_size=2))
    edits = data.draw(st.lists(made, min_size=len(form) + 1, max_size=len(form) + 1))
    cases = {*form, *map(str.lower, form), *map(str.upper, form)}
    assert set(apply_edits(form, edits)) <= cases | set("xyz")


@pytest.mark.parametrize(
    "form, lemma, edits",
    [
        # The last character of the lemma is aligned with the first of two candidates.
        ("şeytanın", "şeytan", ["=", "=", "=", "=", "=", "=", "-", "-"]),
        ("Gesehen", "sehen", ["-", "-", "=", "=", "=", "=", "="]),
        ("Haus", "haus", ["l", "=", "=", "="]),
        ("nahm", "nehmen", ["=", "-e", "=", "=en"]),
        ("bau", "baubau", ["=", "=", "=bau"]),
        ("nato", "NATO", ["u", "u", "u", "u"]),
    ],
)
def test_alignments(form, lemma, edits):
    short = {"copy": "=", "lower": "l", "upper": "u", "delete": "-"}
    first, *others = find_edits(form, lemma)
    assert first == Edit("delete")
    assert [short[edit.kind] + edit.added for edit in others] == edits
