"""The base of networks that score trees by pairs of words."""

import numpy as np
import torch

from spacy_npparse.decoding import IMPOSSIBLE
from spacy_npparse.models.pair_net import Biaffine, PairNet


def test_pairs_are_scored_by_a_bilinear_form_with_bias():
    torch.manual_seed(0)
    pairs = Biaffine(n_inputs=4, n_scores=3)
    torch.nn.init.normal_(pairs.weight)
    left, right = torch.randn(2, 5, 4), torch.randn(2, 6, 4)
    one = torch.ones(1)
    with torch.no_grad():
        scores = pairs(left, right)
        for place in np.ndindex(*scores.shape):
            sentence, kind, i, j = place
            x, y = torch.cat([left[sentence, i], one]), torch.cat([right[sentence, j], one])
            torch.testing.assert_close(scores[place], x @ pairs.weight[kind] @ y)


def test_log_probabilities_of_arcs_are_clamped_and_weighed():
    net = PairNet(n_inputs=2)
    net.arc_scale.data.fill_(0.5)
    arcs = torch.tensor([-1.0, -8.0, -30.0, IMPOSSIBLE], requires_grad=True)
    weighed = net.weigh(arcs)
    assert weighed.tolist() == [-0.5, -4.0, -4.0, -4.0]
    weighed.sum().backward()
    assert arcs.grad.tolist()[::2] == [0.5, 0.0]
