"""Annotation of texts and Docs by a pipeline: order, batches and failures."""

from contextlib import contextmanager
from itertools import count
from unittest import mock

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc

from spacy_npparse.treebank import Paragraph, annotate, annotating
from spacy_npparse.treebank.annotating import attempt_sources
from spacy_npparse.treebank.docs import TEXT_KEY

NLP = spacy.blank("xx")
FAILING = "7"


@spacy.Language.component("notes_order")
def note_order(doc):
    BEGUN.append(int(doc[0].text))
    return doc


@spacy.Language.component("fails_once_touched")
def fail_once_touched(doc):
    """Fail on a certain text, and on Docs that an earlier attempt has changed."""
    if doc.user_data.get("touched") or doc[0].text == FAILING:
        raise KeyError(doc[0].text)
    doc.user_data["touched"] = True
    return doc


BEGUN = []
NOTING = spacy.blank("xx")
NOTING.add_pipe("notes_order")


@given(st.lists(st.integers(1, 30), max_size=40), st.integers(1, 3), st.integers(1, 60))
def test_batches_are_of_similar_lengths_and_the_order_stays(lengths, batch_size, most_words):
    inputs = [
        Paragraph(f"{number} " + "w " * (length - 1)) if number % 3 else
        Doc(NLP.vocab, [str(number), *["w"] * (length - 1)])
        for number, length in enumerate(lengths)
    ]  # fmt: skip
    BEGUN.clear()
    with mock.patch.object(annotating, "WINDOW_WORDS", most_words):
        docs = list(annotate(NOTING, iter(inputs), batch_size=batch_size))
    assert [doc[0].text for doc in docs] == [str(number) for number in range(len(lengths))]
    assert [len(doc) for doc in docs] == lengths
    assert [TEXT_KEY in doc.user_data for doc in docs] == [
        isinstance(one, Paragraph) for one in inputs
    ]
    # Inputs are sorted by length in windows, each of which ends with the input that fills it.
    expected, window = [], []
    for number in range(len(lengths)):
        window.append(number)
        is_full = sum(lengths[i] for i in window) >= most_words or len(window) == 32 * batch_size
        if is_full or number == len(lengths) - 1:
            expected += sorted(window, key=lengths.__getitem__)
            window = []
    assert BEGUN == expected


def test_inputs_are_read_as_they_are_needed():
    n_read = 0

    def endless():
        nonlocal n_read
        for number in count():
            n_read += 1
            yield Paragraph(f"Paragraph {number}.")

    docs = annotate(NLP, endless(), batch_size=2)
    assert [next(docs).text for _ in range(70)] == [f"Paragraph {i}." for i in range(70)]
    assert n_read < 200


@pytest.mark.parametrize("kept", [0, 2, 64, 65])
def test_a_pipeline_that_leaves_out_texts(kept):
    nlp = spacy.blank("xx")

    @spacy.Language.component("leaves_out")
    def leave_out(doc):
        if doc[0].text not in numbers:
            raise KeyError(doc[0].text)
        return doc

    nlp.add_pipe("leaves_out")
    nlp.set_error_handler(lambda *_: None)
    numbers = {str(i) for i in range(kept)}
    texts = [Paragraph(str(i)) for i in range(128)]
    with pytest.raises(ValueError, match="has left out some texts"):
        list(annotate(nlp, texts, batch_size=2))


def test_what_fails_is_tried_again_alone():
    nlp = spacy.blank("xx")
    nlp.add_pipe("fails_once_touched")
    numbers = [str(number) for number in range(70)]
    lengths = {number: 1 + int(number) % 5 for number in numbers}
    watched = []

    @contextmanager
    def watching(indices):
        watched.append(list(indices))
        if 9 in indices:
            raise OSError("not this one")
        yield

    found = dict(
        attempt_sources(
            nlp,
            numbers,
            lambda number: Doc(nlp.vocab, [number] * lengths[number]),
            batch_size=2,
            watching=watching,
        )
    )
    assert list(found) == numbers
    errors = {number: result for number, result in found.items() if isinstance(result, Exception)}
    assert {number: type(error) for number, error in errors.items()} == {
        "7": KeyError,
        "9": OSError,
    }
    assert all(found[number][0].text == number for number in numbers if number not in errors)
    batches = [indices for indices in watched if len(indices) > 1]
    assert sorted(i for batch in batches for i in batch) == list(range(70))
    failed = [batch for batch in batches if {7, 9} & {*batch}]
    assert [i for indices in watched if len(indices) == 1 for i in indices] == sum(failed, [])
