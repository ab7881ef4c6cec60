"""Checks of the guarantees of oracles by exhaustive search.

An exploring oracle of a new system must be exact in the whole system unless it is listed below.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from brute_force import EXPLORING, Heads, Reachable, all_trees, reachable

from spacy_npparse.systems import get_transition_system
from spacy_npparse.transitions import ILLEGAL

# These are exact in the restricted system, where SWAP is taken if and only if it is forced.
RESTRICTED = {("arc_hybrid_swap", "static-dynamic")}
APPROXIMATE = {
    ("arc_hybrid_swap", "static-dynamic-lazy"),
    ("nonmonotonic_covington", "dynamic"),
    ("two_planar", "dynamic"),
}
# Joint oracles are not exact, either, because their costs express preferences.
INEXACT = {*APPROXIMATE, *(pair for pair in EXPLORING if pair[1] == "joint")}
# These are exact only without the single-root precondition.
EXACT_WITH_SEVERAL_ROOTS = {("covington", "dynamic")}
# The costs depend only on these structures. With five words, one configuration for each content of
# these structures is tested with each gold tree.
DEPENDS_ON = {("arc_hybrid_swap", "dynamic"): ("stack", "buffer")}
EXACT = [pair for pair in EXPLORING if pair not in RESTRICTED | INEXACT]


def preconditions(name: str, oracle: str) -> tuple[bool, ...]:
    """Return the values of single_root for which the oracle should be exact."""
    return (False,) if (name, oracle) in EXACT_WITH_SEVERAL_ROOTS else (True, False)


def assert_exact(name: str, oracle: str, n: int, golds: Sequence[Heads]) -> None:
    structures = DEPENDS_ON.get((name, oracle), ()) if n > 4 else ()
    for single in preconditions(name, oracle):
        assert_costs_are_true(name, oracle, reachable(name, single, n), golds, structures)


def assert_costs_are_true(
    name: str,
    oracle: str,
    search: Reachable,
    golds: Sequence[Heads],
    structures: Sequence[str] = (),
) -> None:
    """Check all configurations, or, for each gold tree, one for each content of the structures."""
    losses = search.losses(golds)
    rng = np.random.default_rng(len(golds))
    for gold, loss in zip(golds, losses.T, strict=True):
        rows = search.one_for_each(structures, rng)
        wrong = search.costs(oracle, gold, rows) != search.true_costs(loss, rows)
        assert not wrong.any(), (gold, search.configurations[rows[wrong.any(axis=1).argmax()]])


def assert_exact_with_forced_swaps(
    n: int, golds: Sequence[Heads], ranks_of: Callable[[Heads], Sequence[int]], single: bool = False
) -> None:
    """Check the static-dynamic oracle in every configuration of the restricted system."""
    search = reachable("arc_hybrid_swap", single, n)
    permitted = forced_swaps(search, np.array([ranks_of(gold) for gold in golds]))
    losses, reached = search.restricted(golds, permitted)
    for number, gold in enumerate(golds):
        rows = np.flatnonzero(reached[:, number] & ~search.terminal)
        costs = search.costs("static-dynamic", gold, rows)
        true = search.true_costs(losses[:, number], rows)
        true[~permitted[rows, :, number]] = 1
        true[~search.legal[rows]] = ILLEGAL
        wrong = (costs != true).any(axis=1) | (costs.min(axis=1) != 0)
        assert not wrong.any(), (gold, search.configurations[rows[wrong.argmax()]])


def forced_swaps(search: Reachable, ranks: np.ndarray) -> np.ndarray:
    """Return the permitted transitions if SWAP is taken if and only if it is forced: bool
    [configurations, transitions, golds]. ranks: [golds, nodes] in the projective orders."""
    swap = search.system.transitions.index("SWAP")
    s0 = [c.stack[-1] if c.stack else 0 for c in search.configurations]
    b = [c.buffer[0] for c in search.configurations]
    forced = search.legal[:, swap, None] & (ranks[:, s0] > ranks[:, b]).T
    permitted = search.legal[:, :, None] & ~forced[:, None]
    permitted[:, swap] = forced
    return permitted


def assert_free_transitions_lead_to_the_gold_tree(
    name: str, oracle: str, single: bool = False
) -> None:
    """Check that all sequences of transitions of cost 0 lead to the gold tree."""
    system = get_transition_system(name, single_root=single)
    covered = reachable(name, single, 4)
    for gold in all_trees(4):
        if gold in covered.trees:
            oracle_of_gold = system.oracle(oracle, gold)
            agenda = {system.initial(4)}
            while agenda:
                c = agenda.pop()
                if system.is_terminal(c):
                    assert c.heads[1:] == gold[1:]
                costs = oracle_of_gold.costs(c)
                free = [t for t, cost in costs.items() if cost == 0]
                assert free or not costs
                agenda.update(system.apply(c, t) for t in free)
