"""Compare roll-outs that an oracle guides with a slow roll-out in Python."""

import numpy as np
import pytest
from brute_force import is_covered, random_trees
from score_tables import SYSTEMS, features_and_scores, random_tables

from spacy_npparse.decoding import Exploration, roll_out
from spacy_npparse.systems import get_transition_system
from spacy_npparse.transitions import ILLEGAL, UncoveredTree

ORACLES = [(name, oracle) for name in SYSTEMS for oracle in get_transition_system(name).oracles]
REORDERING = {"SWAP"}


def run(system, oracle, tables, trees, exploration, seed=1):
    lengths = np.array([len(heads) - 1 for heads in trees], dtype=np.int32)
    heads = np.array([h for tree in trees for h in tree[1:]], dtype=np.int32)
    return roll_out(system.kernel, oracle, tables, lengths, heads, exploration, seed)


def splitmix64(state):
    while True:
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        z = state
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
        yield ((z ^ (z >> 31)) >> 11) / 2**53


def slow_roll_out(system, oracle_name, tables, trees, exploration, seed):
    """Return states, arcs and costs as lists, and the number of wrong transitions taken."""
    randoms = splitmix64(seed)
    states, arcs, costs_seen, errors = [], [], [], 0
    root_row = 0
    for sentence, gold in enumerate(trees):
        oracle = system.oracle(oracle_name, gold)
        if system.single_root and not oracle.honours_single_root:
            training = get_transition_system(system.name, single_root=False)
            oracle = training.oracle(oracle_name, gold)
        else:
            training = system
        c = training.initial(len(gold) - 1)
        while not training.is_terminal(c):
            costs = oracle.costs(c)
            rows, arc_indices, values = features_and_scores(training, tables, c, sentence, root_row)
            by_name = dict(zip(training.transitions, values, strict=True))
            least = min(costs.values())
            if not oracle.explores:
                by_name = dict.fromkeys(by_name, 0.0)
            good = max((t for t in costs if costs[t] == least), key=by_name.get)
            wrong = max((t for t in costs if costs[t] > least), key=by_name.get, default=None)
            follow = good
            if oracle.postpones:
                costs_of_rules = training.oracle(training.oracles[0], gold).costs(c)
                follow = min(costs_of_rules, key=costs_of_rules.get)
                others = [t for t in costs if costs[t] == costs[follow] and t != follow]
                if next(randoms) < (exploration.postponement if exploration else 0.0) and others:
                    follow = others[0]
            attached = training.dependent(c, follow)
            supplied = not oracle.explores and attached is not None and gold[attached] == -1
            if wrong is not None and not supplied:
                states.append(rows)
                arcs.append(arc_indices)
                costs_seen.append([costs.get(t, ILLEGAL) for t in training.transitions])
                may_err = oracle.explores_reordering or not {good, wrong} & REORDERING
                if oracle.explores and exploration and may_err:
                    lead = by_name[good] - by_name[wrong]
                    if lead < 0 and exploration.follow_preferred_errors:
                        follow = wrong
                    elif lead <= exploration.margin and next(randoms) < exploration.probability:
                        follow = wrong
            errors += follow is wrong
            c = training.apply(c, follow)
        root_row += len(gold)
    return states, arcs, costs_seen, errors


EXPLORATIONS = [
    None,
    Exploration(),
    Exploration(probability=0.5, margin=3.0, follow_preferred_errors=False, postponement=0.1),
    Exploration(probability=0.0),
]


