"""The Python interface of transition systems, configurations and oracles."""

import copy
import pickle

import pytest
from brute_force import ORACLES, SYSTEMS, reachable, single_root

from spacy_npparse.systems import get_transition_system
from spacy_npparse.transitions import Configuration


def test_configurations_compare_and_hash_by_content():
    system = get_transition_system("arc_hybrid_swap")
    c = system.initial(3)
    assert (c.stack, c.buffer, c.heads) == ((), (1, 2, 3, 0), (-1, -1, -1, -1))
    assert c == system.initial(3) and hash(c) == hash(system.initial(3))
    assert c != system.initial(2) and c != "something else"
    after = system.apply(c, "SHIFT")
    assert (after.stack, after.buffer) == ((1,), (2, 3, 0))
    assert c.stack == (), "apply leaves its argument alone"
    assert len({c, after, system.initial(3)}) == 2
    assert "stack=[1]" in repr(after)
    assert pickle.loads(pickle.dumps(after)) == copy.deepcopy(after) == after


def test_configurations_are_immutable():
    c = get_transition_system("arc_hybrid").initial(1)
    with pytest.raises(AttributeError, match="immutable"):
        c.stack = (1,)
    with pytest.raises(AttributeError, match="no 'lists'"):
        _ = c.lists


def test_a_derivation_by_hand():
    system = get_transition_system("arc_standard_swap")
    c = system.initial(2)
    assert system.legal(c) == ("SHIFT",)
    for transition in ("SHIFT", "SHIFT", "LEFT-ARC", "RIGHT-ARC"):
        assert not system.is_terminal(c)
        c = system.apply(c, transition)
    assert system.is_terminal(c)
    assert system.legal(c) == ()
    assert c.heads == (-1, 2, 0)


@pytest.mark.parametrize("name", SYSTEMS)
def test_illegal_and_unknown_transitions_are_refused(name):
    system = get_transition_system(name)
    terminal = system.initial(1)
    while not system.is_terminal(terminal):
        terminal = system.apply(terminal, system.legal(terminal)[0])
    with pytest.raises(ValueError, match="is not legal in .*the configuration is terminal"):
        system.apply(terminal, system.transitions[0])
    with pytest.raises(ValueError, match=f"{name} has no transition 'JUMP'; it has: "):
        system.apply(system.initial(1), "JUMP")
    with pytest.raises(ValueError, match="cannot have -1 words"):
        system.initial(-1)


def test_unknown_names_are_answered_with_the_known_ones():
    with pytest.raises(ValueError, match="no transition system 'arc_swap'.*arc_hybrid_swap"):
        get_transition_system("arc_swap")
    with pytest.raises(ValueError, match="no oracle 'eager'; choose one of: static, dynamic"):
        get_transition_system("arc_hybrid").oracle("eager", (0, 0))


@pytest.mark.parametrize(("name", "oracle"), ORACLES)
def test_gold_trees_are_checked(name, oracle):
    system = get_transition_system(name)
    with pytest.raises(ValueError, match="cycle: 1 <- 2 <- 1"):
        system.oracle(oracle, (0, 2, 1))
    with pytest.raises(ValueError, match="word 2 has head 9"):
        system.oracle(oracle, (0, 0, 9))


@pytest.mark.parametrize(("name", "oracle"), ORACLES)
def test_several_roots_can_be_derived_by_a_single_root_system(name, oracle):
    system = get_transition_system(name, single_root=False)
    for tree in reachable(name, False, 2).trees:
        c = system.initial(2)
        for transition in get_transition_system(name).oracle(oracle, tree).derivation():
            c = system.apply(c, transition)
        assert c.heads[1:] == tree[1:]
    assert not all(map(single_root, reachable(name, False, 2).trees))


def test_a_configuration_written_by_hand():
    system = get_transition_system("arc_hybrid_swap")
    c = Configuration({"stack": (2,), "buffer": (1, 3, 0), "heads": (-1, -1, -1, -1)})
    assert system.legal(c) == ("SHIFT", "LEFT-ARC")
    with pytest.raises(ValueError, match="the gold tree has 2 words, the configuration 3"):
        system.oracle("static", (0, 0, 1)).costs(c)


@pytest.mark.parametrize("name", SYSTEMS)
def test_structures_have_names_for_readers(name):
    system = get_transition_system(name)
    structures = system.initial(3).as_dict()
    assert set(system.structure_names) <= set(structures) and "buffer" in system.structure_names
    shown = [structures[key] for key in system.structure_names]
    assert {1, 2, 3} <= {word for words in shown for word in words}
    if type(system.kernel).__module__.startswith("spacy_npparse."):
        others = set(structures) - set(system.structure_names)
        assert others <= {"stack", "heads", "unshifted", "plane", "switched"}


def test_systems_that_reorder_words():
    found = {name for name in SYSTEMS if get_transition_system(name).reorders}
    assert found == {"arc_hybrid_swap", "arc_standard_swap", "stay_eager_swap"}


def test_only_some_oracles_keep_account_of_reachable_dependents():
    system = get_transition_system("arc_hybrid_swap")
    heads = (0, 3, 0, 2)
    assert system.oracle("static", heads).reachable(system.initial(3)) is None
    assert system.oracle("static-dynamic", heads).reachable(system.initial(3)) == (1, 2, 3)


@pytest.mark.parametrize(
    ("stack", "buffer"), [((1, 2), (2, 0)), ((1,), (2,)), ((3,), (1, 0)), ((-1,), (1, 0)), ((), ())]
)
def test_impossible_configurations_are_refused(stack, buffer):
    system = get_transition_system("arc_hybrid")
    c = Configuration({"stack": stack, "buffer": buffer, "heads": (-1, -1, -1)})
    with pytest.raises(ValueError, match="each at most once"):
        system.legal(c)


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("heads", [(-1, 2, 1, -1), (-1, -1, 10**9, -1), (-1, -1, -2, -1)])
def test_heads_that_form_no_partial_tree_are_refused(name, heads):
    system = get_transition_system(name)
    wrong = Configuration({**system.initial(3).as_dict(), "heads": heads})
    with pytest.raises(ValueError, match="cycle: 1 <- 2 <- 1|word 2 has head"):
        system.legal(wrong)


@pytest.mark.parametrize(
    ("name", "structure"), [("stay_eager_swap", "unshifted"), ("two_planar", "plane")]
)
def test_impossible_structures_of_a_system_are_refused(name, structure):
    system = get_transition_system(name)
    wrong = Configuration({**system.initial(3).as_dict(), structure: (10**9,)})
    with pytest.raises(ValueError, match=rf"{structure}.* \(1000000000,\)"):
        system.legal(wrong)
