"""Compare the best labels of a tree under rules with all labellings of small trees."""

import random
from itertools import product

import numpy as np
import pytest
from brute_force import random_tree

from spacy_npparse.decoding import UNBROKEN, best_tree_labels


def costs_of_rules(labels, problem):
    """Return the costs of the rules that labels break; dependents of the root break none."""
    heads, groups, classes = (problem[key].tolist() for key in ("heads", "groups", "classes"))
    found = []
    for word in range(1, len(heads) + 1):
        below = [d for d, head in enumerate(heads) if head == word]
        own = classes[labels[word - 1]] if heads[word - 1] else classes[-1]
        found += [problem["excluded"][own][labels[d]] for d in below]
        found += [problem["costs"][d][labels[d]] for d in below]
        taken = [groups[labels[d]] for d in below if groups[labels[d]] >= 0]
        for group in set(taken):
            found += (taken.count(group) - 1) * [problem["group_costs"][group]]
    return found


def random_problem(rng):
    n, n_labels = rng.randint(1, 5), rng.randint(1, 4)
    n_groups, n_classes = rng.randint(0, 2), rng.randint(1, 3)
    share = rng.choice([0.0, 0.2, 0.6])

    def costs(*shape):
        """Return random costs: 0 without a rule, UNBROKEN, or a cost that exceptions allow."""
        kinds = [0.0, UNBROKEN, 3 * rng.random()]
        weights = [1 - share, share / 2, share / 2]
        size = int(np.prod(shape))
        return np.array(rng.choices(kinds, weights, k=size), dtype=np.float32).reshape(shape)

    return dict(
        scores=np.log([[rng.random() for _ in range(n_labels)] for _ in range(n)]),
        costs=costs(n, n_labels),
        heads=np.array(random_tree(n, rng)[1:], dtype=np.int32),
        groups=np.array([rng.randint(-1, n_groups - 1) for _ in range(n_labels)], dtype=np.int32),
        group_costs=np.array(
            [rng.choice([UNBROKEN, 2 * rng.random()]) for _ in range(n_groups)], dtype=np.float32
        ),
        classes=np.array(
            [rng.randint(0, n_classes - 1) for _ in range(n_labels + 1)], dtype=np.int32
        ),
        excluded=costs(n_classes, n_labels),
    )


def solve(problem, **changed):
    given = {**problem, **changed}
    return best_tree_labels(
        given["scores"].astype(np.float32),
        given["costs"],
        given["heads"],
        np.array([len(given["heads"])], dtype=np.int32),
        given["groups"],
        given["group_costs"],
        given["classes"],
        given["excluded"],
    )


def value(problem, labels, allowed=None):
    """Return the numbers of forbidden labels and of broken rules without exceptions, and the costs
    of other broken rules minus the sum of scores. Smaller values are better."""
    words = [d for d, head in enumerate(problem["heads"]) if head]
    total = sum(problem["scores"][d][labels[d]] for d in words)
    n_forbidden = 0 if allowed is None else sum(not allowed[d][labels[d]] for d in words)
    costs = costs_of_rules(labels, problem)
    others = sum(cost for cost in costs if cost < UNBROKEN)
    return n_forbidden, sum(cost == UNBROKEN for cost in costs), others - total


def all_labellings(problem):
    options = [
        range(len(problem["groups"])) if head else [-1] for head in problem["heads"].tolist()
    ]
    return product(*options)


@pytest.mark.parametrize("seed", range(400))
def test_labels_are_the_best_of_all(seed):
    problem = random_problem(random.Random(seed))
    labels, n_broken, values = solve(problem)
    best = min(value(problem, one) for one in all_labellings(problem))
    found = value(problem, labels.tolist())
    assert found[:2] == best[:2] and n_broken.tolist() == [best[1]]
    assert found[2] == pytest.approx(best[2], abs=1e-4)
    assert -values[0] == pytest.approx(best[2], abs=1e-4)


@pytest.mark.parametrize("seed", range(100))
def test_forbidden_labels_are_avoided_before_rules_are_kept(seed):
    rng = random.Random(seed)
    problem = random_problem(rng)
    allowed = np.array([[rng.random() < 0.5 for _ in row] for row in problem["costs"]])
    costs = np.where(allowed, problem["costs"], np.inf).astype(np.float32)
    labels, n_broken, _ = solve(problem, costs=costs)
    problem["costs"] = np.where(allowed, problem["costs"], 0.0)
    best = min(value(problem, one, allowed) for one in all_labellings(problem))
    found = value(problem, labels.tolist(), allowed)
    assert found[:2] == best[:2] and n_broken.tolist() == [best[1]]
    assert found[2] == pytest.approx(best[2], abs=1e-4)