@pytest.mark.parametrize("exploration", EXPLORATIONS)
@pytest.mark.parametrize("single", [True, False])
@pytest.mark.parametrize(("name", "oracle"), ORACLES)
def test_same_states_and_costs_as_the_slow_roll_out(name, oracle, single, exploration):
    system = get_transition_system(name, single_root=single)
    explores = system.oracle(oracle, (0, 0)).explores
    trees = random_trees(12, 4, covered_by=None if explores else (system, oracle))
    trees[0] = [0, 0, 0] if not single else [0, 0, 1]
    trees.append([0])
    for tree in trees[1:-1:3]:
        tree[len(tree) // 2] = -1
    trees = [tree for tree in trees if explores or is_covered(system, oracle, tree)]
    tables = random_tables(system, [len(tree) - 1 for tree in trees], seed=2)
    result = run(system, oracle, tables, trees, exploration)
    states, arcs, costs, errors = slow_roll_out(system, oracle, tables, trees, exploration, 1)
    assert result.states.tolist() == states
    assert result.arcs.tolist() == arcs
    assert result.costs.tolist() == costs
    assert result.states.dtype == result.costs.dtype == np.int32
    may_err = explores and exploration is not None and exploration != Exploration(probability=0.0)
    assert (errors > 0) == may_err or exploration == Exploration(probability=0.0)


@pytest.mark.parametrize(("name", "oracle"), ORACLES)
def test_without_exploration_the_gold_tree_is_followed(name, oracle):
    """Each recorded state is on a derivation and has a transition of cost 0."""
    system = get_transition_system(name)
    if oracle == "static-dynamic-lazy":
        pytest.skip("its least cost is not always 0")
    for gold in random_trees(20, 8):
        try:
            length = len(system.oracle(oracle, gold).derivation())
        except UncoveredTree:
            continue
        result = run(system, oracle, random_tables(system, [len(gold) - 1]), [gold], None)
        assert len(result.states) <= system.max_length(len(gold) - 1)
        if not system.oracle(oracle, gold).explores:
            assert len(result.states) <= length
        assert (result.costs.min(axis=1) == 0).all()
        legal = np.where(result.costs == ILLEGAL, 0, result.costs)
        assert (legal.max(axis=1) > 0).all()


def test_the_seed_decides():
    system = get_transition_system("arc_hybrid_swap")
    trees = random_trees(30, 6)
    tables = random_tables(system, [len(tree) - 1 for tree in trees], hidden=2)
    policy = Exploration(probability=0.5, margin=100.0, follow_preferred_errors=False)
    first, again, other = (
        run(system, "static-dynamic", tables, trees, policy, seed) for seed in (1, 1, 2)
    )
    assert np.array_equal(first.states, again.states) and np.array_equal(first.costs, again.costs)
    assert not np.array_equal(first.costs, other.costs)


def test_words_without_gold_head_teach_nothing_under_a_static_oracle():
    system = get_transition_system("arc_hybrid_swap")
    whole, partial = [0, 2, 0, 2], [0, 2, 0, -1]
    tables = random_tables(system, [3])
    attached_by_gold = run(system, "static", tables, [whole], None)
    result = run(system, "static", tables, [partial], None)
    assert len(result.states) == len(attached_by_gold.states) - 1


def test_where_all_moves_are_equally_good_there_is_nothing_to_learn():
    system = get_transition_system("arc_hybrid")
    tables = random_tables(system, [3])
    assert len(run(system, "dynamic", tables, [[0, -1, -1, -1]], None).states) == 0
    assert len(run(system, "dynamic", tables, [[0, 0, -1, -1]], None).states) > 0


def test_bad_input_is_refused():
    system = get_transition_system("arc_hybrid_swap")
    tables = random_tables(system, [2])
    with pytest.raises(ValueError, match="cycle: 1 <- 2 <- 1"):
        run(system, "static", tables, [[0, 2, 1]], None)
    with pytest.raises(ValueError, match="no oracle 'lively'; choose one of: static, lazy"):
        run(system, "lively", tables, [[0, 2, 0]], None)
    lengths = np.array([2], dtype=np.int32)
    with pytest.raises(ValueError, match="1 gold heads for 2 words"):
        roll_out(system.kernel, "static", tables, lengths, lengths * 0, None, 1)


@pytest.mark.parametrize("setting", ["probability", "postponement"])
@pytest.mark.parametrize(
    "value, bound", [(-0.1, "0.0 or more"), (1.1, "1.0 or less"), (float("nan"), "0.0 or more")]
)
def test_exploration_probabilities_are_checked(setting, value, bound):
    with pytest.raises(ValueError, match=f"exploration.{setting} is {value}, but must be {bound}$"):
        Exploration(**{setting: value})


@pytest.mark.parametrize("margin", [-1.0, float("nan")])
def test_exploration_margin_is_checked(margin):
    with pytest.raises(ValueError, match="exploration.margin is .*, but must be 0.0 or more$"):
        Exploration(margin=margin)
