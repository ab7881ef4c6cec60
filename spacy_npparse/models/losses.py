"""Losses of transitions given the costs of an oracle, and of whole derivations."""

import torch
from torch import Tensor

from spacy_npparse.decoding import IMPOSSIBLE, Violations
from spacy_npparse.models.upload import upload
from spacy_npparse.transitions import ILLEGAL


def split_by_cost(scores: Tensor, costs: Tensor) -> tuple[Tensor, Tensor]:
    """Mask scores by cost.

    Args:
        scores: [n_states, n_transitions], the scores of transitions.
        costs: [n_states, n_transitions], their costs, ILLEGAL for illegal ones.

    Returns:
        The scores of the transitions with minimal cost (0 if the oracle is exact), and those of all
        legal transitions. Other scores are IMPOSSIBLE.
    """
    legal = costs != ILLEGAL
    best = legal & (costs == costs.amin(dim=1, keepdim=True))
    return scores.masked_fill(~best, IMPOSSIBLE), scores.masked_fill(~legal, IMPOSSIBLE)


def log_likelihood_loss(scores: Tensor, costs: Tensor) -> Tensor:
    """Compute the negative log-likelihood of the best transitions together, summed over states.

    Args:
        scores: [n_states, n_transitions], the scores of transitions.
        costs: [n_states, n_transitions], their costs, ILLEGAL for illegal ones.

    Returns:
        A scalar.
    """
    best, legal = split_by_cost(scores, costs)
    return (torch.logsumexp(legal, dim=1) - torch.logsumexp(best, dim=1)).sum()


def margin_loss(scores: Tensor, costs: Tensor) -> Tensor:
    """Compute the hinge loss max(0, 1 - (best zero-cost score - best other legal score)), summed
    over states.

    Args:
        scores: [n_states, n_transitions], the scores of transitions.
        costs: [n_states, n_transitions], their costs, ILLEGAL for illegal ones.

    Returns:
        A scalar.

    Source: Kiperwasser and Goldberg (2016), as used by de Lhoneux, Stymne and Nivre (2017).
    """
    best, legal = split_by_cost(scores, costs)
    others = legal.masked_fill(best > IMPOSSIBLE / 2, IMPOSSIBLE)
    return torch.relu(1.0 - best.amax(dim=1) + others.amax(dim=1)).sum()


def max_violation_loss(scores: Tensor, visited: Violations) -> Tensor:
    """Compute the max-violation loss max(0, margin + score of the wrong - score of the gold
    derivation), summed over sentences.

    Args:
        scores: [n_states, n_transitions], the scores of transitions.
        visited: The derivations that are compared.

    Returns:
        A scalar.

    Source: Huang, Fayong and Guo (2012).
    """
    _, sentence = torch.from_numpy(visited.sentence).unique(return_inverse=True)
    transitions, signs, sentence, margins = (
        upload(one, scores.device)
        for one in (visited.transitions, visited.signs, sentence, visited.margins)
    )
    chosen = scores.gather(1, transitions[:, None])[:, 0] * signs
    return torch.relu(margins.index_add(0, sentence, chosen)).sum()


LOSSES = {"log-likelihood": log_likelihood_loss, "margin": margin_loss}
