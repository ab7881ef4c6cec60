"""Static oracles, which must derive every tree that their system covers."""

import pytest
from brute_force import STATIC, all_trees, reachable

from spacy_npparse.systems import get_transition_system
from spacy_npparse.transitions import UncoveredTree
from spacy_npparse.trees import complete_heads, is_projective

HEARING = (0, 2, 4, 4, 0, 2, 7, 5, 4, 4)
NEWS = (0, 2, 3, 0, 5, 3, 5, 8, 6, 3)
SHORT = {
    "SH": "SHIFT",
    "LA": "LEFT-ARC",
    "RA": "RIGHT-ARC",
    "LA2": "LEFT-ARC-2",
    "SL": "STAY-LEFT",
    "SR": "STAY-RIGHT",
    "RD": "REDUCE",
    "SW": "SWAP",
    "NA": "NO-ARC",
}
EXAMPLES = [
    ("arc_standard", "static", NEWS, "SH SH LA SH LA SH SH LA SH SH SH LA RA RA RA SH RA RA"),
    (
        "arc_eager",
        "static",
        NEWS,
        "SH LA SH LA SH SH LA RA RA SH LA RA RD RD RD RA RD LA SH",
    ),
    (
        "stay_eager_swap",
        "static",
        HEARING,
        "SH SL RD SH SH SL RD SL SW SR SH SH SR RD SH SH SL RD SR RD SH RD SR SH RD SR RD SH RD",
    ),
    ("stay_eager_swap", "static", (0, 3, 0, 2), "SH SW SR SH SH SL RD SR RD SH RD"),
    ("covington", "static", (0, 3, 0, 2), "SH SH RA LA SH"),
    ("mh4", "static", (0, 3, 0, 5, 2, 4), "SH SH LA2 SH SH LA2 SH RA RA RA"),
    ("arc_hybrid", "static", NEWS, "SH LA SH LA SH SH LA SH SH SH LA SH RA RA RA SH RA LA"),
    (
        "arc_standard_swap",
        "eager",
        HEARING,
        "SH SH LA SH SH LA SH SW SH SH SW SH SH SW LA RA RA SH LA SH RA SH RA RA",
    ),
    (
        "arc_standard_swap",
        "lazy",
        HEARING,
        "SH SH LA SH SH LA SH SH SH LA RA SW RA SH LA SH RA SH RA RA",
    ),
    ("arc_standard_swap", "eager", (0, 3, 0, 2), "SH SH SW SH SH LA RA RA"),
    (
        "arc_hybrid_swap",
        "static",
        HEARING,
        "SH LA SH SH LA SH SW SH SH SW SH SH SW LA SH RA RA LA SH SH RA SH RA LA",
    ),
    ("arc_hybrid_swap", "static", (0, 3, 0, 2), "SH SW SH SH LA SH RA LA"),
    ("arc_hybrid_swap", "static", (0, 0, 4, 1, 1), "SH SH SW SH RA SH LA SH RA LA"),
]
# The numbers of derived trees and of swaps, summed over all 1296 trees of five words.
TOTALS = {
    ("arc_standard", "static"): (273, 0),
    ("arc_hybrid", "static"): (273, 0),
    ("arc_eager", "static"): (273, 0),
    ("covington", "static"): (1296, 0),
    ("stay_eager_swap", "static"): (1296, 1782),
    ("two_planar", "static"): (1296, 0),
    ("attardi", "static"): (1011, 0),
    ("attardi_3", "static"): (1218, 0),
    ("mh4", "static"): (1069, 0),
    ("arc_hybrid_swap", "static"): (1296, 2037),
    ("arc_hybrid_swap", "lazy"): (1296, 1809),
    ("arc_standard_swap", "eager"): (1296, 1918),
    ("arc_standard_swap", "lazy"): (1296, 1708),
}

