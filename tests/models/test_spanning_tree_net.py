"""Scores of pairs of heads and dependents for spanning trees."""

import pytest
import torch

from spacy_npparse.decoding import IMPOSSIBLE
from spacy_npparse.models.spanning_tree_net import SpanningTreeNet

LENGTHS = [5, 1, 9]


@pytest.fixture
def net(sizes):
    """Return a network with random weights."""
    torch.manual_seed(3)
    net = SpanningTreeNet(**sizes)
    torch.nn.init.normal_(net.pairs.weight)
    return net


def score(net, rows, lengths, more=0.0):
    lengths = torch.tensor(lengths)
    return net.score_parts(rows, lengths, net.score_arcs(rows, lengths) + more)


def test_sentences_do_not_look_at_each_other(net, rows):
    together = score(net, rows, LENGTHS)
    parts = rows.split([n + 1 for n in LENGTHS])
    for i, (n, part) in enumerate(zip(LENGTHS, parts, strict=True)):
        alone = score(net, part, [n])
        torch.testing.assert_close(alone[0, 1:], together[i, 1 : n + 1, : n + 1])


def test_pairs_are_scored_as_dependent_and_head(net, rows):
    scores = score(net, rows, LENGTHS)
    arcs = net.score_arcs(rows, torch.tensor(LENGTHS))
    dependent, head = torch.relu(net.dependent(rows[2])), torch.relu(net.head(rows[4]))
    pair = (
        torch.cat([dependent, torch.ones(1)])
        @ net.pairs.weight[0]
        @ torch.cat([head, torch.ones(1)])
    )
    torch.testing.assert_close(scores[0, 2, 4], pair + arcs[0, 2, 4].clamp(min=-8.0))


def test_arcs_add_their_own_score_by_their_weight(net, rows):
    net.arc_scale.data.fill_(0.5)
    more = torch.zeros(3, 10, 10)
    more[0, 3, 2] = 1.0
    changed = score(net, rows, LENGTHS, more) - score(net, rows, LENGTHS)
    torch.testing.assert_close(changed, 0.5 * more)


def test_no_word_is_its_own_head_or_hangs_on_what_is_not_there(net, rows):
    scores = score(net, rows, LENGTHS)
    for of_sentence, n in zip(scores, LENGTHS, strict=True):
        assert (of_sentence.diagonal() == IMPOSSIBLE).all()
        assert (of_sentence[1 : n + 1, n + 1 :] == IMPOSSIBLE).all()
        possible = of_sentence[1 : n + 1, : n + 1] > IMPOSSIBLE / 2
        assert possible.sum() == n * n
