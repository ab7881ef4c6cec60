"""Costs of exploring oracles, compared with the true loss, which exhaustive search finds."""

import random

import numpy as np
import pytest
from brute_force import (
    EXPLORING,
    ORACLES,
    Reachable,
    all_trees,
    partial_trees,
    random_tree,
    reachable,
    single_root,
)
from oracle_checks import (
    APPROXIMATE,
    EXACT,
    INEXACT,
    RESTRICTED,
    assert_costs_are_true,
    assert_exact,
    assert_exact_with_forced_swaps,
    assert_free_transitions_lead_to_the_gold_tree,
    preconditions,
)

from spacy_npparse.systems import arc_hybrid_swap_dynamic_oracle, get_transition_system
from spacy_npparse.transitions import Configuration
from spacy_npparse.trees import complete_heads, projective_order


@pytest.mark.parametrize(("name", "oracle"), EXACT)
@pytest.mark.parametrize("n", [1, 2, 3])
def test_costs_are_loss_differences(name, oracle, n):
    assert_exact(name, oracle, n, all_trees(n))


@pytest.mark.parametrize(("name", "oracle"), EXACT)
def test_costs_are_loss_differences_for_four_words(name, oracle):
    assert_exact(name, oracle, 4, all_trees(4))


@pytest.mark.parametrize(("name", "oracle"), EXACT)
def test_costs_are_loss_differences_for_five_words(name, oracle):
    assert_exact(name, oracle, 5, random.Random(5).sample(all_trees(5), 300))


@pytest.mark.parametrize(("name", "oracle"), EXACT)
def test_costs_are_loss_differences_at_the_end_of_longer_sentences(name, oracle):
    """The search starts from the end of random derivations, with up to eight transitions left."""
    rng = random.Random(11)
    for single in preconditions(name, oracle):
        system = get_transition_system(name, single_root=single)
        for n in (6, 8, 10, 12):
            visited = [system.initial(n)]
            while not system.is_terminal(visited[-1]):
                step = rng.choice(system.legal(visited[-1]))
                visited.append(system.apply(visited[-1], step))
            search = Reachable(system, visited[max(len(visited) - rng.randint(4, 9), 0)])
            golds = [random_tree(n, rng) for _ in range(20)]
            golds += rng.sample(sorted(search.trees), min(10, len(search.trees)))
            assert_costs_are_true(name, oracle, search, golds)


@pytest.mark.parametrize(("name", "oracle"), EXACT)
@pytest.mark.parametrize("n", [1, 2, 3])
def test_missing_heads_cost_nothing(name, oracle, n):
    assert_exact(name, oracle, n, list(partial_trees(n)))


@pytest.mark.parametrize("gold", [(0, 2, 0), (0, 0, 0), (0, -1, -1)])
@pytest.mark.parametrize("single", [True, False])
@pytest.mark.parametrize(("name", "oracle"), EXPLORING)
def test_oracles_say_whether_their_costs_are_exact(name, oracle, single, gold):
    system = get_transition_system(name, single_root=single)
    prepared = system.oracle(oracle, gold)
    prepared.costs(system.initial(2))
    exact = (name, oracle) not in APPROXIMATE and single in preconditions(name, oracle)
    if (name, oracle) in RESTRICTED and single:
        exact = single_root(complete_heads(gold))
    assert prepared.proven == exact


@pytest.mark.parametrize(
    ("name", "oracle", "single", "n"),
    [
        ("arc_hybrid_swap", "static-dynamic-lazy", True, 3),
        ("arc_hybrid_swap", "static-dynamic-lazy", False, 3),
        ("covington", "dynamic", True, 3),
        ("nonmonotonic_covington", "dynamic", True, 3),
        ("nonmonotonic_covington", "dynamic", False, 3),
        ("two_planar", "dynamic", True, 3),
        ("two_planar", "dynamic", False, 4),
    ],
)
def test_costs_that_are_not_said_to_be_exact_are_not(name, oracle, single, n):
    search = reachable(name, single, n)
    golds = [gold for gold in all_trees(n) if gold in search.trees]
    assert any(
        (search.costs(oracle, gold) != search.true_costs(loss)).any()
        for gold, loss in zip(golds, search.losses(golds).T, strict=True)
    )


