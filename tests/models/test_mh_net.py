"""Scores of pairs of words, and of the derivations that the decoder finds with these scores."""

import mh_helpers
import numpy as np
import pytest
import torch

from spacy_npparse.decoding import IMPOSSIBLE, decode_mh, decode_mh_greedily
from spacy_npparse.models.mh_net import (
    N_LINKS,
    MHNet,
    MHPartScores,
)
from spacy_npparse.systems import get_transition_system

LENGTHS = [5, 1, 8]
MH4 = get_transition_system("mh4", single_root=True)


@pytest.fixture(params=[True, False])
def net(request, sizes):
    """Return a network with random weights."""
    torch.manual_seed(1)
    net = MHNet(**sizes, hybrid=request.param)
    for module in (net.shift_pairs, net.front_pairs, net.below_pairs):
        if module is not None:
            torch.nn.init.normal_(module.weight)
    return net


def score(net, rows, lengths):
    lengths = torch.tensor(lengths)
    return net.score_parts(rows, lengths, net.score_arcs(rows, lengths))


@pytest.fixture
def scored(net, rows):
    """Return a network, its scores for sentences of random vectors, and their lengths."""
    return net, score(net, rows, LENGTHS), torch.tensor(LENGTHS)


def test_sentences_do_not_look_at_each_other(net, rows):
    together = score(net, rows, LENGTHS)
    parts = rows.split([n + 1 for n in LENGTHS])
    for i, (n, part) in enumerate(zip(LENGTHS, parts, strict=True)):
        for name, alone in score(net, part, [n])._asdict().items():
            # There are no arcs to or from the end of a sentence.
            size = n + 1 if name == "arcs" else n + 2
            beside = getattr(together, name)[i, ..., :size, :size]
            torch.testing.assert_close(alone[0, ..., :size, :size], beside)


@pytest.mark.parametrize("n_heads", [3, 4])
def test_trees_are_valid_whatever_the_scores(n_heads):
    rng = np.random.default_rng(3)
    values = np.array([0.0, 1.0, np.nan, np.inf, -np.inf, 3e38, -3e38], dtype="float32")
    n, n_sentences = 7, 100
    shapes = [(n_sentences, *links, n + 2, n + 2) for links in [(), (N_LINKS,), (N_LINKS,), ()]]
    scores = MHPartScores(*(torch.from_numpy(rng.choice(values, shape)) for shape in shapes))
    lengths = np.full(n_sentences, n, dtype="int32")
    for heads in decode_mh(scores.as_arrays(), lengths, n_heads).heads.reshape(-1, n).tolist():
        assert heads.count(0) == 1
        assert not any(is_on_cycle([0, *heads], word) for word in range(1, n + 1))


def is_on_cycle(heads, word):
    above = heads[word]
    for _ in heads:
        above = heads[above]
    return above != 0


def factors_of(net, rows):
    lengths = torch.tensor(LENGTHS)
    return net.factor_parts(rows, lengths, net.score_arcs(rows, lengths))


@pytest.mark.parametrize("how", ["exact", "greedy"])
@pytest.mark.parametrize("n_heads", [3, 4])
def test_network_and_kernel_score_the_same(scored, rows, how, n_heads):
    net, scores, lengths = scored
    words = np.array(LENGTHS, dtype="int32")
    if how == "greedy":
        scores = factors_of(net, rows)
        found = decode_mh_greedily(scores.as_arrays(), words, n_heads)
    else:
        found = decode_mh(scores.as_arrays(), words, n_heads)
    by_transition = net.score_derivations(scores, lengths, found).detach()
    chosen = by_transition.gather(1, torch.from_numpy(found.transitions).long()[:, None])[:, 0]
    totals = [float(part.sum()) for part in chosen.split([2 * n for n in LENGTHS])]
    assert totals == pytest.approx(found.scores.tolist(), abs=1e-4)


@pytest.mark.parametrize("n_heads", [3, 4])
def test_factors_score_as_tables_do(scored, rows, n_heads):
    net, tables, lengths = scored
    factors = factors_of(net, rows)
    words = np.array(LENGTHS, dtype="int32")
    greedy = decode_mh_greedily(mh_helpers.factors_of(tables.as_arrays(), LENGTHS), words, n_heads)
    found = decode_mh_greedily(factors.as_arrays(), words, n_heads)
    assert (found.transitions == greedy.transitions).all() and (found.heads == greedy.heads).all()
    assert found.scores == pytest.approx(greedy.scores, abs=1e-4)
    for derivations in (greedy, decode_mh(tables.as_arrays(), words, n_heads)):
        by_tables, by_factors = (
            net.score_derivations(scores, lengths, derivations) for scores in (tables, factors)
        )
        torch.testing.assert_close(by_factors, by_tables, atol=1e-4, rtol=1e-4)


def test_illegal_transitions_score_low(scored):
    net, scores, lengths = scored
    found = decode_mh(scores.as_arrays(), np.array(LENGTHS, dtype="int32"), 4)
    by_transition = iter(net.score_derivations(scores, lengths, found))
    steps = iter(found.transitions.tolist())
    for n in LENGTHS:
        c = MH4.initial(n)
        while not MH4.is_terminal(c):
            possible = next(by_transition) > IMPOSSIBLE / 2
            names = [name for name, known in zip(MH4.transitions, possible, strict=True) if known]
            assert set(names) == set(MH4.legal(c))
            c = MH4.apply(c, MH4.transitions[next(steps)])


def test_below_is_scored_by_hybrid_features_only(scored):
    net, scores, _ = scored
    assert bool(scores.below.any()) == (net.below_pairs is not None)
