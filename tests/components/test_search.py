"""Tests of exact search, beam search and k-best trees."""

import math
from itertools import product
from unittest import mock

import numpy as np
import pytest
import spacy
import torch
from parser_helpers import SYSTEMS, check_trees, one_sentence, scored_batch
from spacy.strings import StringStore
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_npparse.components.docs import read_tokens, tree_parses, with_ranked
from spacy_npparse.decoding import BeamResult
from spacy_npparse.parsing import (
    ExactSearch,
    ScoredBatch,
    SentenceBatch,
    SpanningTreeParts,
    transitions,
)
from spacy_npparse.parsing.settings import DecoderSettings, ExplorationSettings, TransitionSettings
from spacy_npparse.systems import get_transition_system
from spacy_npparse.treebank.given_sentences import sentences_were_given
from spacy_npparse.trees import is_tree

WORDS = ["Wir", "haben", " ", "das", "Haus", "gesehen", ".", "Ja", "!"]
STARTS = [True, False, False, False, False, False, False, True, False]


def parse(nlp, words=WORDS, starts=STARTS):
    return nlp(Doc(nlp.vocab, words=words, sent_starts=starts))


def test_spanning_trees_are_the_best_of_all_by_their_pairs(make_parser):
    nlp = make_parser("mst")
    parser = nlp.get_pipe("parser")
    torch.manual_seed(0)
    torch.nn.init.normal_(parser.network.shim.net.pairs.weight)
    words = ["Wir", "haben", "das", "Haus"]
    scored = scored_batch(parser, [one_sentence(nlp, words)])
    with torch.no_grad():
        scores = scored.net.score_parts(scored.rows, scored.lengths, scored.arcs)[0]
    trees = [[0, *heads] for heads in product(range(5), repeat=4)]
    best = max(filter(is_tree, trees), key=lambda t: sum(scores[d, t[d]] for d in range(1, 5)))
    doc = nlp(one_sentence(nlp, words))
    found = [0 if t.head.i == t.i else t.head.i + 1 for t in doc]
    assert found == best[1:]


def test_a_search_that_is_replaced_is_used_for_prediction(make_parser):
    class Chains(SpanningTreeParts):
        """The only tree in which each word is the head of the next one."""

        def best(self, scores, lengths):
            return np.concatenate([np.arange(n, dtype=np.int32) for n in lengths])

    nlp = make_parser("mst", {"label_rules": "off"})
    parser = nlp.get_pipe("parser")
    parser.search = ExactSearch(Chains(), "margin", parser.decoder)
    assert [token.head.i for token in nlp(one_sentence(nlp, WORDS[3:7]))] == [0, 0, 1, 2]


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_best_trees_come_in_their_order(shared, system):
    doc = parse(shared(system, beam_width=6, k_best=3))
    assert len(doc._.k_best_trees) == 2
    for sentence, trees in zip(doc.sents, doc._.k_best_trees, strict=True):
        assert trees[0]["heads"] == [token.head.i for token in sentence]
        assert trees[0]["deps"] == [token.dep_ for token in sentence]
        scores = [tree["score"] for tree in trees]
        assert scores == sorted(scores, reverse=True)
        assert sum(map(math.exp, scores)) <= 1.0 + 1e-6
        assert len({tuple(tree["heads"]) for tree in trees}) == len(trees)
        for tree in trees:
            starts = [i == 0 for i in range(len(sentence))]
            heads = [head - sentence.start for head in tree["heads"]]
            words = [token.text for token in sentence]
            check_trees(
                Doc(doc.vocab, words=words, heads=heads, deps=tree["deps"], sent_starts=starts)
            )
    # Either of the two words of the second sentence can be the root.
    assert len(doc._.k_best_trees[1]) == 2


def test_nothing_is_written_unless_asked_for(shared):
    doc = parse(shared(beam_width=2))
    assert doc._.k_best_trees is None
    assert doc[0]._.head_probability is None
    # user_data only says whether the sentences were given, which the scorer needs.
    assert {key[1] for key in doc.user_data} <= {"spacy_npparse.given_sentences"}


def test_parsed_docs_are_joined_without_a_warning(shared, recwarn):
    docs = [parse(shared()), parse(shared(), ["Ja"], [True])]
    recwarn.clear()
    joined = Doc.from_docs(docs)
    assert not recwarn.list and len(list(joined.sents)) == 3
    assert sentences_were_given(joined)
    # Of the second Doc, the parser found the sentences.
    found = Doc.from_docs([docs[0], parse(shared(), ["Ja", "nein"], None)])
    assert not sentences_were_given(found)