@pytest.mark.parametrize(
    ("name", "n", "share"),
    [
        ("two_planar", 3, 1.0),
        ("two_planar", 4, 0.9996),
        ("nonmonotonic_covington", 3, 0.97),
        ("nonmonotonic_covington", 4, 0.93),
    ],
)
def test_approximate_costs_are_right_nearly_everywhere(name, n, share):
    search = reachable(name, False, n)
    golds = [gold for gold in all_trees(n) if gold in search.trees]
    right = [
        (search.costs("dynamic", gold) == search.true_costs(loss)).all(axis=1)[~search.terminal]
        for gold, loss in zip(golds, search.losses(golds).T, strict=True)
    ]
    assert np.mean(right) >= share


@pytest.mark.parametrize(("single", "n"), [(True, 3), (False, 4)])
@pytest.mark.parametrize("name", sorted(name for name, oracle in INEXACT if oracle == "joint"))
def test_the_joint_oracle_prefers_what_is_right_by_another_one(name, single, n):
    search = reachable(name, single, n)
    other = (name, "static-dynamic") if name == "arc_hybrid_swap" else ("arc_eager", "dynamic")
    preferred = 0
    for gold in filter(search.trees.__contains__, all_trees(n)):
        costs = search.costs("dynamic", gold)
        joint = search.costs("joint", gold)
        oracle = get_transition_system(other[0], single_root=single).oracle(other[1], gold)
        for c, c_costs, c_joint in zip(search.configurations, costs, joint, strict=True):
            free = [t for t, cost in enumerate(c_costs) if cost == 0]
            names = [search.system.transitions[t] for t in free]
            allowed = oracle.costs(c)
            kept = [t for t, name in zip(free, names, strict=True) if allowed.get(name) == 0]
            assert [t for t, cost in enumerate(c_joint) if cost == 0] == (kept or free)
            preferred += 0 < len(kept) < len(free)
    assert preferred > 0


@pytest.mark.parametrize("single", [True, False])
def test_bounds_stand_for_losses_where_the_search_is_given_up(single, monkeypatch):
    """The bounds choose the right transitions more often than the restricted oracle."""
    monkeypatch.setattr(arc_hybrid_swap_dynamic_oracle, "BUDGET", 1)
    search = reachable("arc_hybrid_swap", single, 4)
    kernel = search.system.kernel.oracle("dynamic")
    restricted = search.system.kernel.oracle("static-dynamic")
    unproven = right = right_if_restricted = 0
    golds = random.Random(5).sample(all_trees(4), 8)
    for gold, losses in zip(golds, search.losses(golds).T, strict=True):
        kernel.set_gold(gold)
        restricted.set_gold(gold)
        for row, true in enumerate(search.true_costs(losses)):
            if not search.terminal[row]:
                costs = np.array(kernel.cost_list(search.compiled[row]))
                if kernel.proven:
                    assert (costs == true).all()
                else:
                    unproven += 1
                    others = np.array(restricted.cost_list(search.compiled[row]))
                    right += ((costs == 0) == (true == 0)).all()
                    right_if_restricted += ((others == others.min()) == (true == 0)).all()
    assert unproven >= right > right_if_restricted


@pytest.mark.parametrize(
    ("name", "stack", "buffer", "gold", "costs"),
    [
        # 0 → 2 is lost already.
        ("arc_hybrid", (1, 2), (0,), (0, 2, 0), {"RIGHT-ARC": 0}),
        # SHIFT loses both 2 → 1 and 0 → 2, so it costs 2.
        ("arc_hybrid", (1,), (2, 0), (0, 2, 0), {"SHIFT": 2, "LEFT-ARC": 0}),
        # At the end, a headless word is attached to the word below it on the stack.
        ("arc_eager", (1,), (2, 0), (0, 0, 1), {"SHIFT": 0, "RIGHT-ARC": 0, "LEFT-ARC": 2}),
        # Here, 1 → 3 would be lost.
        (
            "arc_eager",
            (1,),
            (2, 3, 0),
            (0, 0, 1, 1),
            {"SHIFT": 1, "RIGHT-ARC": 0, "LEFT-ARC": 3},
        ),
    ],
)
def test_the_single_root_changes_costs(name, stack, buffer, gold, costs):
    system = get_transition_system(name, single_root=True)
    c = Configuration({"stack": stack, "buffer": buffer, "heads": (-1,) * len(gold)})
    assert system.oracle("dynamic", gold).costs(c) == costs


@pytest.mark.parametrize("single", [True, False])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_static_dynamic_costs_are_exact_with_forced_swaps(n, single):
    golds = [gold for gold in all_trees(n) if not single or single_root(gold)]
    assert_exact_with_forced_swaps(n, golds, projective_order, single)


@pytest.mark.parametrize("single", [True, False])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_static_dynamic_with_missing_heads(n, single):
    golds = [g for g in partial_trees(n) if not single or single_root(complete_heads(g))]
    assert_exact_with_forced_swaps(
        n, golds, lambda gold: projective_order(complete_heads(gold)), single
    )


