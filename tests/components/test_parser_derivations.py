"""Tests of the derivations of predicted trees, with scores and costs."""

import math

import pytest
import spacy
from parser_helpers import GLOBAL, PARSERS, SYSTEMS, example
from spacy.tokens import Doc
from spacy.util import fix_random_seed

from spacy_npparse.systems import get_transition_system
from spacy_npparse.word_forms import add_multiword_tokens

WORDS = ["Wir", "haben", " ", "das", "Haus", "gesehen", ".", "Ja", "!"]
STARTS = [True, False, False, False, False, False, False, True, False]
# Parsers that find trees without transitions.
DIRECT = [name for name, (system, _) in GLOBAL.items() if system not in ("mh3", "mh4")]
DERIVING = [name for name in PARSERS if name not in DIRECT]


def make_doc(nlp):
    return Doc(nlp.vocab, words=WORDS, sent_starts=STARTS)


@pytest.fixture
def make_trained(make_nlp, sample):
    """Return a function that makes a pipeline with an initialized parser of random weights."""

    def make(system="arc_hybrid_swap", **config):
        nlp = make_nlp(system, **config)
        nlp.initialize(lambda: sample(nlp))
        return nlp

    return make


def trees(doc):
    """Return the words of each sentence, with their heads in the sentence and their labels."""
    found = []
    for sentence in doc.sents:
        words = [token for token in sentence if not token.is_space]
        places = {token.i: place for place, token in enumerate(words, 1)}
        heads = tuple(0 if t.head.i == t.i else places[t.head.i] for t in words)
        deps = tuple("root" if t.head.i == t.i else t.dep_ for t in words)
        found.append((tuple(t.text for t in words), heads, deps))
    return found


@pytest.mark.parametrize("parser", DERIVING)
def test_derivations_lead_to_the_trees_that_are_predicted(shared, parser, monkeypatch):
    nlp = shared(parser)
    component = nlp.get_pipe("parser")
    # In mode "trees", label rules can change the predicted tree.
    monkeypatch.setattr(component.trees, "rules", "labels")
    doc = nlp(make_doc(nlp))
    derivations = nlp.get_pipe("parser").derivations(doc)
    assert [(d.words, d.heads[1:], d.labels) for d in derivations] == trees(doc)
    for derivation in derivations:
        assert derivation.gold is None and derivation.oracle is None
        for step in derivation.steps[:-1]:
            assert step.transition in step.options
            assert all(math.isfinite(option.score) for option in step.options.values())


@pytest.mark.parametrize("system", SYSTEMS)
def test_greedy_parsers_take_what_scores_highest(shared, system):
    nlp = shared(system)
    doc = nlp(make_doc(nlp))
    (first, _) = nlp.get_pipe("parser").derivations(doc)
    assert first.search == "greedy search" and first.normalised
    assert first.system.transitions == get_transition_system(system).transitions
    for step in first.steps[:-1]:
        scores = {name: option.score for name, option in step.options.items()}
        assert scores[step.transition] == max(scores.values())


@pytest.mark.parametrize("system", ["arc_hybrid_swap", "covington", "two_planar"])
def test_beams(shared, system):
    nlp = shared(system, beam_width=4, k_best=1)
    doc = nlp(make_doc(nlp))
    derivations = nlp.get_pipe("parser").derivations(doc)
    assert [d.heads[1:] for d in derivations] == [heads for _, heads, _ in trees(doc)]
    assert {d.search for d in derivations} == {"a beam of 4"}


def test_exact_search(make_trained):
    nlp = make_trained("mh4, exact")
    first, _ = nlp.get_pipe("parser").derivations(make_doc(nlp))
    assert first.search == "exact search" and not first.normalised
    assert first.system.name == "mh4" and len(first.transitions) == 12
    nlp = make_trained("mh3, exact", max_length=3)
    first, second = nlp.get_pipe("parser").derivations(make_doc(nlp))
    assert first.search == "greedy search: the sentence exceeds max_length"
    assert second.search == "exact search, items of three heads"
    options = {name for step in first.steps for name in step.options}
    assert options <= {"SHIFT", "LEFT-ARC", "RIGHT-ARC"}


def gold_of(nlp, heads, deps):
    return Doc(nlp.vocab, words=WORDS, heads=heads, deps=deps, sent_starts=STARTS)


HEADS = [5, 5, 1, 4, 5, 5, 5, 7, 7]
DEPS = ["nsubj", "aux", "dep", "det", "obj", "ROOT", "punct", "ROOT", "punct"]


