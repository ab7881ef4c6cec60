"""The steps of derivations by all systems and oracles."""

import random

import pytest
from brute_force import ORACLES, STATIC, SYSTEMS, all_trees, random_tree, wrong_heads

from spacy_npparse.systems import get_transition_system
from spacy_npparse.transitions import Decisions, UncoveredTree, gold_derivation, parser_derivation

WORDS = ["a", "b", "c", "d"]
CROSSING = (0, 3, 4, 0, 3)  # the arcs to 1 and 2 cross
LABELS = ["w", "x", "root", "z"]


def check_replay(derivation):
    """Check that each step follows from the previous step and lists all legal transitions."""
    system = derivation.system
    n = len(derivation.words)
    configuration = system.initial(n)
    for step in derivation.steps[:-1]:
        assert step.configuration == configuration
        assert tuple(step.options) == system.legal(configuration)
        configuration = system.apply(configuration, step.transition)
    last = derivation.steps[-1]
    assert last.configuration == configuration and system.is_terminal(configuration)
    assert (last.transition, last.options) == (None, {})
    assert derivation.heads == configuration.heads
    heads = [-1] * (n + 1)
    for changes in derivation.changed_heads():
        for dependent, head in changes:
            heads[dependent] = head
    assert tuple(heads) == derivation.heads


@pytest.mark.parametrize(("name", "oracle"), ORACLES)
def test_gold_derivations_replay_at_no_cost(name, oracle):
    rng = random.Random(5)
    for gold in [*all_trees(3), *(random_tree(7, rng) for _ in range(10))]:
        words = [str(d) for d in range(1, len(gold))]
        try:
            derivation = gold_derivation(
                words, gold, system=get_transition_system(name), oracle=oracle
            )
        except UncoveredTree:
            assert (name, oracle) in STATIC
            continue
        check_replay(derivation)
        if derivation.heads[1:] == gold[1:]:
            for step in derivation.steps[:-1]:
                costs = [option.cost for option in step.options.values()]
                assert step.options[step.transition].cost == min(costs)
        assert derivation.oracle == oracle and derivation.search is None
        assert all(option.score is None for s in derivation.steps for option in s.options.values())


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_default_oracle_is_the_first(name):
    derivation = gold_derivation(["a", "b"], (0, 2, 0), system=get_transition_system(name))
    assert derivation.oracle == get_transition_system(name).oracles[0]
    assert derivation.heads[1:] == (2, 0)


def test_what_a_system_cannot_build_it_approaches():
    with pytest.raises(UncoveredTree, match="arc_hybrid has no derivation"):
        gold_derivation(WORDS, CROSSING, system=get_transition_system("arc_hybrid"))
    derivation = gold_derivation(
        WORDS, CROSSING, system=get_transition_system("arc_hybrid"), oracle="dynamic"
    )
    check_replay(derivation)
    assert wrong_heads(derivation.heads, CROSSING) == 1


def test_several_roots_and_missing_heads():
    derivation = gold_derivation(
        ["a", "b"], (0, 0, 0), system=get_transition_system("arc_hybrid_swap")
    )
    assert derivation.heads[1:] == (0, 0)
    derivation = gold_derivation(
        ["a", "b"], (0, -1, 0), system=get_transition_system("arc_hybrid_swap")
    )
    assert derivation.heads[1:] == (2, 0) and derivation.gold == (0, -1, 0)


def test_reachable_dependents_shrink():
    derivation = gold_derivation(
        WORDS,
        CROSSING,
        LABELS,
        system=get_transition_system("arc_hybrid_swap"),
        oracle="static-dynamic",
    )
    found = [step.reachable for step in derivation.steps]
    assert found[0] == (1, 2, 3, 4) and found[-1] == ()
    assert [len(words) for words in found] == sorted(map(len, found), reverse=True)
    assert derivation.labels == derivation.gold_labels == tuple(LABELS)
    assert (
        gold_derivation(WORDS, CROSSING, system=get_transition_system("covington"))
        .steps[0]
        .reachable
        is None
    )


def decide(transitions, name="arc_hybrid_swap"):
    system = get_transition_system(name)
    scores = [{t: float(i) for i, t in enumerate(system.transitions)}]
    return Decisions(
        system, "static", transitions, scores * len(transitions), "greedy search", True
    )