def test_after_a_needless_swap_the_remaining_costs_count():
    """After the two words have changed places, SWAP is no longer necessary."""
    system = get_transition_system("arc_hybrid_swap", single_root=False)
    c = Configuration({"stack": (2,), "buffer": (1, 0), "heads": (-1, -1, -1)})
    for oracle in ("static-dynamic", "static-dynamic-lazy"):
        costs = system.oracle(oracle, (0, 0, 1)).costs(c)
        assert costs == {"SHIFT": 1, "LEFT-ARC": 0}


def forced_swap_only(system, ranks):
    """Return a function that finds the legal transitions if SWAP is taken if and only if forced."""

    def permitted(c):
        legal = system.legal(c)
        if "SWAP" in legal and ranks[c.stack[-1]] > ranks[c.buffer[0]]:
            return ("SWAP",)
        return tuple(name for name in legal if name != "SWAP")

    return permitted


def paper_costs(c, rdeps, gold, ranks, permitted):
    """Compute costs and updates of RDEPS along a derivation, as in the paper of 2017."""
    costs, updates = {}, {}
    s0 = c.stack[-1] if c.stack else None
    s1 = c.stack[-2] if len(c.stack) > 1 else None
    b = c.buffer[0]
    for transition in permitted:
        after = {h: set(ds) for h, ds in rdeps.items()}
        if transition == "SWAP":
            costs[transition] = 0
        elif transition == "SHIFT":
            if any(b < i and ranks[b] > ranks[i] for i in c.buffer[1:]):
                costs[transition] = 0
            else:
                lost = {d for d in rdeps[b] if d in c.stack}
                costs[transition] = len(lost)
                after[b] -= lost
                if gold[b] in c.stack[:-1] and b in rdeps[gold[b]]:
                    costs[transition] += 1
                    after[gold[b]].discard(b)
        else:
            head = b if transition == "LEFT-ARC" else s1
            costs[transition] = len(rdeps[s0]) + (gold[s0] != head and s0 in rdeps[gold[s0]])
            after[s0] = set()
            after[gold[s0]].discard(s0)
        updates[transition] = after
    return costs, updates


def test_rdeps_are_a_function_of_the_configuration():
    system = get_transition_system("arc_hybrid_swap", single_root=False)
    golds = [t for n in (1, 2, 3, 4) for t in all_trees(n)]
    for gold in golds + random.Random(3).sample(all_trees(5), 20):
        n = len(gold) - 1
        ranks = projective_order(gold)
        permitted = forced_swap_only(system, ranks)
        oracle = system.oracle("static-dynamic", gold)
        rdeps = {h: {d for d in range(1, n + 1) if gold[d] == h} for h in range(n + 1)}
        agenda = [(system.initial(n), rdeps)]
        seen = set()
        while agenda:
            c, rdeps = agenda.pop()
            if c in seen or system.is_terminal(c):
                continue
            seen.add(c)
            within_reach = sorted(d for dependents in rdeps.values() for d in dependents)
            assert list(oracle.reachable(c)) == within_reach, (gold, c)
            costs, updates = paper_costs(c, rdeps, gold, ranks, permitted(c))
            found = oracle.costs(c)
            assert costs == {t: found[t] for t in costs}, (gold, c)
            agenda.extend((system.apply(c, t), updates[t]) for t in costs)


@pytest.mark.parametrize(("name", "oracle"), [p for p in ORACLES if p not in INEXACT])
def test_free_transitions_lead_to_the_gold_tree(name, oracle):
    assert_free_transitions_lead_to_the_gold_tree(name, oracle)


@pytest.mark.parametrize(
    ("name", "oracle"), [p for p in EXPLORING if True in preconditions(*p) and p not in INEXACT]
)
def test_free_transitions_lead_to_a_gold_tree_with_a_single_root(name, oracle):
    assert_free_transitions_lead_to_the_gold_tree(name, oracle, single=True)


def test_the_lazy_derivation_is_among_the_cheapest_moves():
    system = get_transition_system("arc_hybrid_swap", single_root=False)
    for n in (2, 3, 4, 5):
        golds = all_trees(n) if n < 5 else random.Random(9).sample(all_trees(n), 200)
        for gold in golds:
            oracle = system.oracle("static-dynamic-lazy", gold)
            c = system.initial(n)
            for transition in oracle.derivation():
                costs = oracle.costs(c)
                assert costs[transition] == min(costs.values())
                c = system.apply(c, transition)