# The lengths of derivations of five words without swaps, for systems where the length is constant.
LENGTHS = {
    "arc_standard": 10,
    "arc_eager": 11,
    "arc_hybrid": 10,
    "nonmonotonic_arc_eager": 11,
    "arc_standard_swap": 10,
    "arc_hybrid_swap": 10,
    "stay_eager_swap": 15,
    "attardi": 10,
    "mh4": 10,
}


def replay(system, heads, derivation):
    configuration = system.initial(len(heads) - 1)
    for transition in derivation:
        configuration = system.apply(configuration, transition)
    assert system.is_terminal(configuration)
    return (0, *configuration.heads[1:])


@pytest.mark.parametrize(("name", "oracle"), STATIC)
def test_covered_trees_are_derived_and_others_reported(name, oracle):
    for n in range(1, 5):
        for single in (True, False):
            search = reachable(name, single, n)
            for tree in all_trees(n):
                gold = search.system.oracle(oracle, tree)
                if tree in search.trees:
                    assert replay(search.system, tree, gold.derivation()) == tree
                elif single and tree[1:].count(0) > 1:
                    continue
                else:
                    with pytest.raises(UncoveredTree):
                        gold.derivation()


@pytest.mark.parametrize(("name", "oracle"), STATIC)
def test_trees_of_five_words(name, oracle):
    derived = swaps = 0
    constrained = get_transition_system(name)
    free = get_transition_system(name, single_root=False)
    for tree in all_trees(5):
        single = tree[1:].count(0) == 1
        try:
            derivation = constrained.oracle(oracle, tree).derivation()
        except UncoveredTree:
            assert not (constrained.kernel.projective and is_projective(tree))
            continue
        assert replay(constrained if single else free, tree, derivation) == tree
        derived += 1
        swaps += derivation.count("SWAP")
        assert len(derivation) <= constrained.max_length(5)
        if name in LENGTHS:
            assert len(derivation) == LENGTHS[name] + 2 * derivation.count("SWAP")
    assert TOTALS.get((name, oracle), (derived, swaps)) == (derived, swaps)


@pytest.mark.parametrize(("name", "oracle", "heads", "expected"), EXAMPLES)
def test_published_examples(name, oracle, heads, expected):
    system = get_transition_system(name, single_root=False)
    derivation = system.oracle(oracle, heads).derivation()
    assert list(derivation) == [SHORT[step] for step in expected.split()]


@pytest.mark.parametrize(("name", "oracle"), STATIC)
def test_costs_single_out_the_derivation(name, oracle):
    system = get_transition_system(name, single_root=False)
    for tree in reachable(name, False, 4).trees:
        gold = system.oracle(oracle, tree)
        configuration = system.initial(4)
        for transition in gold.derivation():
            costs = gold.costs(configuration)
            assert tuple(costs) == system.legal(configuration)
            assert costs[transition] == 0
            assert gold.postpones or list(costs.values()).count(0) == 1
            assert set(costs.values()) <= {0, 1}
            configuration = system.apply(configuration, transition)
        assert gold.costs(configuration) == {}


def test_exploring_oracles_spell_out_the_derivation_of_their_static_part():
    system = get_transition_system("arc_hybrid_swap")
    for oracle, static in (("static-dynamic", "static"), ("static-dynamic-lazy", "lazy")):
        expected = system.oracle(static, HEARING).derivation()
        assert system.oracle(oracle, HEARING).derivation() == expected
    with pytest.raises(UncoveredTree, match="arc_hybrid has no derivation"):
        get_transition_system("arc_hybrid").oracle("exact", HEARING).derivation()


@pytest.mark.parametrize(("name", "oracle"), STATIC)
def test_missing_heads_are_filled_in(name, oracle):
    system = get_transition_system(name)
    for tree in reachable(name, True, 3).trees:
        partial = tuple(head or -1 for head in tree)
        assert tuple(complete_heads(partial)[1:]) == tree[1:]
        derivation = system.oracle(oracle, partial).derivation()
        assert replay(system, partial, derivation) == tree
