"""Tests of sentences that are too long for exact search, and of sentences of 1500 words."""

import numpy as np
import pytest
from parser_helpers import check_trees, one_sentence


def words(n):
    return [str(number) for number in np.random.default_rng(n).integers(0, 50, n)]


@pytest.mark.parametrize(
    "system", ["mst", "mh3, exact", "mh4, exact", "mh4", "one_endpoint_crossing", "arc_hybrid"]
)
def test_trees_of_1500_words(shared, system):
    nlp = shared(system)
    check_trees(nlp(one_sentence(nlp, words(1500))))


@pytest.mark.parametrize("system", ["mh3, exact", "mh4, exact, two", "one_endpoint_crossing"])
def test_pairs_in_too_long_sentences_are_not_scored(make_nlp, sample, system, monkeypatch):
    nlp = make_nlp(system, max_length=8, label_rules="labels")
    examples = sample(nlp, limit=200)
    nlp.initialize(lambda: examples)
    net = nlp.get_pipe("parser").model.shims[0].net
    sizes = []
    score_parts = net.score_parts

    def recorded(rows, lengths, arcs):
        sizes.extend(lengths.tolist())
        assert len(rows) == sum(lengths) + len(lengths)
        return score_parts(rows, lengths, arcs)

    monkeypatch.setattr(net, "score_parts", recorded)
    lengths = [9, 3, 8, 40, 5]
    docs = [one_sentence(nlp, words(n)) for n in lengths]
    together = [[token.head.i for token in doc] for doc in nlp.pipe(docs)]
    assert sorted(sizes) == [3, 5, 8]
    alone = [nlp(one_sentence(nlp, words(n))) for n in lengths]
    assert together == [[token.head.i for token in doc] for doc in alone]
    sizes.clear()
    by_length = sorted(examples, key=lambda eg: len(eg.reference))
    nlp.update([*by_length[:3], *by_length[-3:]])
    assert sizes == [len(eg.reference) for eg in by_length[:3]]
    assert sizes[-1] <= 8 < len(by_length[-3].reference)
