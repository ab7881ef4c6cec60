"""Tests that the checks of oracles detect a single wrong cost."""

import numpy as np
import pytest
from brute_force import ORACLES, Reachable, all_trees, reachable
from oracle_checks import (
    EXACT,
    INEXACT,
    assert_exact,
    assert_exact_with_forced_swaps,
    assert_free_transitions_lead_to_the_gold_tree,
)

from spacy_npparse.systems import get_transition_system
from spacy_npparse.transitions import ILLEGAL, Oracle
from spacy_npparse.trees import projective_order


@pytest.fixture(params=[1, -1])
def one_wrong_cost(request, monkeypatch):
    """Falsify a cost of one configuration for the gold trees whose heads add up to 3."""
    original = Reachable.costs

    def broken(self, oracle, gold, rows=None):
        costs = original(self, oracle, gold, rows)
        if sum(gold) == 3:
            legal = costs != ILLEGAL
            choices = (legal.sum(axis=1) > 1).nonzero()[0]
            row = choices[len(choices) // 3]
            costs[row, np.where(legal[row], costs[row], -1).argmax()] += request.param
        return costs

    monkeypatch.setattr(Reachable, "costs", broken)


@pytest.mark.usefixtures("one_wrong_cost")
@pytest.mark.parametrize(("name", "oracle"), EXACT)
def test_a_wrong_cost_anywhere_is_noticed(name, oracle):
    with pytest.raises(AssertionError):
        assert_exact(name, oracle, 3, all_trees(3))


@pytest.mark.usefixtures("one_wrong_cost")
def test_a_wrong_cost_with_forced_swaps_is_noticed():
    with pytest.raises(AssertionError):
        assert_exact_with_forced_swaps(3, all_trees(3), projective_order)


@pytest.mark.parametrize(("name", "oracle"), [pair for pair in ORACLES if pair not in INEXACT])
def test_a_wrong_cost_on_the_gold_derivation_is_noticed(name, oracle, monkeypatch):
    system = get_transition_system(name, single_root=False)
    trees = reachable(name, False, 4).trees
    gold = next(tree for tree in [(0, 2, 0, 2, 3), *sorted(trees)] if tree in trees)
    victim = system.initial(4)
    for transition in system.oracle(oracle, gold).derivation():
        victim = system.apply(victim, transition)
        if len(system.legal(victim)) > 1:
            break
    original = Oracle.costs

    def broken(self, configuration):
        costs = original(self, configuration)
        if configuration == victim:
            return {t: 0 if cost else 1 for t, cost in costs.items()}
        return costs

    monkeypatch.setattr(Oracle, "costs", broken)
    with pytest.raises(AssertionError):
        assert_free_transitions_lead_to_the_gold_tree(name, oracle)
