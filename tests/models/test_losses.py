import math

import numpy as np
import pytest
import torch

from spacy_npparse.decoding import Violations
from spacy_npparse.models.losses import log_likelihood_loss, margin_loss, max_violation_loss
from spacy_npparse.transitions import ILLEGAL

SCORES = torch.tensor([[1.0, 2.0, 0.5, 9.0]])


@pytest.mark.parametrize(
    "costs, best, others",
    [
        ([0, 1, 2, ILLEGAL], [1.0], [2.0, 0.5]),
        ([0, 0, 2, ILLEGAL], [1.0, 2.0], [0.5]),
        ([3, 1, 1, ILLEGAL], [2.0, 0.5], [1.0]),
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
    assert float(loss(SCORES, torch.tensor([[0, 0, ILLEGAL, ILLEGAL]], dtype=torch.int32))) == 0.0
    assert float(loss(SCORES[:0], torch.zeros(0, 4, dtype=torch.int32))) == 0.0


@pytest.mark.parametrize("loss", [log_likelihood_loss, margin_loss])
def test_gradients_are_finite_and_spare_illegal_transitions(loss):
    scores = SCORES.clone().requires_grad_()
    loss(scores, torch.tensor([[0, 1, 1, ILLEGAL]], dtype=torch.int32)).backward()
    assert torch.isfinite(scores.grad).all() and scores.grad[0, 3] == 0.0


def violations(sentences, transitions, signs, margins):
    return Violations(
        np.zeros((len(signs), 1), dtype="int32"),
        np.zeros((len(signs), 0), dtype="int64"),
        np.array(transitions, dtype="int64"),
        np.array(signs, dtype="float32"),
        np.array(sentences, dtype="int64"),
        np.array(margins, dtype="float32"),
    )


def test_derivations_are_compared_sentence_by_sentence():
    scores = torch.tensor([[1.0, 2.0], [0.5, 4.0], [3.0, 3.0], [9.0, 0.0]], requires_grad=True)
    # Sentence 1 scores 2.0 + 0.5 - 3.0, and sentence 4 scores -9.0, below the negative margin.
    visited = violations([1, 1, 1, 4], [1, 0, 0, 0], [1, 1, -1, -1], [2.0, 1.0])
    loss = max_violation_loss(scores, visited)
    assert loss.item() == pytest.approx(1.5)
    loss.backward()
    assert scores.grad.tolist() == [[0, 1], [1, 0], [-1, 0], [0, 0]]


def test_no_derivations_to_compare():
    assert float(max_violation_loss(torch.zeros(0, 2), violations([], [], [], []))) == 0.0
