"""Compare beam search with greedy decoding and with all derivations."""

from collections import defaultdict
from functools import cache

import numpy as np
import pytest
from brute_force import all_trees, single_root
from score_tables import SYSTEMS, decode, features_and_scores, random_tables

from spacy_npparse.decoding import decode_beam, explain, score_trees
from spacy_npparse.systems import get_transition_system
from spacy_npparse.transitions.coverage import derivable
from spacy_npparse.trees import is_tree


def search(system, tables, lengths, width, normalised=True):
    return decode_beam(system.kernel, tables, np.array(lengths, dtype=np.int32), width, normalised)


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_beam_of_one_is_greedy(name):
    system = get_transition_system(name)
    lengths = [3, 1, 12, 7, 25]
    tables = random_tables(system, lengths, seed=3)
    found = search(system, tables, lengths, 1)
    expected = decode(system, tables, lengths)
    assert found.heads[0].tolist() == expected.heads.tolist()


def all_derivations(system, tables, n, normalised):
    """Return the scores of all derivations of each tree."""

    @cache
    def successors(c):
        *_, values = features_and_scores(system, tables, c)
        legal = system.legal(c)
        chosen = np.array([values[system.transitions.index(t)] for t in legal], dtype=float)
        gains = chosen - normalised * np.logaddexp.reduce(chosen)
        return [(gain, system.apply(c, t)) for t, gain in zip(legal, gains, strict=True)]

    found = defaultdict(list)
    agenda = [(0.0, system.initial(n))]
    while agenda:
        score, c = agenda.pop()
        if system.is_terminal(c):
            found[c.heads[1:]].append(score)
            continue
        agenda += [(score + gain, after) for gain, after in successors(c)]
    return found


@pytest.mark.parametrize("normalised", [True, False])
@pytest.mark.parametrize("name", SYSTEMS)
def test_a_wide_beam_finds_the_best_derivation_of_every_tree(name, normalised):
    system = get_transition_system(name)
    tables = random_tables(system, [3], seed=5)
    expected = all_derivations(system, tables, 3, normalised)
    best = {tree: max(scores) for tree, scores in expected.items()}
    ranked = sorted(best, key=best.__getitem__, reverse=True)
    found = search(system, tables, [3], 2000, normalised)
    n_trees = len(ranked)
    assert list(map(tuple, found.heads[:n_trees].tolist())) == ranked
    assert found.scores[:n_trees, 0] == pytest.approx([best[tree] for tree in ranked], abs=1e-4)
    joint = [np.logaddexp.reduce(expected[tree]) if normalised else best[tree] for tree in ranked]
    assert found.joint_scores[:n_trees, 0] == pytest.approx(joint, abs=1e-4)
    assert np.isneginf(found.scores[n_trees:]).all()
    assert np.isneginf(found.joint_scores[n_trees:]).all()
    assert (found.heads[n_trees:] == -1).all()


def derivable_trees(system, n):
    """Return the single-rooted trees of n words that a system derives: [n_trees, n]."""
    trees = np.array([tree[1:] for tree in all_trees(n) if single_root(tree)], dtype=np.int32)
    return trees[derivable(system.kernel, np.full(len(trees), n, dtype=np.int32), trees.ravel())]


@pytest.mark.parametrize("normalised", [True, False])
@pytest.mark.parametrize("name", SYSTEMS)
def test_trees_have_the_score_of_one_of_their_derivations(name, normalised):
    system = get_transition_system(name)
    tables = random_tables(system, [3], seed=5)
    expected = all_derivations(system, tables, 3, normalised)
    trees = derivable_trees(system, 3)
    assert set(map(tuple, trees.tolist())) == set(expected)
    scores = score_trees(system.kernel, tables, trees, normalised)
    for tree, score in zip(trees.tolist(), scores, strict=True):
        assert any(abs(score - one) < 1e-4 for one in expected[tuple(tree)])


@pytest.mark.parametrize("name", SYSTEMS)
def test_all_trees_of_a_system_have_scores(name):
    system = get_transition_system(name)
    tables = random_tables(system, [5], seed=5)
    scores = score_trees(system.kernel, tables, derivable_trees(system, 5))
    assert np.isfinite(scores).all() and (scores < 0).all()
    cyclic = np.array([[0, 1, 2, 5, 4]], dtype=np.int32)
    with pytest.raises(ValueError, match="cycle"):
        score_trees(system.kernel, tables, cyclic)


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_narrow_beam_holds_different_trees(name):
    system = get_transition_system(name)
    lengths = [9] * 10
    found = search(system, random_tables(system, lengths, seed=7, swap_bias=-4.0), lengths, 8)
    counts = np.isfinite(found.scores).sum(axis=0)
    # A beam ends with fewer than 8 trees if its items before the last words lead to the same trees.
    assert counts.mean() > 4.0
    for sentence, count in enumerate(counts):
        trees = found.heads[:count, 9 * sentence : 9 * sentence + 9]
        assert len(np.unique(trees, axis=0)) == count
    assert (found.joint_scores >= found.scores).all()
    # Joint scores are higher, unless each tree has only one derivation.
    several = any(
        len(scores) > 1
        for n in (3, 4)
        for scores in all_derivations(system, random_tables(system, [n]), n, True).values()
    )
    assert (found.joint_scores > found.scores).any() == several