@pytest.mark.parametrize("parser", ["arc_hybrid_swap", "covington", "mh4, exact", "mh3, exact"])
def test_costs_against_gold(shared, parser):
    nlp = shared(parser)
    component = nlp.get_pipe("parser")
    first, second = component.derivations(make_doc(nlp), gold=gold_of(nlp, HEADS, DEPS))
    assert first.gold == (-1, 5, 5, 4, 5, 0, 5) and second.gold == (-1, 0, 1)
    assert first.gold_labels == ("nsubj", "aux", "det", "obj", "root", "punct")
    oracle = "static" if parser.startswith("mh") else component.settings.oracle
    assert first.oracle == oracle
    assert {option.cost for option in first.steps[0].options.values()} <= {0, 1}
    assert first.steps[0].options[first.steps[0].transition].cost == 0


def test_the_oracle_can_be_chosen(shared):
    nlp = shared()
    parser, gold = nlp.get_pipe("parser"), gold_of(nlp, HEADS, DEPS)
    first, _ = parser.derivations(make_doc(nlp), gold=gold, oracle="dynamic")
    assert first.oracle == "dynamic"
    with pytest.raises(ValueError, match="no oracle 'clever'; choose one of: static, lazy"):
        parser.derivations(make_doc(nlp), gold=gold, oracle="clever")


def test_gold_that_is_missing_or_does_not_fit(shared):
    nlp = shared()
    parser = nlp.get_pipe("parser")
    unknown = [i if 7 <= i else head for i, head in enumerate(HEADS)]
    deps = ["" if 7 <= i else dep for i, dep in enumerate(DEPS)]
    first, second = parser.derivations(make_doc(nlp), gold=gold_of(nlp, unknown, deps))
    assert first.gold is not None and second.gold is None and second.oracle is None
    with pytest.raises(ValueError, match="the gold Doc has other tokens than .*'Ja"):
        parser.derivations(make_doc(nlp), gold=Doc(nlp.vocab, words=["Ja"]))


def test_pseudo_projective_trees_are_shown_as_they_are_built(make_nlp):
    fix_random_seed(0)
    nlp = make_nlp("arc_hybrid", pseudo_projective="head")
    words, heads, deps = ["a", "b", "c", "d"], [2, 3, 2, 2], ["w", "x", "ROOT", "z"]
    eg = example(nlp, words, heads, deps)  # the arc from d to b crosses the arc from c to a
    optimizer = nlp.initialize(lambda: [eg])
    optimizer.learn_rate = 0.01
    for _ in range(60):
        nlp.update([eg], sgd=optimizer)
    doc = nlp(Doc(nlp.vocab, words=words))
    assert [token.head.i for token in doc] == heads
    (derivation,) = nlp.get_pipe("parser").derivations(doc, gold=eg.reference)
    assert derivation.heads == derivation.gold == (-1, 3, 3, 0, 3)
    assert derivation.labels == ("w", "x↑z", "root", "z") and derivation.gold_labels is None
    assert "pseudo-projective" in derivation.search
    assert all(s.options[s.transition].cost == 0 for s in derivation.steps[:-1])


def test_a_doc_without_words(shared):
    nlp = shared()
    assert nlp.get_pipe("parser").derivations(Doc(nlp.vocab, words=[])) == []
    assert nlp.get_pipe("parser").derivations(Doc(nlp.vocab, words=[" ", "\n"])) == []


@pytest.mark.parametrize("parser", DIRECT)
def test_parsers_without_transitions(shared, parser):
    nlp = shared(parser)
    with pytest.raises(ValueError, match="_parser finds trees without transitions"):
        nlp.get_pipe("parser").derivations(make_doc(nlp))


def test_shared_encoders(make_nlp, sample):
    nlp = spacy.blank("xx")
    nlp.add_pipe("tok2vec")
    listener = {"@architectures": "spacy.Tok2VecListener.v1", "width": 96}
    config = {"model": {"@architectures": "spacy_npparse.Parser.v1", "tok2vec": listener}}
    nlp.add_pipe("arc_hybrid_swap_parser", name="parser", config=config)
    nlp.initialize(lambda: sample(nlp))
    doc = nlp(make_doc(nlp))
    derivations = nlp.get_pipe("parser").derivations(doc)
    assert [d.heads[1:] for d in derivations] == [heads for _, heads, _ in trees(doc)]


def test_words_of_multiword_tokens(shared):
    nlp = shared("arc_hybrid_swap")
    doc = Doc(nlp.vocab, words=["va", "d", "u", "lit"])
    add_multiword_tokens(doc, [(1, ("de", "le"))])
    (derivation,) = nlp.get_pipe("parser").derivations(doc)
    assert list(derivation.words) == ["va", "de", "le", "lit"]
