"""Lemmas of the words of multiword tokens."""

import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example

from spacy_npparse.word_forms import add_multiword_tokens

LEMMAS = ["aller", "à", "le", "train", "de", "un", "lit"]


def docs(nlp):
    words = ["va", "a", "ux", "train", "d", "uns", "lit"]
    for lemmas in (None, LEMMAS):
        doc = Doc(nlp.vocab, words, [False] * len(words), lemmas=lemmas)
        add_multiword_tokens(doc, [(1, ("à", "les")), (4, ("de", "uns"))])
        yield doc


@pytest.fixture(scope="module")
def trained():
    nlp = spacy.blank("xx")
    nlp.add_pipe("edit_tree_lemmatizer", config={"min_tree_freq": 1})
    examples = [Example(*docs(nlp)) for _ in range(10)]
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(20):
        nlp.update(examples, sgd=optimizer, drop=0.0)
    return nlp


@pytest.mark.parametrize("top_k", [1, 3, 30])
def test_the_forms_are_lemmatized(trained, top_k):
    lemmatizer = trained.get_pipe("edit_tree_lemmatizer")
    lemmatizer.top_k = top_k
    doc, gold = docs(trained)
    assert [token.lemma_ for token in trained(doc)] == LEMMAS
    assert trained.evaluate([Example(next(docs(trained)), gold)])["lemma_acc"] == 1.0
    # Of "va", of "les" and "uns", and of all others.
    assert len(lemmatizer.labels) == 3


def test_lemmas_that_are_given_stay(trained):
    doc, _ = docs(trained)
    doc[1].lemma_ = "DE"
    assert [token.lemma_ for token in trained(doc)] == ["aller", "DE", *LEMMAS[2:]]


def test_files_are_those_of_spacys_lemmatizer(trained, tmp_path):
    trained.to_disk(tmp_path)
    config = (tmp_path / "config.cfg").read_text("utf8")
    assert 'factory = "edit_tree_lemmatizer"' in config
    other = config.replace('factory = "edit_tree_lemmatizer"', 'factory = "trainable_lemmatizer"')
    (tmp_path / "config.cfg").write_text(other, "utf8")
    spacys = spacy.load(tmp_path).get_pipe("edit_tree_lemmatizer")
    assert spacys.labels == trained.get_pipe("edit_tree_lemmatizer").labels


def test_edit_trees_that_are_missing(trained, tmp_path):
    trained.to_disk(tmp_path)
    (tmp_path / "edit_tree_lemmatizer" / "trees").unlink()
    with pytest.raises(ValueError, match="labels without edit trees. Copy the whole folder"):
        spacy.load(tmp_path)
    data = trained.get_pipe("edit_tree_lemmatizer").to_bytes(exclude=["trees"])
    with pytest.raises(ValueError, match="labels without edit trees"):
        spacy.blank("xx").add_pipe("edit_tree_lemmatizer").from_bytes(data)
