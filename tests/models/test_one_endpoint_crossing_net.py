"""Scores of pairs of words, and of the one-endpoint-crossing trees that the decoder finds."""

import numpy as np
import pytest
import torch

from spacy_npparse.decoding import decode_one_endpoint_crossing
from spacy_npparse.models.one_endpoint_crossing_net import (
    OneEndpointCrossingNet,
    OneEndpointCrossingPartScores,
)
from spacy_npparse.trees import is_tree

LENGTHS = [5, 1, 25]


@pytest.fixture
def net(sizes):
    """Return a network with random weights."""
    torch.manual_seed(3)
    net = OneEndpointCrossingNet(**sizes)
    torch.nn.init.normal_(net.pairs.weight)
    # Parts with grandparents and siblings get a bonus, so that trees contain some.
    net.pairs.weight.data[[0, 2], -1, -1] = 0.5
    return net


def score(net, rows, lengths):
    lengths = torch.tensor(lengths)
    return net.score_parts(rows, lengths, net.score_arcs(rows, lengths))


def test_sentences_do_not_look_at_each_other(net, rows):
    together = score(net, rows, LENGTHS)
    parts = rows.split([n + 1 for n in LENGTHS])
    for i, (n, part) in enumerate(zip(LENGTHS, parts, strict=True)):
        for name, alone in score(net, part, [n])._asdict().items():
            beside = getattr(together, name)[i, : n + 1, : n + 1]
            torch.testing.assert_close(alone[0], beside)


@pytest.mark.parametrize("lengths", [LENGTHS, [5, 0, 25]])
def test_network_and_kernel_score_the_same(net, rows, lengths):
    scores = score(net, rows, LENGTHS)
    found = decode_one_endpoint_crossing(scores.as_arrays(), np.array(lengths, dtype="int32"))
    assert found.crossed.any() and (found.grandparents > 0).any() and (found.siblings > 0).any()
    by_word = net.score_trees(scores, torch.tensor(lengths), found)
    totals = [float(part.detach().sum()) for part in by_word.split(lengths)]
    assert totals == pytest.approx(found.scores.tolist(), abs=1e-4)


def test_arcs_add_their_own_score(net, rows):
    lengths = torch.tensor(LENGTHS)
    arcs = net.score_arcs(rows, lengths)
    likely = arcs.clone()
    likely[0, 3, 2] += 1.0
    before, after = (net.score_parts(rows, lengths, a) for a in (arcs, likely))
    for name, changed in after._asdict().items():
        expected = getattr(before, name).clone()
        if name in ("heads", "crossed"):
            expected[0, 2, 3] += 1.0
        torch.testing.assert_close(changed, expected)


def test_trees_are_valid_whatever_the_scores():
    rng = np.random.default_rng(3)
    values = np.array([0.0, 1.0, np.nan, np.inf, -np.inf, 3e38, -3e38], dtype="float32")
    n, n_sentences = 7, 100
    shape = (n_sentences, n + 1, n + 1)
    scores = OneEndpointCrossingPartScores(
        *(torch.from_numpy(rng.choice(values, shape)) for _ in range(4))
    )
    lengths = np.full(n_sentences, n, dtype="int32")
    found = decode_one_endpoint_crossing(scores.as_arrays(), lengths)
    for heads in found.heads.reshape(-1, n).tolist():
        assert is_tree([0, *heads])
