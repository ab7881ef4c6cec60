import math

import pytest
import torch

from spacy_npparse.models.losses import log_likelihood_loss, margin_loss

SCORES = torch.tensor([[1.0, 2.0, 0.5, 9.0]])


@pytest.mark.parametrize(
    "costs, best, others",
    [
        ([0, 1, 2, -1], [1.0], [2.0, 0.5]),
        ([0, 0, 2, -1], [1.0, 2.0], [0.5]),
        ([3, 1, 1, -1], [2.0, 0.5], [1.0]),
    ],
)
def test_losses_of_one_state(costs, best, others):
    costs = torch.tensor([costs], dtype=torch.int32)
    total = sum(map(math.exp, best + others))
    likelihood = -math.log(sum(map(math.exp, best)) / total)
    assert float(log_likelihood_loss(SCORES, costs)) == pytest.approx(likelihood, rel=1e-5)
    margin = max(0.0, 1.0 - max(best) + max(others))
    assert float(margin_loss(SCORES, costs)) == pytest.approx(margin)


@pytest.mark.parametrize("loss", [log_likelihood_loss, margin_loss])
def test_nothing_to_learn_where_all_legal_transitions_are_good(loss):
    assert float(loss(SCORES, torch.tensor([[0, 0, -1, -1]], dtype=torch.int32))) == 0.0
    assert float(loss(SCORES[:0], torch.zeros(0, 4, dtype=torch.int32))) == 0.0


@pytest.mark.parametrize("loss", [log_likelihood_loss, margin_loss])
def test_gradients_are_finite_and_spare_illegal_transitions(loss):
    scores = SCORES.clone().requires_grad_()
    loss(scores, torch.tensor([[0, 1, 1, -1]], dtype=torch.int32)).backward()
    assert torch.isfinite(scores.grad).all() and scores.grad[0, 3] == 0.0
