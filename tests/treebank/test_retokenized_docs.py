"""Docs whose tokens spaCy has merged or split after they were made from a text."""

import pytest
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from spacy_npparse.treebank import DocError, character_offsets, doc_to_conllu
from spacy_npparse.treebank.docs import MULTIWORD_SPANS, TEXT_KEY

TEXT = "Jean Paul vient du train ."


@pytest.fixture
def doc():
    words = ["Jean", "Paul", "vient", "de", "le", "train", "."]
    doc = Doc(Vocab(), words=words)
    doc.user_data[TEXT_KEY] = TEXT
    doc.spans[MULTIWORD_SPANS] = [Span(doc, 3, 5, label="du")]
    return doc


def columns(doc):
    lines = [line for line in doc_to_conllu(doc).splitlines() if line and line[0] != "#"]
    return [tuple(line.split("\t")[:2]) for line in lines]


def spelt(doc):
    return [TEXT[start:end] for start, end in character_offsets(doc)]


def test_tokens_merged_before_a_multiword_token(doc):
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[0:2])
    ids = ["1", "2", "3-4", "3", "4", "5", "6"]
    forms = ["Jean Paul", "vient", "du", "de", "le", "train", "."]
    assert columns(doc) == list(zip(ids, forms, strict=True))
    assert spelt(doc) == ["Jean Paul", "vient", "du", "du", "train", "."]


def test_tokens_split_before_a_multiword_token(doc):
    with doc.retokenize() as retokenizer:
        retokenizer.split(doc[2], ["vi", "ent"], heads=[doc[1], doc[1]])
    assert columns(doc)[2:6] == [("3", "vi"), ("4", "ent"), ("5-6", "du"), ("5", "de")]
    assert spelt(doc) == ["Jean", "Paul", "vi", "ent", "du", "du", "train", "."]


@pytest.mark.parametrize("start, end", [(3, 5), (4, 6), (2, 4), (2, 6)])
def test_words_of_a_multiword_token_merged(doc, start, end):
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[start:end])
    with pytest.raises(DocError, match="nor merge words of multiword tokens"):
        doc_to_conllu(doc)
