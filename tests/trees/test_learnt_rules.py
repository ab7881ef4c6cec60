"""Label rules that are learnt from trees and read from JSON."""

import math
from dataclasses import replace
from typing import get_args

import pytest
from parser_helpers import SAMPLE

from spacy_npparse.treebank import read_conllu
from spacy_npparse.treebank.label_rules import count_labels
from spacy_npparse.trees.label_counts import LabelCounts
from spacy_npparse.trees.label_rules import LabelRule, RuleKind, read_rules


def rules_of(*trees, n=1):
    """Learn rules from n copies of trees, each with heads (0 for the root) and labels."""
    counts = LabelCounts()
    for heads, labels in trees * n:
        counts.add([head - 1 for head in heads], labels, [""] * len(heads))
    return counts.rules()


def kinds(rules, kind):
    return {rule.labels: (rule.cases, rule.exceptions) for rule in rules if rule.kind == kind}


TREE = [2, 0, 2, 3], ["subj", "ROOT", "obj", "mod"]


def test_labels_that_do_not_repeat_are_unique():
    assert kinds(rules_of(TREE, n=30), "unique") == {
        ("mod",): (30, 0),
        ("obj",): (30, 0),
        ("subj",): (30, 0),
    }


def test_labels_that_repeat_are_not():
    twice = [2, 0, 2, 2], ["subj", "ROOT", "obj", "obj"]
    assert ("obj",) not in kinds(rules_of(TREE, twice, n=30), "unique")


@pytest.mark.parametrize(("n", "cost"), [(1, math.inf), (2, math.inf), (3, 4.48), (30, 2.22)])
def test_few_exceptions_are_errors_of_the_treebank_and_more_have_a_cost(n, cost):
    twice = [2, 0, 2, 2], ["subj", "ROOT", "obj", "obj"]
    found = rules_of(*[TREE] * (1000 - n), *[twice] * n)
    (rule,) = [one for one in found if (one.kind, one.labels) == ("unique", ("obj",))]
    assert (rule.cases, rule.exceptions) == (1000, n)
    assert rule.cost == pytest.approx(cost, abs=0.01)
    assert replace(rule, expected=0.0).cost == pytest.approx(max(cost, -math.log(n / 1000)))


@pytest.mark.parametrize(("n_others", "is_learnt"), [(100, True), (4900, False)])
def test_labels_that_repeat_as_often_as_by_chance_are_only_rare(n_others, is_learnt):
    once, twice = ([2, 0], ["obj", "ROOT"]), ([3, 3, 0], ["obj", "obj", "ROOT"])
    other = [3, 3, 0], ["mod", "mod", "ROOT"]
    found = rules_of(*[once] * 98, *[twice] * 2, *[other] * n_others)
    assert kinds(found, "unique") == ({("obj",): (100, 2)} if is_learnt else {})


@pytest.mark.parametrize("differs", ["label", "upos"])
def test_chance_depends_on_the_label_and_the_part_of_speech_of_the_head(differs):
    counts = LabelCounts()
    for _ in range(100):
        counts.add([1, -1], ["obj", "ROOT"], ["NOUN", "NOUN"])
        if differs == "label":
            counts.add([2, 2, 3, -1], ["mod", "mod", "x", "ROOT"], ["ADJ", "ADJ", "NOUN", "VERB"])
        else:
            counts.add([2, 2, -1], ["mod", "mod", "ROOT"], ["ADJ", "ADJ", "VERB"])
    expected = {one.labels: one.expected for one in counts.rules() if one.kind == "unique"}
    assert expected[("obj",)] == 26.4  # 100 * (1 - 2 / e)


def test_too_many_exceptions_are_no_rule():
    twice = [2, 0, 2, 2], ["subj", "ROOT", "obj", "obj"]
    # Chance predicts 284 and 286 words with two objects.
    assert ("obj",) in kinds(rules_of(*[TREE] * 944, *[twice] * 56), "unique")
    assert ("obj",) not in kinds(rules_of(*[TREE] * 941, *[twice] * 59), "unique")
    # Rules on the side of the head allow no exceptions.
    before = [2, 0], ["obj", "ROOT"]
    assert ("obj",) not in kinds(rules_of(*[TREE] * 997, *[before] * 3), "behind")


