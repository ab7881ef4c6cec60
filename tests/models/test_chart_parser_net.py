"""Scores of pairs of words, and of the derivations that a chart finds with them."""

import numpy
import pytest
import torch

from spacy_npparse.decoding import decode_chart
from spacy_npparse.models.chart_parser_net import ChartParserNet, chart_scores
from spacy_npparse.models.losses import IMPOSSIBLE
from spacy_npparse.transitions import get_transition_system

LENGTHS = [5, 1, 8]
MH4 = get_transition_system("mh4", single_root=True)


@pytest.fixture(params=[True, False])
def scored(request):
    """A network, and the scores that it gives to three sentences of random vectors."""
    torch.manual_seed(1)
    sizes = dict(n_inputs=10, n_labels=3, hidden_size=8, arc_size=6, label_size=5, dropout=0.0)
    net = ChartParserNet(**sizes, hybrid=request.param)
    for module in (net.shift_pairs, net.front_pairs, net.below_pairs):
        if module is not None:
            torch.nn.init.normal_(module.weight)
    lengths = torch.tensor(LENGTHS)
    rows = torch.randn(sum(LENGTHS) + len(LENGTHS), 10)
    arcs = net.score_arcs(rows, lengths)
    return net, net.score_pairs(rows, lengths, arcs), lengths


@pytest.mark.parametrize("max_length", [0, 5, 10])
@pytest.mark.parametrize("n_heads", [3, 4])
def test_network_and_kernel_score_the_same(scored, max_length, n_heads):
    net, scores, lengths = scored
    words = numpy.array(LENGTHS, dtype="int32")
    found = decode_chart(chart_scores(scores), words, n_heads, max_length=max_length)
    by_transition = net.score_derivations(scores, lengths, found).detach()
    chosen = by_transition.gather(1, torch.from_numpy(found.transitions).long()[:, None])[:, 0]
    totals = [float(part.sum()) for part in chosen.split([2 * n for n in LENGTHS])]
    assert totals == pytest.approx(found.scores.tolist(), abs=1e-4)


def test_illegal_transitions_score_low(scored):
    net, scores, lengths = scored
    found = decode_chart(chart_scores(scores), numpy.array(LENGTHS, dtype="int32"), 4)
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