def test_docs_with_probabilities_are_joined_without_a_warning(shared, recwarn):
    docs = [parse(shared(confidence=True)) for _ in range(2)]
    expected = [[token._.head_distribution for token in doc] for doc in docs]
    recwarn.clear()
    joined = Doc.from_docs(docs)
    assert not recwarn.list
    n_words = len(docs[0])
    moved = [one and {head + n_words: p for head, p in one.items()} for one in expected[1]]
    assert [token._.head_distribution for token in joined] == [*expected[0], *moved]


@pytest.mark.parametrize("words", [[], [" "], ["a"]])
def test_docs_with_next_to_nothing(shared, words):
    nlp = shared(beam_width=2, k_best=2, confidence=True)
    doc = parse(nlp, words, [True] * len(words))
    assert [len(trees) for trees in doc._.k_best_trees] == [1] * words.count("a")


def test_settings_hold_after_loading_and_in_other_processes(make_parser, tmp_path):
    nlp = make_parser(beam_width=4, k_best=2, confidence=True)
    expected = parse(nlp)
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    docs = [Doc(loaded.vocab, words=WORDS, sent_starts=STARTS) for _ in range(4)]
    for doc in loaded.pipe(docs, n_process=2, batch_size=2):
        # The last digits of scores depend on the rest of the batch.
        for found, trees in zip(doc._.k_best_trees, expected._.k_best_trees, strict=True):
            for tree, other in zip(found, trees, strict=True):
                assert tree == {**other, "score": pytest.approx(other["score"])}
        assert doc[3]._.head_probability == pytest.approx(expected[3]._.head_probability)


def test_no_notes_on_labels_of_further_trees(make_parser, sample):
    settings = {"pseudo_projective": "head+path"}
    nlp = make_parser("arc_standard", settings, beam_width=8, k_best=8)
    plain = {*nlp.get_pipe("parser").labels, "dep"}
    for eg in sample(nlp):
        doc = nlp(eg.predicted)
        assert {dep for trees in doc._.k_best_trees for tree in trees for dep in tree["deps"]} <= (
            plain
        )


def test_trees_that_become_one_are_told_once():
    """Different pseudo-projective trees can be decoded to the same tree."""
    strings = StringStore(["det", "ROOT"])
    doc = Doc(Vocab(strings=strings), words=["a", "b"])
    tokens = read_tokens([doc])
    labels = np.array([strings["det"], strings["ROOT"]], dtype=np.uint64)
    trees = [(np.array(heads, dtype=np.int32), labels) for heads in ([2, 0], [2, 0], [0, 1])]
    scores = np.array([[-1.0], [-2.0], [-3.0]])
    sentences = tokens.sentences()
    ranks = [tree_parses(tokens, sentences, *tree, strings) for tree in trees]
    (result,) = with_ranked(ranks[0], tokens, sentences, ranks, scores, strings)
    assert [tree["score"] for tree in result.ranked[0]] == [-1.0, -3.0]


def test_trees_of_a_beam(monkeypatch):
    """The first sentence has two trees, one with several derivations; the second has one tree."""
    beam = BeamResult(
        np.array([[0, 1, 0], [2, 0, -1], [-1, -1, -1]], dtype=np.int32),
        np.array([[*np.log([0.4, 0.3]), -np.inf], [np.log(0.5), -np.inf, -np.inf]]).T,
        np.array([[*np.log([0.4, 0.5]), -np.inf], [np.log(0.5), -np.inf, -np.inf]]).T,
    )
    monkeypatch.setattr(transitions, "decode_beam", lambda *_: beam)
    sentences = SentenceBatch(np.arange(3), np.array([2, 1], dtype=np.int32), 3)
    system = get_transition_system("arc_standard")
    decoder = DecoderSettings(beam_width=3, k_best=3)
    settings = TransitionSettings("static", "margin", ExplorationSettings(), decoder)
    scored = ScoredBatch(mock.MagicMock(), sentences, None, None)
    found = transitions.TransitionSearch(system, settings).best(scored)
    assert found.heads.tolist() == [[2, 0, 0], [0, 1, -1], [-1, -1, -1]]
    assert np.exp(found.scores) == pytest.approx(np.array([[0.5, 0.5], [0.4, 0], [0, 0]]))


def test_derivations_are_scored_as_they_were_trained(make_parser, sample, tmp_path):
    nlp = make_parser(beam_width=2, k_best=2)
    nlp.to_disk(tmp_path)
    override = {"components.parser.loss": "max-violation"}
    loaded = spacy.load(tmp_path, config=override)
    assert parse(loaded)._.k_best_trees == parse(nlp)._.k_best_trees
    loaded.update(sample(loaded), sgd=loaded.create_optimizer())
    assert not loaded.get_pipe("parser").network.shim.net.progress.normalised