def test_cases_are_those_of_the_learnt_rules():
    counts = LabelCounts()
    for sentence in read_conllu(SAMPLE):
        count_labels(counts, sentence)
    rules = counts.rules()
    assert {rule.kind for rule in rules} == set(get_args(RuleKind))
    for rule in rules:
        assert counts.cases(rule) == (rule.cases, rule.exceptions)


def test_single_errors_do_not_contradict_a_rule():
    rule = LabelRule("behind", ("obj",), (), cases=1000, exceptions=10)
    assert not rule.is_contradicted(20, 3) and rule.is_contradicted(20, 4)
    assert not rule.is_contradicted(1000, 33) and rule.is_contradicted(1000, 34)
    # A person has made this one.
    assert not LabelRule("behind", ("obj",)).is_contradicted(20, 20)


def test_too_few_cases_are_no_evidence():
    assert rules_of(TREE, n=19) == []


def test_subtypes_are_counted_together():
    active = [2, 0], ["subj", "ROOT"]
    passive = [2, 0], ["subj:pass", "ROOT"]
    assert kinds(rules_of(active, passive, n=30), "unique") == {("subj", "subj:pass"): (60, 0)}


def test_a_subtype_can_be_an_exception():
    outer = [3, 3, 0], ["subj:outer", "subj", "ROOT"]
    passive = [2, 0], ["subj:pass", "ROOT"]
    found = kinds(rules_of(outer, passive, n=30), "unique")
    assert found == {("subj", "subj:pass"): (60, 0), ("subj:outer",): (30, 0)}


SUBJECT, CLAUSE = ([2, 0], ["subj", "ROOT"]), ([2, 0], ["csubj", "ROOT"])
BOTH = [3, 3, 0], ["subj", "csubj", "ROOT"]


OTHERS = [3, 3, 0], ["obl", "obl", "ROOT"]


@pytest.mark.parametrize(
    ("n", "n_both", "n_others", "is_joined"),
    [
        (30, 0, 0, True),
        (30, 1, 0, True),
        pytest.param(30, 3, 0, True, id="chance predicts 17 words with both"),
        pytest.param(30, 4, 0, False, id="chance predicts 18 words with both"),
        pytest.param(100, 3, 550, False, id="chance predicts 14 words with both"),
        pytest.param(100, 3, 450, True, id="chance predicts 16 words with both"),
    ],
)
def test_labels_that_exclude_each_other_are_unique_together(n, n_both, n_others, is_joined):
    trees = [SUBJECT, CLAUSE] * n + [BOTH] * n_both + [OTHERS] * n_others
    together = {("csubj", "subj"): (2 * n + n_both, n_both)}
    alone = {("csubj",): (n + n_both, 0), ("subj",): (n + n_both, 0)}
    assert kinds(rules_of(*trees), "unique") == (together if is_joined else alone)


def test_rare_labels_that_never_meet_are_no_evidence():
    # Chance predicts that 20 * 20 / 140 = 2.9 words have both.
    found = kinds(rules_of(*[SUBJECT, CLAUSE] * 20, *[OTHERS] * 100), "unique")
    assert found == {("csubj",): (20, 0), ("subj",): (20, 0)}


@pytest.mark.parametrize("differs", ["label", "upos"])
def test_labels_of_dependents_of_different_words_do_not_exclude_each_other(differs):
    counts = LabelCounts()
    for _ in range(30):
        counts.add([1, -1], ["subj", "ROOT"], ["NOUN", "VERB"])
        if differs == "label":
            counts.add([1, 2, -1], ["case", "obl", "ROOT"], ["ADP", "VERB", "VERB"])
        else:
            counts.add([1, -1], ["case", "ROOT"], ["ADP", "NOUN"])
    found = kinds(counts.rules(), "unique")
    assert found and not any({"case", "subj"} <= {*labels} for labels in found)


def test_subtypes_are_joined_before_other_labels():
    passive = [2, 0], ["subj:pass", "ROOT"]
    twice = [3, 3, 0], ["subj", "subj", "ROOT"]
    # There are too few passive clauses to tell whether their subjects exclude clausal ones.
    trees = [SUBJECT] * 200 + [passive] * 30 + [CLAUSE] * 25 + [twice] * 2
    assert kinds(rules_of(*trees), "unique") == {("csubj", "subj:pass", "subj"): (257, 2)}


