"""Properties of all transition systems: no dead ends, valid trees and bounded derivations."""

import pickle
import random

import pytest
from brute_force import SYSTEMS, all_trees, load, reachable, single_root

from spacy_npparse.systems import get_transition_system
from spacy_npparse.transitions import Configuration
from spacy_npparse.trees import is_projective, is_tree

PROJECTIVE = {name for name in SYSTEMS if get_transition_system(name).kernel.projective}


@pytest.mark.parametrize("single", [True, False])
@pytest.mark.parametrize("n", [0, 1, 2, 3, 4])
@pytest.mark.parametrize("name", SYSTEMS)
def test_every_configuration_leads_to_a_tree(name, n, single):
    search = reachable(name, single, n)
    for configuration, stuck in zip(search.configurations, search.terminal, strict=True):
        assert stuck == search.system.is_terminal(configuration)
    for tree in search.trees:
        assert is_tree(tree, single_root=single)


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_single_root_takes_no_single_root_tree_away(name, n):
    free = reachable(name, False, n)
    constrained = reachable(name, True, n)
    assert constrained.trees == set(filter(single_root, free.trees))


@pytest.mark.parametrize("n", [1, 2, 3, 4])
@pytest.mark.parametrize("name", [*sorted(PROJECTIVE), "arc_hybrid_swap", "arc_standard_swap"])
def test_coverage(name, n):
    search = reachable(name, False, n)
    expected = {t for t in all_trees(n) if name not in PROJECTIVE or is_projective(t)}
    assert search.trees == expected


@pytest.mark.parametrize("name", SYSTEMS)
def test_projective_systems_build_all_projective_trees_and_no_others(name):
    exactly = reachable(name, False, 4).trees == set(filter(is_projective, all_trees(4)))
    assert exactly == (name in PROJECTIVE)


@pytest.mark.parametrize("single", [True, False])
@pytest.mark.parametrize("name", SYSTEMS)
def test_random_runs_stay_within_the_bound(name, single):
    system = get_transition_system(name, single_root=single)
    rng = random.Random(1)
    for n in range(1, 13):
        for _ in range(5):
            configuration = system.initial(n)
            length = 0
            while not system.is_terminal(configuration):
                configuration = system.apply(configuration, rng.choice(system.legal(configuration)))
                length += 1
            assert length <= system.max_length(n)
            assert is_tree(configuration.heads, single_root=single)


@pytest.mark.parametrize("name", SYSTEMS)
def test_configurations_are_equal_if_their_structures_are(name):
    search = reachable(name, True, 3)
    rng = random.Random(2)
    sample = rng.sample(range(len(search.compiled)), min(300, len(search.compiled)))
    for i in sample:
        equal = [j for j in sample if search.compiled[i] == search.compiled[j]]
        assert equal == [i]
    kernel = search.system.kernel
    derived = kernel.new_configuration()
    for _ in range(50):
        kernel.start(derived, 3)
        while not kernel.finished(derived):
            kernel.take(derived, rng.choice(kernel.legal_transitions(derived)))
            assert derived == load(kernel, Configuration(derived.structures()))
    assert derived != kernel.new_configuration() and derived != derived.structures()


@pytest.mark.parametrize("name", SYSTEMS)
def test_positions_are_words_of_the_configuration(name):
    search = reachable(name, True, 4)
    for configuration in search.configurations:
        positions = search.system.positions(configuration)
        assert len(positions) == len(search.system.position_names)
        assert set(positions) <= set(range(-1, 5))


@pytest.mark.parametrize("name", SYSTEMS)
def test_dependent_is_the_word_that_a_transition_attaches(name):
    search = reachable(name, True, 4)
    for configuration, transition, after in search.steps():
        attached = [
            d
            for d, (old, new) in enumerate(zip(configuration.heads, after.heads, strict=True))
            if old != new != -1
        ]
        word = search.system.dependent(configuration, transition)
        if word is None and search.system.is_terminal(after):
            # If the root is implicit, the remaining words are attached to it.
            assert all(after.heads[d] == 0 for d in attached)
        else:
            assert attached == ([] if word is None else [word])


@pytest.mark.parametrize("name", ["arc_hybrid", "arc_hybrid_swap", "arc_standard_swap"])
def test_positions_follow_stack_and_buffer(name):
    system = get_transition_system(name)
    c = system.initial(4)
    for _ in range(3):
        c = system.apply(c, "SHIFT")
    seen = dict(zip(system.position_names, system.positions(c), strict=True))
    assert (seen["s2"], seen["s1"], seen["s0"]) == c.stack[-3:]
    assert seen["b0"] == c.buffer[0]
    # With SWAP, the moved word is at b1.
    assert ("b1" in seen) == (name == "arc_hybrid_swap")
    if "b1" in seen:
        assert seen["b1"] == c.buffer[1]
    assert system.positions(system.initial(4))[:2] == (-1, -1)


def test_positions_can_be_chosen():
    system = get_transition_system("arc_hybrid_swap", single_root=False)
    c = system.initial(4)
    for name in ("SHIFT", "LEFT-ARC", "SHIFT", "SHIFT"):
        c = system.apply(c, name)
    chosen = system.with_positions(["b2", "s0", "s1", "head of s1", "head of s0"])
    assert chosen.position_names == ("b2", "s0", "s1", "head of s1", "head of s0")
    assert chosen.positions(c) == (-1, 3, 2, -1, -1)
    assert chosen.candidate_arcs == (("s0", "s1"), ("s1", "s0"))
    assert not chosen.single_root
    for same in (chosen.with_single_root(True), pickle.loads(pickle.dumps(chosen))):
        assert same.position_names == chosen.position_names
        assert same.positions(c) == chosen.positions(c)
    # The original system has not changed.
    assert system.position_names == ("s2", "s1", "s0", "b0", "b1")
    assert get_transition_system("arc_hybrid_swap").positions(c) == system.positions(c)


@pytest.mark.parametrize(
    "system, names, message",
    [
        ("arc_hybrid", [], "one or more"),
        ("arc_hybrid", ["s0", "s0"], "different"),
        ("arc_hybrid", ["top"], "'top' is no position"),
        ("two_planar", ["s0"], "of its own: .*top of the other stack"),
    ],
)
def test_positions_that_cannot_be_chosen(system, names, message):
    with pytest.raises(ValueError, match=message):
        get_transition_system(system).with_positions(names)


def test_swap_puts_a_word_back():
    hybrid = get_transition_system("arc_hybrid_swap")
    c = hybrid.apply(hybrid.apply(hybrid.initial(3), "SHIFT"), "SWAP")
    assert (c.stack, c.buffer) == ((), (2, 1, 3, 0))
    assert hybrid.legal(hybrid.apply(c, "SHIFT")) == ("SHIFT", "LEFT-ARC")
    standard = get_transition_system("arc_standard_swap")
    c = standard.apply(standard.apply(standard.initial(3), "SHIFT"), "SHIFT")
    c = standard.apply(c, "SWAP")
    assert (c.stack, c.buffer) == ((0, 2), (1, 3))
    c = standard.apply(c, "SHIFT")
    assert "SWAP" not in standard.legal(c)
