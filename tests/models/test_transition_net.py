"""The scores of the network in Python and in the compiled decoder."""

import numpy as np
import pytest
import torch

from spacy_npparse.decoding import roll_out
from spacy_npparse.models.transition_net import TransitionNet
from spacy_npparse.systems import transition_systems

LENGTHS = torch.tensor([3, 1, 5])
HEADS = torch.tensor([2, 0, 2, 0, 0, 1, 5, 1, 1])


@pytest.fixture
def net():
    torch.manual_seed(0)
    sizes = dict(n_positions=5, n_candidate_arcs=4, n_transitions=4, n_labels=3)
    hidden = dict(hidden_size=16, arc_size=8, label_size=8)
    return TransitionNet(n_inputs=10, dropout=0.0, finds_sentences=False, **sizes, **hidden)


def test_arc_scores_are_log_probabilities_of_the_other_words_and_the_root(net, rows):
    probabilities = net.score_arcs(rows, LENGTHS).exp()
    for of_sentence, n in zip(probabilities, LENGTHS.tolist(), strict=True):
        of_words = of_sentence[1 : n + 1]
        assert torch.allclose(of_words.sum(dim=1), torch.ones(n))
        assert (of_words[:, n + 1 :] == 0.0).all()
        assert (of_sentence.diagonal() == 0.0).all()


def test_arc_scores_of_a_sentence_do_not_depend_on_its_neighbours(net, rows):
    together = net.score_arcs(rows, LENGTHS)
    alone = net.score_arcs(rows[4:6], LENGTHS[1:2])
    assert torch.allclose(together[1, :2, :2], alone[0], atol=1e-6)


@pytest.mark.parametrize("n", [50, 1200])
def test_words_prefer_heads_by_side_and_distance(net, n):
    """The distances of a long sentence are looked up in pieces."""
    net.double()
    torch.nn.init.normal_(net.arc_distance.weight)
    torch.nn.init.normal_(net.arc_distance.bias)
    # All words and the root have the same vector.
    rows = torch.randn(1, 10, dtype=torch.double).expand(n + 1, -1)
    scores = net.score_arcs(rows, torch.tensor([n]))[0, 1:]
    preferred = net.arc_distance(torch.relu(net.arc_dependent(rows[0])))
    shortest = torch.tensor([1, 2, 3, 4, 5, 6, 8, 11, 16, 24, 41])
    places = torch.arange(n + 1)
    distances = places - places[1:, None]
    kinds = (distances.abs()[:, :, None] >= shortest).sum(dim=2) + 11 * (distances > 0)
    kinds[:, 0] = 0
    others = distances != 0
    expected = preferred[kinds].masked_fill(~others, -torch.inf).log_softmax(dim=1)
    gradients = []
    for one in (scores, expected):
        torch.testing.assert_close(one[others], expected[others])
        loss = one[others].square().mean()
        gradients += torch.autograd.grad(loss, net.arc_distance.weight, retain_graph=True)
    torch.testing.assert_close(*gradients)


def test_head_selection_loss_is_the_cross_entropy_of_weighted_heads(net, rows):
    arcs = net.score_arcs(rows, LENGTHS)
    expected = -(0.75 * arcs[0, 1, 2] + 0.25 * arcs[0, 1, 0] + arcs[0, 3, 2] + arcs[2, 2, 1])
    heads, weights = torch.zeros(9, 2, dtype=torch.long), torch.zeros(9, 2)
    heads[:, 0] = torch.tensor([2, 0, 2, 0, 0, 1, 0, 0, 0])
    weights[[0, 2, 5]] = torch.tensor([[0.75, 0.25], [1.0, 0.0], [1.0, 0.0]])
    loss = net.head_selection_loss(arcs, LENGTHS, heads.numpy(), weights.numpy())
    assert torch.allclose(loss, expected)


def test_states_are_scored_as_the_kernel_scores_them(net, rows):
    system = transition_systems.get("arc_hybrid_swap")()
    table, arcs = net.project(rows), net.score_arcs(rows, LENGTHS)
    tables = net.tables(table, arcs)
    heads = HEADS.numpy().astype(np.int32)
    lengths = LENGTHS.numpy().astype(np.int32)
    visited = roll_out(system, "static-dynamic", tables, lengths, heads, None, 0)
    scores = net.score(table, arcs, visited).detach().numpy()
    for i, (places, cells) in enumerate(zip(visited.states, visited.arcs, strict=True)):
        hidden = sum(tables.words[row, p] for p, row in enumerate(places))
        for cell, weights in zip(cells, tables.arc_weights, strict=True):
            hidden = hidden + (tables.arcs.flat[cell] * weights if cell >= 0 else 0.0)
        expected = tables.output_weights @ np.maximum(hidden, 0.0) + tables.output_bias
        assert scores[i] == pytest.approx(expected, abs=1e-5)
    assert (visited.arcs >= 0).any() and (visited.arcs == -1).any()
