"""The tests of the oracles are worth something: they notice a single wrong cost in any of them."""

import numpy as np
import pytest
import test_dynamic_oracles as judge
from brute_force import ORACLES, Reachable, all_trees

from spacy_npparse.systems import get_transition_system
from spacy_npparse.transitions import ILLEGAL, Oracle


@pytest.mark.parametrize(("name", "oracle"), judge.EXACT)
@pytest.mark.parametrize("change", [1, -1])
def test_a_wrong_cost_anywhere_is_noticed(name, oracle, change, monkeypatch):
    original = Reachable.costs

    def broken(self, oracle, gold):
        costs = original(self, oracle, gold)
        if sum(gold) == 3:
            legal = costs != ILLEGAL
            rows = (legal.sum(axis=1) > 1).nonzero()[0]
            row = rows[len(rows) // 3]
            costs[row, np.where(legal[row], costs[row], -1).argmax()] += change
        return costs

    monkeypatch.setattr(Reachable, "costs", broken)
    with pytest.raises(AssertionError):
        judge.assert_exact(name, oracle, 3, all_trees(3))


@pytest.mark.parametrize(
    ("name", "oracle"), [pair for pair in ORACLES if pair not in judge.INEXACT]
)
def test_a_wrong_cost_on_the_gold_derivation_is_noticed(name, oracle, monkeypatch):
    system = get_transition_system(name, single_root=False)
    gold = (0, 2, 0, 2, 3)
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
        judge.test_free_transitions_lead_to_the_gold_tree(name, oracle)