def follow(transitions, oracle, gold=CROSSING):
    return parser_derivation(WORDS, decide(transitions), gold=gold, oracle=oracle)


RIGHT = gold_derivation(
    WORDS, CROSSING, system=get_transition_system("arc_hybrid_swap")
).transitions
WRONG_ARC = ("SHIFT", "LEFT-ARC", *["SHIFT"] * 3, *["RIGHT-ARC"] * 2, "LEFT-ARC")
WRONG_SWAP = ("SHIFT", "SWAP", *["SHIFT"] * 4, *["RIGHT-ARC"] * 3, "LEFT-ARC")


def test_parsers_have_scores_and_costs():
    derivation = follow(RIGHT, "static-dynamic")
    check_replay(derivation)
    assert derivation.heads[1:] == CROSSING[1:]
    assert derivation.search == "greedy search" and derivation.normalised
    step = derivation.steps[1]
    assert {name: option.score for name, option in step.options.items()} == {
        "SHIFT": 0.0,
        "LEFT-ARC": 1.0,
        "SWAP": 3.0,
    }
    assert all(s.options[s.transition].cost == 0 and s.proven for s in derivation.steps[:-1])


def test_costs_off_the_gold_derivation():
    exploring = follow(WRONG_ARC, "static-dynamic")
    assert exploring.steps[1].options["LEFT-ARC"].cost == 1
    assert all(o.cost is not None for s in exploring.steps for o in s.options.values())
    static = follow(WRONG_ARC, "static")
    assert static.steps[1].options["LEFT-ARC"].cost == 1
    assert all(o.cost is None for s in static.steps[2:] for o in s.options.values())


def test_after_a_wrong_swap_the_costs_are_not_proven():
    assert [step.proven for step in follow(WRONG_SWAP, "static-dynamic").steps[:4]] == [
        True,
        True,
        False,
        False,
    ]
    assert all(step.proven for step in follow(WRONG_SWAP, "dynamic").steps)


def test_without_gold_there_are_no_costs():
    derivation = follow(RIGHT, "static", gold=None)
    assert derivation.oracle is None and derivation.gold is None
    assert all(o.cost is None for s in derivation.steps for o in s.options.values())


def test_only_what_was_considered_is_an_option():
    decisions = decide(RIGHT)
    scores = [{t: v for t, v in found.items() if t != "LEFT-ARC"} for found in decisions.scores]
    derivation = parser_derivation(WORDS, decisions._replace(scores=scores))
    assert set(derivation.steps[1].options) == {"SHIFT", "SWAP"}


def test_a_static_oracle_says_nothing_where_it_is_stuck():
    system = get_transition_system("arc_hybrid")
    oracle = system.oracle("static", CROSSING)
    transitions, stuck, c = [], None, system.initial(4)
    while not system.is_terminal(c):
        costs = oracle.costs(c)
        if stuck is None and 0 not in costs.values():
            stuck = len(transitions)
        transitions.append(min(costs, key=costs.get))
        c = system.apply(c, transitions[-1])
    derivation = parser_derivation(WORDS, decide(transitions, "arc_hybrid"), gold=CROSSING)
    check_replay(derivation)
    assert derivation.oracle == "static" and stuck is not None
    for number, step in enumerate(derivation.steps[:-1]):
        assert all((option.cost is None) == (number >= stuck) for option in step.options.values())


def test_numbers_that_do_not_fit():
    with pytest.raises(ValueError, match="4 heads for 4 words; give 5"):
        gold_derivation(WORDS, CROSSING[1:], system=get_transition_system("arc_hybrid_swap"))
    with pytest.raises(ValueError, match="3 labels for 4 words"):
        gold_derivation(
            WORDS, CROSSING, LABELS[1:], system=get_transition_system("arc_hybrid_swap")
        )
    with pytest.raises(ValueError, match="no transition system 'swap'"):
        gold_derivation(WORDS, CROSSING, system=get_transition_system("swap"))
    with pytest.raises(ValueError, match="no oracle 'swap'"):
        gold_derivation(WORDS, CROSSING, system=get_transition_system("covington"), oracle="swap")
    with pytest.raises(ValueError, match="5 heads for 2 words"):
        parser_derivation(WORDS[:2], decide(()), gold=CROSSING)