@pytest.mark.parametrize("name", SYSTEMS)
def test_sentences_are_independent(name):
    system = get_transition_system(name)
    lengths = [7, 4, 9]
    tables = random_tables(system, lengths, seed=9)
    found = search(system, tables, lengths, 4)
    word = row = 0
    for sentence, n in enumerate(lengths):
        rows = [*range(row, row + n + 1), len(tables.words) - 1]
        alone = tables._replace(words=tables.words[rows], arcs=tables.arcs[[sentence]].copy())
        expected = search(system, alone, [n], 4)
        assert found.heads[:, word : word + n].tolist() == expected.heads.tolist()
        assert found.scores[:, sentence].tolist() == expected.scores[:, 0].tolist()
        word += n
        row += n + 1


@pytest.mark.parametrize("name", SYSTEMS)
def test_wider_beams_find_likelier_trees(name):
    system = get_transition_system(name)
    lengths = [9] * 20
    tables = random_tables(system, lengths, seed=1)
    tables.output_weights[:] *= 0.1
    narrow, wide = (search(system, tables, lengths, width) for width in (1, 8))
    assert wide.scores[0].mean() >= narrow.scores[0].mean()
    assert (wide.scores[1:] <= wide.scores[:-1]).all()
    for rank, sentence in np.argwhere(np.isfinite(wide.scores)):
        heads = wide.heads[rank, 9 * sentence : 9 * sentence + 9]
        assert is_tree([0, *heads], single_root=True)


def replay(system, tables, n, width, normalised=True):
    """Check the scores of an explanation; return its tree and the sum of the scores."""
    found = explain(system.kernel, tables, n, width, normalised)
    assert found.scores.shape == (len(found.transitions), len(system.transitions))
    c = system.initial(n)
    total = 0.0
    for t, given in zip(found.transitions, found.scores, strict=True):
        assert given == pytest.approx(features_and_scores(system, tables, c)[2], abs=1e-3)
        legal = [system.transitions.index(name) for name in system.legal(c)]
        total += given[t] - np.logaddexp.reduce(given[legal].astype(float)) * normalised
        c = system.apply(c, system.transitions[t])
    assert system.is_terminal(c)
    return c.heads[1:], total


@pytest.mark.parametrize("normalised", [True, False])
@pytest.mark.parametrize("width", [1, 4])
@pytest.mark.parametrize("name", SYSTEMS)
def test_explanations_lead_to_the_best_tree(name, width, normalised):
    system = get_transition_system(name)
    for n in (0, 1, 9):
        tables = random_tables(system, [n], seed=n)
        lengths = np.array([n], dtype=np.int32)
        expected = decode_beam(system.kernel, tables, lengths, width, normalised)
        heads, total = replay(system, tables, n, width, normalised)
        best = expected.joint_scores[:, 0].argmax()
        assert heads == tuple(expected.heads[best])
        assert total == pytest.approx(expected.scores[best, 0], abs=1e-2)
        if width == 1:
            assert heads == tuple(decode(system, tables, [n]).heads)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_scores_that_are_no_numbers_still_give_trees(value):
    system = get_transition_system("arc_hybrid_swap")
    tables = random_tables(system, [6])
    tables.words[:] = value
    found = search(system, tables, [6], 4)
    assert all(is_tree([0, *heads], single_root=True) for heads in found.heads if heads[0] >= 0)
    assert is_tree([0, *found.heads[0]], single_root=True)


def test_the_width_is_checked():
    system = get_transition_system("arc_hybrid")
    with pytest.raises(ValueError, match="at least 1 wide, not 0"):
        search(system, random_tables(system, [2]), [2], 0)
    with pytest.raises(ValueError, match="at least 1 wide, not 0"):
        explain(system.kernel, random_tables(system, [2]), 2, 0)


@pytest.mark.parametrize("name", SYSTEMS)
def test_sentences_without_words(name):
    system = get_transition_system(name)
    tables = random_tables(system, [0, 2, 0])
    found = search(system, tables, [0, 2, 0], 3)
    assert found.scores[0, [0, 2]].tolist() == [0.0, 0.0]
    assert is_tree([0, *found.heads[0]])
