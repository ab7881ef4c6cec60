"""Projective systems whose labels tell where arcs cross."""

import pytest
import spacy
from parser_helpers import TINY_ENCODER, TINY_MODEL, check_trees, example
from spacy.tokens import Doc

from spacy_npparse.transitions import is_projective
from spacy_npparse.transitions.pseudo_projective import ENCODINGS

# 4 -> 1 crosses the arc from the root to 2.
WORDS = ["Bücher", "habe", "ich", "gelesen"]
HEADS = [3, 1, 1, 1]
DEPS = ["obj", "ROOT", "nsubj", "xcomp"]


def crosses(doc):
    return not is_projective([0, *(0 if t.head.i == t.i else t.head.i + 1 for t in doc)])


@pytest.fixture
def make_trained(make_nlp, sample):
    """Makes a pipeline that has learned six non-projective trees by heart."""

    def make(encoding, system="arc_standard"):
        model = {**TINY_MODEL, "hidden_size": 64, "label_size": 64}
        model["tok2vec"] = {**TINY_ENCODER, "width": 64, "word_width": 32}
        nlp = make_nlp(system, model=model, pseudo_projective=encoding)
        examples = [eg for eg in sample(nlp, limit=60) if crosses(eg.reference)][:6]
        optimizer = nlp.initialize(lambda: examples)
        optimizer.learn_rate = 0.01
        for _ in range(80):
            nlp.update(examples, sgd=optimizer)
        return nlp, examples

    return make


@pytest.mark.parametrize("encoding", ENCODINGS)
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


@pytest.mark.parametrize("system", ["arc_eager", "arc_hybrid", "nonmonotonic_arc_eager"])
def test_other_projective_systems_take_the_setting(make_trained, system):
    nlp, examples = make_trained("head+path", system)
    assert any(
        crosses(nlp(Doc(nlp.vocab, words=[t.text for t in eg.reference]))) for eg in examples
    )


def test_without_the_setting_no_arcs_cross(make_trained):
    nlp, examples = make_trained(None)
    docs = [nlp(Doc(nlp.vocab, words=[t.text for t in eg.reference])) for eg in examples]
    assert not any(map(crosses, docs))


def test_labels_are_the_plain_ones(make_nlp):
    nlp = make_nlp("arc_hybrid", pseudo_projective="head+path")
    eg = example(nlp, WORDS, HEADS, DEPS)
    nlp.initialize(lambda: [eg])
    parser = nlp.get_pipe("parser")
    assert parser.labels == ("nsubj", "obj", "xcomp", "ROOT")
    assert parser.label_data == ["nsubj", "obj", "xcomp"]
    # obj↑xcomp, xcomp↓
    assert parser.cfg["decorated"] == [[1, 1, 2, 0], [2, 0, -1, 1]]


def test_given_labels_and_notes_that_were_not_seen(make_nlp):
    nlp = make_nlp("arc_hybrid", pseudo_projective="head")
    seen = example(nlp, WORDS, [1, 1, 1, 1], DEPS)
    new = example(nlp, WORDS, HEADS, DEPS)
    nlp.get_pipe("parser").initialize(lambda: [seen], nlp=nlp, labels=["nsubj", "obj", "xcomp"])
    parser = nlp.get_pipe("parser")
    assert parser.cfg["decorated"] == []
    gold = parser._gold([new])
    assert gold.heads.tolist() == [2, 0, 2, 2]
    assert gold.labels.tolist() == [1, -1, 0, 2]


def test_partial_gold(make_nlp):
    nlp = make_nlp("arc_hybrid", pseudo_projective="head")
    eg = example(nlp, WORDS, HEADS, DEPS)
    partial = example(nlp, WORDS, [3, 1, None, 1], ["obj", "ROOT", None, "xcomp"])
    nlp.initialize(lambda: [eg])
    gold = nlp.get_pipe("parser")._gold([partial])
    assert gold.heads.tolist() == [2, 0, -1, 2]
    assert gold.labels.tolist()[0] == 3
