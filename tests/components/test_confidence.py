"""Tests of the probabilities of heads and labels, and of the temperatures that calibrate them."""

from itertools import product

import numpy as np
import pytest
import spacy
import srsly
import torch
from parser_helpers import GLOBAL, SYSTEMS, one_sentence, scored_batch
from spacy.tokens import Doc
from spacy.training import Example

from spacy_npparse.parsing import Temperatures
from spacy_npparse.parsing.labelling import label_log_probabilities
from spacy_npparse.parsing.settings import DecoderSettings
from spacy_npparse.parsing.spanning_trees import SpanningTreeParts
from spacy_npparse.trees import is_tree

WORDS = ["Wir", "haben", " ", "das", "Haus", "gesehen", ".", "Ja", "!"]
STARTS = [True, False, False, False, False, False, False, True, False]
WARM = Temperatures(heads=2.5, labels=0.4)


def parse(nlp, words=WORDS, starts=STARTS):
    return nlp(Doc(nlp.vocab, words=words, sent_starts=starts))


def tree(doc):
    """Return the head of each word in a Doc of one sentence, 0 for the root."""
    return [0 if token.head.i == token.i else token.head.i + 1 for token in doc]


@pytest.mark.parametrize(
    "system, decoder",
    [
        *((system, {"beam_width": width}) for system in SYSTEMS for width in (1, 3)),
        *((system, {}) for system in GLOBAL),
    ],
)
def test_words_have_probabilities(shared, system, decoder):
    doc = parse(shared(system, **decoder, confidence=True))
    for token in doc:
        if token.is_space:
            assert token._.head_probability is None
            assert token._.label_probability is None
            assert token._.head_distribution is None
        else:
            distribution = token._.head_distribution
            assert list(distribution.values()) == sorted(distribution.values(), reverse=True)
            assert sum(distribution.values()) < 1.0 + 1e-5
            assert all(doc[head].sent == token.sent for head in distribution)
            if token.head.i in distribution:
                found = pytest.approx(token._.head_probability, abs=1e-6)
                assert distribution[token.head.i] == found
            else:
                assert min(distribution.values()) >= token._.head_probability
            assert 0.0 < token._.head_probability <= 1.0
            assert 0.0 < token._.label_probability <= 1.0
            assert (token._.label_probability == 1.0) == (token.head.i == token.i)


@pytest.mark.parametrize("system", ["mh3, exact", "mh4, exact"])
def test_confidence_of_exact_search_is_that_of_trees(make_parser, system):
    """In a sentence of two words, both heads have the probability of the tree. In sentences that
    are too long for exact search, each head has its own probability among all words."""
    nlp = make_parser(system, {"max_length": 2}, confidence=True)
    parser = nlp.get_pipe("parser")
    docs = [one_sentence(nlp, words) for words in (["Ja", "!"], ["Ja", "das", "Haus"])]
    (first, second), longer = list(nlp.pipe(docs))
    assert first._.head_probability == pytest.approx(second._.head_probability, abs=1e-6)
    scores = scored_batch(parser, docs).arcs.exp().numpy()
    for doc, of_doc in zip(docs, scores, strict=True):
        heads = [0 if token.head.i == token.i else token.head.i + 1 for token in doc]
        by_head = of_doc[range(1, len(doc) + 1), heads].tolist()
        found = [token._.head_probability for token in doc]
        assert (found == pytest.approx(by_head, abs=1e-4)) == (doc is longer)


