"""Tests of pseudo-projective parsing, where the labels of projective trees encode crossing arcs."""

from typing import get_args

import pytest
import spacy
from parser_helpers import TINY_ENCODER, TINY_MODEL, check_trees, example
from spacy.tokens import Doc

from spacy_npparse.parsing.settings import Encoding
from spacy_npparse.trees import is_projective

# 4 -> 1 crosses the arc from the root to 2.
WORDS = ["Bücher", "habe", "ich", "gelesen"]
HEADS = [3, 1, 1, 1]
DEPS = ["obj", "ROOT", "nsubj", "xcomp"]


def crosses(doc):
    return not is_projective([0, *(0 if t.head.i == t.i else t.head.i + 1 for t in doc)])


@pytest.fixture
def make_trained(make_nlp, sample):
    """Return a function that trains a pipeline until it has memorized non-projective trees."""

    def make(encoding, system="arc_standard"):
        model = {**TINY_MODEL, "hidden_size": 64, "label_size": 64}
        model["tok2vec"] = {**TINY_ENCODER, "width": 64, "word_width": 32}
        nlp = make_nlp(system, model=model, pseudo_projective=encoding)
        examples = [eg for eg in sample(nlp, limit=60) if crosses(eg.reference)][:4]
        optimizer = nlp.initialize(lambda: examples)
        optimizer.learn_rate = 0.01
        for _ in range(80):
            losses = nlp.update(examples, sgd=optimizer)
            if losses["parser"] < 0.5 and nlp.evaluate(examples)["dep_las"] == 1.0:
                break
        return nlp, examples

    return make


@pytest.mark.parametrize("encoding", get_args(Encoding))
def test_crossing_arcs_are_learned_by_heart(make_trained, encoding, tmp_path):
    nlp, examples = make_trained(encoding)
    scores = nlp.evaluate(examples)
    assert scores["dep_las"] > 0.99
    plain = {token.dep_ for eg in examples for token in eg.reference}
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    for eg in examples:
        doc = loaded(Doc(loaded.vocab, words=[t.text for t in eg.reference]))
        check_trees(doc)
        assert crosses(doc) or not crosses(eg.reference)
        assert {token.dep_ for token in doc} <= plain


@pytest.mark.parametrize("system", ["arc_eager", "nonmonotonic_arc_eager"])
def test_other_projective_systems_take_the_setting(make_trained, system):
    nlp, examples = make_trained("head+path", system)
    assert any(
        crosses(nlp(Doc(nlp.vocab, words=[t.text for t in eg.reference]))) for eg in examples
    )


def test_without_the_setting_no_arcs_cross(shared, sample):
    nlp = shared("arc_standard")
    assert not any(crosses(doc) for doc in nlp.pipe(eg.predicted for eg in sample(nlp, limit=60)))


def test_labels_are_the_plain_ones(make_nlp):
    nlp = make_nlp("arc_hybrid", pseudo_projective="head+path")
    eg = example(nlp, WORDS, HEADS, DEPS)
    nlp.initialize(lambda: [eg])
    parser = nlp.get_pipe("parser")
    assert parser.labels == ("nsubj", "obj", "xcomp", "ROOT")
    assert parser.label_data == ["nsubj", "obj", "xcomp"]
    # obj↑xcomp, xcomp↓
    assert parser.label_set.decorated == [(1, True, 2, False), (2, False, -1, True)]


def test_given_labels_and_notes_that_were_not_seen(make_nlp):
    nlp = make_nlp("arc_hybrid", pseudo_projective="head")
    seen = example(nlp, WORDS, [1, 1, 1, 1], DEPS)
    new = example(nlp, WORDS, HEADS, DEPS)
    nlp.get_pipe("parser").initialize(lambda: [seen], nlp=nlp, labels=["nsubj", "obj", "xcomp"])
    parser = nlp.get_pipe("parser")
    assert parser.label_set.decorated == []
    gold = parser.label_set.gold([new])[0]
    assert gold.heads.tolist() == [2, 0, 2, 2]
    assert gold.labels.tolist() == [1, -1, 0, 2]


def test_partial_gold(make_nlp):
    nlp = make_nlp("arc_hybrid", pseudo_projective="head")
    eg = example(nlp, WORDS, HEADS, DEPS)
    partial = example(nlp, WORDS, [3, 1, None, 1], ["obj", "ROOT", None, "xcomp"])
    nlp.initialize(lambda: [eg])
    gold = nlp.get_pipe("parser").label_set.gold([partial])[0]
    assert gold.heads.tolist() == [2, 0, -1, 2]
    assert gold.labels.tolist()[0] == 3


def test_nothing_is_known_of_words_lifted_past_missing_heads(make_nlp):
    nlp = make_nlp("arc_hybrid", pseudo_projective="head")
    words = ["a", "b", "c", "d"]
    # The whole tree is 3 -> 1, 1 -> 2, 2 -> 4 with the root 3. Without the head of b, it is
    # unknown how far d must be lifted.
    whole = example(nlp, words, [2, 0, 2, 1], ["x", "y", "ROOT", "z"])
    partial = example(nlp, words, [2, None, 2, 1], ["x", None, "ROOT", "z"])
    nlp.initialize(lambda: [whole])
    labels = nlp.get_pipe("parser").label_set
    assert labels.gold([whole])[0].heads.tolist() == [3, 1, 0, 3]
    assert labels.gold([partial])[0].heads.tolist() == [3, -1, 0, -1]


def test_nothing_is_lifted_to_the_root(make_nlp):
    """A word would lose its label. Only a sentence with several roots needs such a lift."""
    nlp = make_nlp("arc_hybrid", pseudo_projective="head")
    eg = example(nlp, ["a", "b", "c"], [0, 1, 0], ["ROOT", "ROOT", "x"])
    nlp.initialize(lambda: [eg])
    parser = nlp.get_pipe("parser")
    assert parser.label_set.gold([eg])[0].heads.tolist() == [0, 0, -1]
    assert parser.label_set.decorated == []


def test_a_model_keeps_its_encoding(make_nlp, sample, tmp_path):
    nlp = make_nlp("arc_standard", pseudo_projective="head")
    nlp.initialize(lambda: sample(nlp))
    nlp.to_disk(tmp_path)
    again = make_nlp("arc_standard", pseudo_projective="head").from_bytes(nlp.to_bytes())
    labels, expected = (one.get_pipe("parser").label_set for one in (again, nlp))
    assert (labels.plain, labels.decorated) == (expected.plain, expected.decorated)
    for other in (None, "path"):
        with pytest.raises(ValueError, match="trained with pseudo_projective = 'head' and cannot"):
            spacy.load(tmp_path, config={"components.parser.pseudo_projective": other})


def test_trees_that_become_the_same_are_one(make_nlp, sample):
    decoder = {"beam_width": 16, "k_best": 16}
    nlp = make_nlp("arc_standard", pseudo_projective="head", decoder=decoder)
    nlp.initialize(lambda: sample(nlp, limit=100))
    for eg in sample(nlp, limit=40):
        for trees in nlp(eg.predicted)._.k_best_trees:
            assert len({(*tree["heads"], *tree["deps"]) for tree in trees}) == len(trees)
