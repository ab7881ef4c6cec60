"""Losses over transitions with costs, for states that an oracle judged, and over derivations."""

import torch
from torch import Tensor

from spacy_npparse.decoding import IMPOSSIBLE, Violations
from spacy_npparse.transitions import ILLEGAL


def split_by_cost(scores: Tensor, costs: Tensor) -> tuple[Tensor, Tensor]:
    """Scores of the best transitions and of all legal ones, the others set to a very low score.

    scores: [n_states, n_transitions]; costs: the same shape, ILLEGAL for illegal transitions.
    The best transitions are those of minimal cost, which is 0 whenever the oracle is exact.
    """
    legal = costs != ILLEGAL
    best = legal & (costs == costs.amin(dim=1, keepdim=True))
    return scores.masked_fill(~best, IMPOSSIBLE), scores.masked_fill(~legal, IMPOSSIBLE)


def log_likelihood_loss(scores: Tensor, costs: Tensor) -> Tensor:
    """Sum over states of -log of the probability of the best transitions together."""
    best, legal = split_by_cost(scores, costs)
    return (torch.logsumexp(legal, dim=1) - torch.logsumexp(best, dim=1)).sum()


def margin_loss(scores: Tensor, costs: Tensor) -> Tensor:
    """Sum over states of max(0, 1 - (best zero-cost score - best other legal score)).

    Source: Kiperwasser and Goldberg (2016), as used by de Lhoneux, Stymne and Nivre (2017).
    """
    best, legal = split_by_cost(scores, costs)
    others = legal.masked_fill(best > IMPOSSIBLE / 2, IMPOSSIBLE)
    return torch.relu(1.0 - best.amax(dim=1) + others.amax(dim=1)).sum()


def max_violation_loss(scores: Tensor, visited: Violations) -> Tensor:
    """Sum over sentences of max(0, margin + score of the wrong - score of the right derivation).

    scores: [n_states, n_transitions].

    Source: Huang, Fayong and Guo (2012).
    """
    transitions = torch.from_numpy(visited.transitions).to(scores.device)
    signs = torch.from_numpy(visited.signs).to(scores.device)
    _, sentence = torch.from_numpy(visited.sentence).unique(return_inverse=True)
    chosen = scores.gather(1, transitions[:, None])[:, 0] * signs
    margins = torch.from_numpy(visited.margins).to(scores.device)
    return torch.relu(margins.index_add(0, sentence.to(scores.device), chosen)).sum()


LOSSES = {"log-likelihood": log_likelihood_loss, "margin": margin_loss}