@pytest.mark.parametrize("temperature", [1.0, 3.0])
def test_confidence_of_spanning_trees_is_their_share_of_all_trees(make_parser, temperature):
    nlp = make_parser("mst", confidence=True)
    parser = nlp.get_pipe("parser")
    parser.temperatures = Temperatures(heads=temperature)
    torch.manual_seed(0)
    torch.nn.init.normal_(parser.network.shim.net.pairs.weight)
    doc = one_sentence(nlp, ["Wir", "haben", "das", "Haus"])
    scored = scored_batch(parser, [doc])
    with torch.no_grad():
        by_pair = scored.net.score_parts(scored.rows, scored.lengths, scored.arcs)[0]
    scores = by_pair.double().numpy() / temperature
    trees = [t for t in ([0, *heads] for heads in product(range(5), repeat=4)) if is_tree(t)]
    weights = np.exp([scores[range(1, 5), t[1:]].sum() for t in trees])
    nlp(doc)
    for word, head in enumerate(tree(doc), 1):
        with_arc = sum(w for w, t in zip(weights, trees, strict=True) if t[word] == head)
        found = doc[word - 1]._.head_probability
        assert found == pytest.approx(with_arc / weights.sum(), abs=1e-5)


@pytest.mark.parametrize("system", ["arc_hybrid_swap", "one_endpoint_crossing"])
@pytest.mark.parametrize("temperatures", [Temperatures(), WARM])
def test_other_parsers_tell_the_probability_among_all_words(make_parser, system, temperatures):
    nlp = make_parser(system, confidence=True)
    parser = nlp.get_pipe("parser")
    parser.temperatures = temperatures
    doc = one_sentence(nlp, ["Wir", "haben", "das", "Haus", "gesehen"])
    nlp(doc)
    odds = np.exp(scored_batch(parser, [doc]).arcs.numpy()[0] / temperatures.heads)
    expected = odds[range(1, 6), tree(doc)] / odds[1:].sum(axis=1)
    assert [token._.head_probability for token in doc] == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("temperature", [1.0, 0.4])
def test_labels_have_the_probability_given_the_head(make_parser, temperature):
    nlp = make_parser(confidence=True)
    parser = nlp.get_pipe("parser")
    parser.temperatures = Temperatures(labels=temperature)
    doc = one_sentence(nlp, ["Wir", "haben", "das", "Haus", "gesehen"])
    nlp(doc)
    heads = np.array(tree(doc), dtype=np.int32)
    with torch.no_grad():
        scores = label_log_probabilities(scored_batch(parser, [doc]), heads) / temperature
    odds = np.exp(scores)
    labels = [parser.label_data.index(token.dep_) for token in doc if token.dep_ != "ROOT"]
    expected = odds[range(4), labels] / odds.sum(axis=1)
    found = [token._.label_probability for token in doc if token.dep_ != "ROOT"]
    assert found == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("system", ["arc_hybrid_swap", "mst", "mh4, exact"])
def test_the_heads_of_a_word_are_distributed(make_parser, system):
    """The sentences of a batch differ in length, and one is too long for exact search."""
    settings = {"max_length": 4} if system.startswith("mh") else {}
    nlp = make_parser(system, settings)
    parser = nlp.get_pipe("parser")
    parser.temperatures = WARM
    docs = [one_sentence(nlp, ["Haus"] * n) for n in (3, 6, 1, 4)]
    with torch.no_grad():
        found, *alone = (
            parser.search.head_probabilities(scored_batch(parser, some), WARM.heads)
            for some in (docs, *([doc] for doc in docs))
        )
    for doc, of_doc, expected in zip(docs, found, alone, strict=True):
        n, expected = len(doc), expected[0]
        assert of_doc[1 : n + 1].sum(axis=1) == pytest.approx(1.0, abs=1e-4)
        assert of_doc.sum() == pytest.approx(n, abs=1e-4)
        assert of_doc[: n + 1, : n + 1] == pytest.approx(expected, abs=1e-5)


def test_corrected_heads_are_learnt(make_parser):
    """A person corrects the heads of a Doc, which still contains the predicted distributions."""
    nlp = make_parser("mst", confidence=True)
    corrected = parse(nlp)
    assert corrected[4]._.head_distribution
    example = Example(Doc(nlp.vocab, words=WORDS), corrected)
    gold, _ = nlp.get_pipe("parser").label_set.gold([example])
    assert gold.targets is None


