"""Tests of repairs by non-monotonic transitions, in derivations made by hand."""

from collections import Counter

import pytest

from spacy_npparse.evaluation.repairs import Change, Outcome, Repair, count_repairs, repairs
from spacy_npparse.systems import get_transition_system, transition_systems
from spacy_npparse.transitions import Decisions, gold_derivation, parser_derivation

NAMES = {"S": "SHIFT", "L": "LEFT-ARC", "R": "RIGHT-ARC", "D": "REDUCE", "N": "NO-ARC"}
EAGER, COVINGTON = "nonmonotonic_arc_eager", "nonmonotonic_covington"


def derive(system, transitions, gold):
    found = get_transition_system(system).with_single_root(False)
    names = [NAMES[t] for t in transitions]
    decisions = Decisions(found, "dynamic", names, [{}] * len(names), "greedy search", False)
    n_words = 3 if gold is None else len(gold) - 1
    return parser_derivation([f"w{i}" for i in range(n_words)], decisions, gold=gold)


# I saw Jack and Jill fall: Jack is attached to saw first (Honnibal et al. 2013, Figure 2).
FALL = "SLSRRDRDLRDLS"


@pytest.mark.parametrize(
    ("jack", "outcome"),
    [
        (6, Outcome.WRONG_TO_RIGHT),
        (2, Outcome.RIGHT_TO_WRONG),
        (1, Outcome.WRONG_TO_WRONG),
    ],
)
def test_left_arc_replaces_a_head(jack, outcome):
    found = derive(EAGER, FALL, [-1, 2, 0, jack, 3, 3, 2])
    assert found.heads[3] == 6
    assert list(repairs(found)) == [Repair("LEFT-ARC", Change.REPLACED, outcome)]


@pytest.mark.parametrize(
    ("head", "outcome"), [(1, Outcome.WRONG_TO_RIGHT), (3, Outcome.WRONG_TO_WRONG)]
)
def test_reduce_adds_a_head(head, outcome):
    """The second word is shifted, not attached to the first, and reduced."""
    found = derive(EAGER, "SSDSLLS", [-1, 0, head, 0])
    assert found.heads[2] == 1
    assert list(repairs(found)) == [Repair("REDUCE", Change.ADDED, outcome)]


def test_monotonic_transitions_are_no_repairs():
    """The derivation has RIGHT-ARC, and REDUCE of a word with a head."""
    found = derive(EAGER, "SRDLS", [-1, 0, 1])
    assert found.heads[1:] == (0, 1) and list(repairs(found)) == []


@pytest.mark.parametrize("system", sorted(transition_systems.get_all()))
def test_static_oracles_need_no_repairs(system):
    found = gold_derivation(list("abcd"), [-1, 2, 0, 2, 3], system=get_transition_system(system))
    assert list(repairs(found)) == []


@pytest.mark.parametrize(
    ("transitions", "repair"),
    [
        # 3 ← 2, then 3 ← 1.
        ("SSRRS", Repair("RIGHT-ARC", Change.REPLACED, Outcome.RIGHT_TO_WRONG)),
        # 2 ← 1, 3 ← 2, then 1 ← 3, which would close a cycle: the arc to 3 is removed.
        ("SRSRLS", Repair("LEFT-ARC", Change.REMOVED, Outcome.RIGHT_TO_WRONG)),
    ],
)
def test_covington(transitions, repair):
    assert list(repairs(derive(COVINGTON, transitions, [-1, 0, 1, 2]))) == [repair]


def test_unknown_heads_are_not_counted():
    found = derive(EAGER, FALL, [-1, 2, 0, -1, 3, 3, 2])
    assert list(repairs(found)) == []
    assert count_repairs([found]).words == 5


def test_counts():
    right, wrong = (derive(EAGER, FALL, [-1, 2, 0, jack, 3, 3, 2]) for jack in (6, 2))
    added = derive(EAGER, "SSDSLLS", [-1, 0, 1, 0])
    unknown = derive(EAGER, "SSDSLLS", None)
    found = count_repairs([right, wrong, added, right, unknown])
    assert found.counts == Counter(
        {
            Repair("LEFT-ARC", Change.REPLACED, Outcome.WRONG_TO_RIGHT): 2,
            Repair("LEFT-ARC", Change.REPLACED, Outcome.RIGHT_TO_WRONG): 1,
            Repair("REDUCE", Change.ADDED, Outcome.WRONG_TO_RIGHT): 1,
        }
    )
    table = [[cell.strip() for cell in line.split("|")] for line in found.table().splitlines()]
    assert table[0] == ["repairs by", "all", "wrong → right", "right → wrong", "wrong → wrong"]
    assert table[2:5] == [
        ["LEFT-ARC, head replaced", "3", "2", "1", "0"],
        ["REDUCE, head added", "1", "1", "0", "0"],
        ["all", "4", "3", "1", "0"],
    ]
    assert "4 repairs in the derivations of 4 sentences with 21 words." in found.table()
    assert found.as_dict() == {
        "system": EAGER,
        "sentences": 4,
        "words": 21,
        "repairs": [
            {
                "transition": "LEFT-ARC",
                "change": "replaced",
                "wrong_to_right": 2,
                "right_to_wrong": 1,
                "wrong_to_wrong": 0,
            },
            {
                "transition": "REDUCE",
                "change": "added",
                "wrong_to_right": 1,
                "right_to_wrong": 0,
                "wrong_to_wrong": 0,
            },
        ],
    }


def test_right_and_wrong_need_gold_trees():
    with pytest.raises(ValueError, match="no gold tree"):
        count_repairs([derive(EAGER, "SSDSLLS", None)])
