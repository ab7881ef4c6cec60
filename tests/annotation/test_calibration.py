"""Tests of the probabilities of heads and labels, and of the temperatures that calibrate them."""

import numpy as np
import pytest
import spacy
from parser_helpers import SAMPLE

from spacy_npparse.annotation.calibration import GoldTrees, Predictions, read_gold
from spacy_npparse.annotation.posteriors import (
    PosteriorError,
    PredictedTree,
    encode_sentences,
    parser_of,
)
from spacy_npparse.parsing import Temperatures
from spacy_npparse.treebank import parse_sentence, read_conllu, unannotated_doc

SENTENCES = list(read_conllu(SAMPLE))[:60]


def drawn(encoded, temperatures, times):
    """Draw gold heads and labels from the parser's distributions at given temperatures. Each head
    is drawn independently, so the heads may not form a tree, which this test does not need."""
    rng = np.random.default_rng(0)
    parser = encoded.parser
    parser.temperatures, before = temperatures, parser.temperatures
    by_head, labels = encoded.heads(), encoded.labels([tree.heads for tree in encoded.trees()])
    parser.temperatures = before

    def draw(rows):
        totals = rows.sum(axis=1)
        return [rng.choice(len(r), p=r / t) if t else -1 for r, t in zip(rows, totals, strict=True)]

    for _ in range(times):
        yield GoldTrees(
            [np.array(draw(rows.astype(float)), dtype=np.int32) for rows in by_head],
            [np.array(draw(rows.astype(float)), dtype=np.int32) for rows in labels],
            [],
        )


@pytest.mark.parametrize("system, scale", [("mst", 8.0), ("mh4, exact", 5.0)])
def test_the_temperature_is_that_of_the_truth(make_parser, system, scale):
    nlp = make_parser(system)
    # Small random weights give all heads almost the same score.
    for parameter in nlp.get_pipe("parser").network.shim.net.parameters():
        parameter.data *= scale
    encoded = encode_sentences(nlp, SENTENCES)
    truth = Temperatures(heads=2.0, labels=0.5)
    found = [Predictions(encoded, gold).fit_temperatures() for gold in drawn(encoded, truth, 3)]
    assert np.mean([one.heads for one in found]) == pytest.approx(truth.heads, rel=0.1)
    assert np.mean([one.labels for one in found]) == pytest.approx(truth.labels, rel=0.2)
    assert encoded.parser.temperatures == Temperatures()


@pytest.mark.parametrize("deprel", ["_", "new"])
def test_temperatures_remain_where_nothing_tells_of_them(make_parser, deprel):
    rows = ["1\ta\t_\t_\t_\t_\t0\troot\t_\t_", f"2\tb\t_\t_\t_\t_\t1\t{deprel}\t_\t_"]
    nlp = make_parser("mst")
    parser = nlp.get_pipe("parser")
    parser.temperatures = before = Temperatures(2.0, 3.0)
    for known in (parse_sentence(rows), parse_sentence(rows[:1])):
        encoded = encode_sentences(nlp, [known])
        after = Predictions(encoded, read_gold([known], parser.label_data)).fit_temperatures()
        assert after.labels == before.labels
    assert after == before


def test_predictions_are_those_of_the_pipeline(make_parser):
    nlp = make_parser("mh4, exact", confidence=True)
    encoded = encode_sentences(nlp, SENTENCES, batch_size=7)
    labels = nlp.get_pipe("parser").label_data
    found = Predictions(encoded, read_gold(SENTENCES, labels)).reliabilities()
    heads, of_labels, arcs = [], [], []
    for sentence in SENTENCES:
        doc = nlp(unannotated_doc([sentence], nlp.vocab))
        for token, head, word in zip(doc, sentence.heads[1:], sentence.words, strict=True):
            right = (0 if token.head.i == token.i else token.head.i + 1) == head
            same = token.dep_ == ("ROOT" if head == 0 else word.deprel)
            heads.append((token._.head_probability, right))
            if head > 0 and word.deprel not in labels:
                continue
            if right and head > 0:
                of_labels.append((token._.label_probability, same))
            both = token._.head_probability * token._.label_probability
            arcs.append((both, right and same))
    for kind, expected in zip(found, (heads, of_labels, arcs), strict=True):
        assert kind.T == pytest.approx(np.array(expected, dtype=float), abs=1e-4)


