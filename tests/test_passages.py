"""Passages, which end at given sentence boundaries or punctuation, and the places of words."""

import random

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example

from spacy_npparse.passages import (
    AS_GIVEN,
    AS_TEXT,
    PLACES_KEY,
    doc_passages,
    note_places,
    word_places,
)
from spacy_npparse.treebank import augmentation
from spacy_npparse.treebank.augmentation import ExcerptAugmenter, NonceAugmenter
from spacy_npparse.word_forms import add_multiword_tokens

VOCAB = spacy.blank("xx").vocab


@pytest.fixture(autouse=True)
def has_reader(monkeypatch):
    """Pretend that an encoder reads passages; otherwise, augmenters do not note places."""
    monkeypatch.setattr(augmentation, "has_reader", lambda: True)


def make_doc(text, starts=None):
    words = text.split(" ")
    return Doc(VOCAB, words=words, sent_starts=starts)


def lengths(doc, reading):
    passages = doc_passages(doc, reading)
    words = [word for passage in passages for word in passage]
    assert [word.strip(" ") for word in words] == [token._.form.strip(" ") for token in doc]
    assert all(not passage[-1].endswith(" ") or passage[-1].isspace() for passage in passages)
    return [len(passage) for passage in passages]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("a b . c d", [3, 2]),
        ('a ! ? " ) c', [5, 1]),
        (". . a .", [2, 2]),
        ("a b c", [3]),
        ("a ... b … c", [2, 2, 1]),
        ("Mr. a b.c d", [4]),
        ("क ख । ग", [3, 1]),
        ("a . \n b", [3, 1]),
    ],
)
def test_passages_of_a_text(text, expected):
    doc = make_doc(text)
    assert lengths(doc, AS_TEXT) == lengths(doc, AS_GIVEN) == expected


def test_sentences_that_are_given():
    text = "a . b c . d e"
    assert lengths(make_doc(text, [1, -1, -1, 1, -1, -1, -1]), AS_GIVEN) == [3, 4]
    assert lengths(make_doc(text, [1, 0, -1, 1, 0, 0, 0]), AS_GIVEN) == [3, 2, 2]
    assert lengths(make_doc(text, [1, -1, -1, 1, -1, -1, -1]), AS_TEXT) == [2, 3, 2]
    assert doc_passages(make_doc(text, [1, 0, -1, 1, 0, 0, 0]), AS_GIVEN)[1] == ("c ", ".")


def test_words_of_multiword_tokens_are_written_apart():
    doc = Doc(VOCAB, words=["va", "d", "u", "lit"], spaces=[True, False, True, False])
    add_multiword_tokens(doc, [(1, ("de", "le"))])
    assert doc_passages(doc, AS_TEXT) == [("va ", "de ", "le ", "lit")]


def test_nothing():
    assert doc_passages(Doc(VOCAB), AS_GIVEN) == []
    assert word_places(Doc(VOCAB)).places.shape == (0, 2, 2)


def from_place(doc, reading):
    """Return the words of a Doc as they are in their passages, with these passages."""
    passages, places = word_places(doc)
    return [(passages[number][word], passages[number]) for number, word in places[:, reading]]


def test_places_of_the_words_of_a_doc():
    doc = make_doc("a b . c d", [1, 1, -1, -1, -1])
    assert [word for word, _ in from_place(doc, AS_GIVEN)] == ["a", "b ", ". ", "c ", "d"]
    assert [passage[-1] for _, passage in from_place(doc, AS_TEXT)] == [".", ".", ".", "d", "d"]


def test_places_of_a_doc_whose_words_have_been_merged():
    doc = make_doc("a b . c d")
    doc.user_data[PLACES_KEY] = word_places(doc)
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[0:2])
    assert [word for word, _ in from_place(doc, AS_TEXT)] == ["a b ", ".", "c ", "d"]


def treebank(n):
    """Yield examples of two sentences, where each word contains the number of the example."""
    for i in range(n):
        words = [f"v{i}", f"x{i}", f"y{i}", ".", f"w{i}", f"z{i}"]
        gold = Doc(
            VOCAB,
            words=words,
            heads=[0, 0, 1, 0, 4, 4],
            deps=["ROOT", "obj", "nmod", "punct", "ROOT", "obj"],
            pos=["VERB", "NOUN", "NOUN", "PUNCT", "VERB", "NOUN"],
            sent_starts=[1, -1, -1, -1, 1, -1],
        )
        yield Example(Doc(VOCAB, words=words, sent_starts=[1, -1, -1, -1, 1, -1]), gold)


def test_words_that_are_moved_keep_their_places():
    random.seed(0)
    nonce = NonceAugmenter(probability=0.5, subtree_probability=0.5)
    excerpts = ExcerptAugmenter(3, shuffle_probability=0.5)
    moved = 0
    for example in [*treebank(20), *treebank(20)]:
        for new in (last for first in nonce(None, example) for last in excerpts(None, first)):
            for reading in (AS_GIVEN, AS_TEXT):
                found = from_place(new.predicted, reading)
                for token, (word, passage) in zip(new.predicted, found, strict=True):
                    assert word.strip() == token.text
                    number = token.text[1:]
                    if number:
                        words = "vxy" if token.text[0] in "vxy" else "wz"
                        text = " ".join(f"{word}{number}" for word in words)
                        assert "".join(passage).removesuffix(" .") == text
                numbers = {token.text[1:] for token in new.predicted} - {""}
                moved += len(numbers) > 1
    assert moved > 20


def test_a_passage_is_numbered_once():
    nonce = NonceAugmenter(probability=1.0)
    notes = [
        new.predicted.user_data[PLACES_KEY]
        for _ in range(3)
        for example in treebank(5)
        for new in nonce(None, example)
        if PLACES_KEY in new.predicted.user_data
    ]
    passages = notes[-1].passages
    assert len(passages) == len(set(passages)) == 10
    assert all(note.passages is passages and note.places.dtype == np.int64 for note in notes)


def test_places_are_not_noted_where_no_encoder_reads_passages(monkeypatch):
    monkeypatch.setattr(augmentation, "has_reader", lambda: False)
    nonce = NonceAugmenter(probability=1.0)
    found = [new.predicted for one in [*treebank(5)] * 2 for new in nonce(None, one)]
    assert not any(PLACES_KEY in doc.user_data for doc in found)


def test_copies_of_a_doc_share_its_places():
    doc = make_doc("a b . c d")
    note_places(doc, *word_places(doc))
    assert doc.copy().user_data[PLACES_KEY] is doc.user_data[PLACES_KEY]