def test_sides():
    found = rules_of(TREE, n=30)
    assert kinds(found, "before") == {("subj",): (30, 0)}
    assert kinds(found, "behind") == {("mod",): (30, 0), ("obj",): (30, 0)}
    both = [2, 0, 2], ["subj", "ROOT", "subj"]
    assert kinds(rules_of(both, n=30), "before") == {}


def test_function_words_exclude_dependents():
    tree = [2, 3, 0, 5, 3], ["case", "obl", "ROOT", "det", "obj"]
    (case,) = [rule for rule in rules_of(tree, n=50) if rule.labels == ("case",)][2:]
    assert case == LabelRule("dependents", ("case",), ("case", "det", "obj", "obl"), 50, 0)


def test_words_with_dependents_exclude_nothing():
    tree = [2, 3, 0, 5, 3], ["case", "obl", "ROOT", "det", "obj"]
    assert not [
        rule for rule in rules_of(tree, n=50) if rule.kind == "dependents" and "obl" in rule.labels
    ]


def test_parts_of_speech_that_a_label_does_not_go_with():
    counts = LabelCounts()
    for number in range(1000):
        det, noun = ("DET", "NOUN") if number else ("NOUN", "")
        counts.add([1, 2, -1], ["det", "obj", "ROOT"], [det, noun, "VERB"])
        counts.add([1, -1], ["det:pre", "ROOT"], ["", "VERB"])
    counts.add([1, -1] * 20, ["iobj", "ROOT"] * 20, ["NOUN", "VERB"] * 20)
    found = [rule for rule in counts.rules() if rule.kind == "upos"]
    # All verbs are roots, so no rule excludes VERB. By chance, some of 20 iobj would be DET.
    assert found == [
        LabelRule("upos", ("det", "det:pre"), ("NOUN",), 1000, 1),
        LabelRule("upos", ("iobj",), ("DET",), 20, 0),
        LabelRule("upos", ("obj",), ("DET",), 999, 0),
    ]
    assert {rule.cost for rule in found} == {0.5}
    assert read_rules("rules", [rule.to_json() for rule in found]) == found


def test_unknown_heads_and_labels_do_not_count():
    counts = LabelCounts()
    for _ in range(30):
        counts.add([1, -1, 1], ["subj", "ROOT", ""], ["NOUN", "VERB", "NOUN"])
        counts.add([-1, -1], ["", "subj"], ["NOUN", "NOUN"])
    assert kinds(counts.rules(), "unique") == {("subj",): (30, 0)}


def test_rules_are_read_as_they_are_written():
    found = rules_of(([2, 3, 0, 5, 3], ["case", "obl", "ROOT", "det", "obj"]), n=50)
    assert {rule.kind for rule in found} == {"unique", "before", "behind", "dependents"}
    assert read_rules("rules", [rule.to_json() for rule in found]) == found


@pytest.mark.parametrize(
    "data, message",
    [
        ({}, "rules is {}, but must be of type list"),
        ([3], "rules: an item is 3, but must be of type dict"),
        (
            [{}],
            r"rules\[0\].kind is None, but must be one of: unique, before, .*, upos",
        ),
        ([{"kind": "unique"}], r"rules\[0\] has no labels"),
        ([{"kind": "unique", "labels": "subj"}], r"rules\[0\].labels is 'subj'"),
        ([{"kind": "unique", "labels": [1]}], "an item is 1, but must be of type str"),
        ([{"kind": "unique", "labels": ["a"], "label": 1}], r"rules\[0\] has label; a rule has"),
        (
            [{"kind": "before", "labels": ["a"], "excluded": ["b"]}],
            "kinds 'dependents' and 'upos' have",
        ),
        ([{"kind": "dependents", "labels": ["a"]}], "kinds 'dependents' and 'upos' have"),
        ([{"kind": "upos", "labels": ["a"]}], "kinds 'dependents' and 'upos' have"),
        ([{"kind": "before", "labels": ["a"], "cases": "many"}], r"rules\[0\].cases is 'many'"),
        ([{"kind": "unique", "labels": ["a"], "expected": "3"}], r"rules\[0\].expected is '3'"),
    ],
)
def test_malformed_rules_are_refused(data, message):
    with pytest.raises(ValueError, match=message):
        read_rules("rules", data)