def test_what_is_missing_or_unknown_is_left_out():
    lines = ["1\ta\t_\t_\t_\t_\t2\tdet\t_\t_", "2\tb\t_\t_\t_\t_\t0\troot\t_\t_"]
    lines += ["3\tc\t_\t_\t_\t_\t_\t_\t_\t_", "4\td\t_\t_\t_\t_\t2\tnew\t_\t_"]
    lines += ["5\te\t_\t_\t_\t_\t2\t_\t_\t_"]
    gold = read_gold([parse_sentence(lines)], ["nsubj", "det"])
    assert gold.heads[0].tolist() == [2, 0, -1, 2, 2]
    assert gold.labels[0].tolist() == [1, -1, -1, -1, -1]
    assert gold.unknown == ["new"]

    class Encoded:
        def trees(self):
            return [PredictedTree(np.array([2, 0, 2, 2, 1], dtype=np.int32), np.full(5, 1))]

        def heads(self):
            return [np.full((5, 6), 0.5, dtype=np.float32)]

        def labels(self, trees):
            return [np.array([[0.2, 0.8]] * 5, dtype=np.float32)]

    found = Predictions(Encoded(), gold).reliabilities()
    assert found.heads.tolist() == [[0.5] * 4, [1, 1, 1, 0]]
    assert found.labels == pytest.approx(np.array([[0.8], [1]]))
    assert found.arcs == pytest.approx(np.array([[0.4, 0.5], [1, 1]]))


def test_sentences_come_in_their_order(make_parser):
    """The order and the scores do not depend on the batch size."""
    nlp = make_parser("mst")
    expected = encode_sentences(nlp, SENTENCES[:10])
    found = encode_sentences(nlp, SENTENCES[:10], batch_size=3)
    for one, other in zip(found.heads(), expected.heads(), strict=True):
        assert one == pytest.approx(other, abs=1e-4)
    lengths = [len(sentence.words) for sentence in SENTENCES[:10]]
    assert [rows.shape for rows in found.heads()] == [(n, n + 1) for n in lengths]
    trees = [tree.heads for tree in found.trees()]
    assert [len(tree) for tree in trees] == lengths
    for tree, labels in zip(trees, found.labels(trees), strict=True):
        assert labels.sum(axis=1) == pytest.approx((tree > 0).astype(float), abs=1e-5)
    assert found.vectors() == pytest.approx(expected.vectors(), abs=1e-4)
    assert found.vectors().shape == (10, 16)


def test_pipelines_without_such_probabilities_are_refused(make_parser):
    with pytest.raises(PosteriorError, match="has 0 parsers"):
        parser_of(spacy.blank("xx"))
    nlp = make_parser("arc_standard", {"pseudo_projective": "head"})
    with pytest.raises(PosteriorError, match="parser: its probabilities are those of projective"):
        parser_of(nlp)


def test_components_that_merge_words_are_refused(make_parser):
    nlp = make_parser("mst")
    first, second = SENTENCES[0].words[:2]
    ruler = nlp.add_pipe("entity_ruler", first=True)
    ruler.add_patterns([{"label": "X", "pattern": f"{first.form} {second.form}"}])
    nlp.add_pipe("merge_entities", after="entity_ruler")
    n = len(SENTENCES[0].words)
    with pytest.raises(PosteriorError, match=f"has {n} words, but {n - 1} .* merges or splits"):
        encode_sentences(nlp, SENTENCES)