def test_another_parse_has_no_confidence_of_the_first(make_parser):
    first = make_parser("arc_hybrid_swap", beam_width=3, k_best=2, confidence=True)
    doc = parse(first)
    assert doc[0]._.head_probability and doc[0]._.head_distribution and doc._.k_best_trees
    others = {1: 2, "other": 3, ("._.",): 4, ("a", "head_probability"): 5}
    doc.user_data.update(others)
    first.get_pipe("parser").decoder = DecoderSettings()
    first(doc)
    for token in doc:
        assert token._.head_probability is None and token._.label_probability is None
        assert token._.head_distribution is None
    assert doc._.k_best_trees is None
    assert others.items() <= doc.user_data.items()


@pytest.mark.parametrize("system", ["arc_hybrid_swap", "mst", "mh4, exact"])
def test_temperatures_change_no_tree_and_are_saved(make_parser, system, tmp_path):
    nlp = make_parser(system, confidence=True)
    before = parse(nlp)
    nlp.get_pipe("parser").temperatures = WARM
    after = parse(nlp)
    assert [(t.head.i, t.dep_) for t in before] == [(t.head.i, t.dep_) for t in after]
    assert before[0]._.head_probability != after[0]._.head_probability
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    assert loaded.get_pipe("parser").temperatures == WARM
    again = parse(loaded)
    assert [t._.head_probability for t in again] == [t._.head_probability for t in after]
    assert [t._.label_probability for t in again] == [t._.label_probability for t in after]


def test_new_weights_are_not_calibrated(make_parser, sample):
    nlp = make_parser()
    nlp.get_pipe("parser").temperatures = WARM
    nlp.initialize(lambda: sample(nlp))
    assert nlp.get_pipe("parser").temperatures == Temperatures()


def test_pipelines_of_earlier_versions_are_not_calibrated(make_parser, tmp_path):
    nlp = make_parser()
    nlp.to_disk(tmp_path)
    path = tmp_path / "parser" / "cfg"
    cfg = srsly.read_json(path)
    del cfg["temperatures"]
    srsly.write_json(path, cfg)
    parser = nlp.get_pipe("parser")
    parser.temperatures = WARM
    parser.from_disk(tmp_path / "parser", exclude=["vocab"])
    assert parser.temperatures == Temperatures()


@pytest.mark.parametrize(
    "value",
    [None, {"heads": 0.0, "labels": 1.0}, {"heads": 1.0, "labels": "1"}],
)
def test_damaged_temperatures_are_refused(make_parser, tmp_path, value):
    nlp = make_parser()
    nlp.to_disk(tmp_path)
    path = tmp_path / "parser" / "cfg"
    srsly.write_json(path, {**srsly.read_json(path), "temperatures": value})
    with pytest.raises(
        ValueError, match="its cfg has wrong temperatures: .* Copy the whole folder"
    ):
        spacy.load(tmp_path)


@pytest.mark.parametrize("value", [0.0, -1.0, float("inf"), float("nan")])
def test_temperatures_are_positive(value):
    with pytest.raises(ValueError, match="the temperature of labels is .* above 0"):
        Temperatures(labels=value)


def test_marginal_probabilities_up_to_a_length(shared, monkeypatch):
    """Those of 2,000 words would take a minute. The other sentences of a batch keep theirs."""
    exact = parse(shared("mst", confidence=True))
    monkeypatch.setattr(SpanningTreeParts, "most_words", 4)
    limited = parse(shared("mst", confidence=True))
    (long_one, short_one), pairs = limited.sents, list(zip(exact, limited, strict=True))
    for before, after in pairs[short_one.start :]:
        assert before._.head_probability == after._.head_probability
    sums = [sum(token._.head_distribution.values()) for token in long_one if not token.is_space]
    assert max(sums) < 1.0 + 1e-5
    words = pairs[long_one.start : long_one.end]
    assert any(a._.head_distribution != b._.head_distribution for a, b in words)