def test_sentences_are_labelled_as_they_are_by_themselves():
    problems = []
    for seed in range(200):
        problem = random_problem(random.Random(seed))
        if len(problem["groups"]) == 4:
            problems.append(problem)
    first = problems[0]
    same = {key: first[key] for key in ("groups", "group_costs", "classes", "excluded")}
    labels, n_broken, values = best_tree_labels(
        np.concatenate([one["scores"] for one in problems]).astype(np.float32),
        np.concatenate([one["costs"] for one in problems]),
        np.concatenate([one["heads"] for one in problems]),
        np.array([len(one["heads"]) for one in problems], dtype=np.int32),
        *same.values(),
    )
    alone = [solve(one, **same) for one in problems]
    assert labels.tolist() == [label for one, _, _ in alone for label in one.tolist()]
    assert n_broken.tolist() == [int(number[0]) for _, number, _ in alone]
    assert values.tolist() == [float(one[0]) for _, _, one in alone]


@pytest.mark.parametrize("score", [np.nan, np.inf, -np.inf, 1e30, -1e30])
def test_scores_of_any_kind_do_not_outweigh_rules(score):
    heads = np.array([2, 0, 2, 2], dtype=np.int32)
    scores = np.full((4, 2), -1.0, dtype=np.float32)
    scores[:, 0] = score
    labels, n_broken, _ = best_tree_labels(
        scores,
        np.zeros((4, 2), dtype=np.float32),
        heads,
        np.array([4], dtype=np.int32),
        np.array([0, -1], dtype=np.int32),
        np.full(1, UNBROKEN, dtype=np.float32),
        np.zeros(3, dtype=np.int32),
        np.zeros((1, 2), dtype=np.float32),
    )
    assert labels[1] == -1 and n_broken.tolist() == [0]
    assert labels[[0, 2, 3]].tolist().count(0) <= 1


def test_a_long_sentence_with_all_words_under_one_head():
    n = 2000
    heads = np.full(n, 1, dtype=np.int32)
    heads[0] = 0
    rng = np.random.default_rng(0)
    labels, n_broken, _ = best_tree_labels(
        np.log(rng.random((n, 12))).astype(np.float32),
        np.zeros((n, 12), dtype=np.float32),
        heads,
        np.array([n], dtype=np.int32),
        np.array([*range(11), -1], dtype=np.int32),
        np.full(11, UNBROKEN, dtype=np.float32),
        np.zeros(13, dtype=np.int32),
        np.zeros((1, 12), dtype=np.float32),
    )
    assert n_broken.tolist() == [0]
    assert all(labels.tolist().count(label) <= 1 for label in range(11))


@pytest.mark.parametrize("n", [1, 2, 7, 50])
def test_each_word_breaks_three_rules(n):
    """The dependents of the first word, by themselves, by the label of their head, and all but one
    because the only label is unique."""
    heads = np.array([0] + [1] * n, dtype=np.int32)
    broken = np.full((n + 1, 1), UNBROKEN, dtype=np.float32)
    _, n_broken, values = best_tree_labels(
        np.full((n + 1, 1), -0.5, dtype=np.float32),
        broken,
        heads,
        np.array([n + 1], dtype=np.int32),
        np.zeros(1, dtype=np.int32),
        np.full(1, UNBROKEN, dtype=np.float32),
        np.array([0, 0], dtype=np.int32),
        broken[:1],
    )
    assert n_broken.tolist() == [3 * n - 1] and values == pytest.approx([-0.5 * n])


@pytest.mark.parametrize("heads", [[-1, 0], [0, 3], [2, 1], [0, 2]])
def test_heads_that_are_no_tree_are_refused(heads):
    with pytest.raises(ValueError, match="the heads of sentence 0 are no tree"):
        best_tree_labels(
            np.zeros((2, 1), dtype=np.float32),
            np.zeros((2, 1), dtype=np.float32),
            np.array(heads, dtype=np.int32),
            np.array([2], dtype=np.int32),
            np.full(1, -1, dtype=np.int32),
            np.zeros(0, dtype=np.float32),
            np.zeros(2, dtype=np.int32),
            np.zeros((1, 1), dtype=np.float32),
        )


def test_no_sentences():
    none = np.zeros((0, 3))
    labels, n_broken, _ = best_tree_labels(
        none.astype(np.float32),
        none.astype(np.float32),
        np.zeros(0, dtype=np.int32),
        np.zeros(0, dtype=np.int32),
        np.full(3, -1, dtype=np.int32),
        np.zeros(0, dtype=np.float32),
        np.zeros(4, dtype=np.int32),
        np.zeros((1, 3), dtype=np.float32),
    )
    assert not len(labels) and not len(n_broken)
