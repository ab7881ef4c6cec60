"""Compare exact search with all derivations of the deduction system."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mh_helpers import MH4, all_derivations, factors_of, random_scores, replay, total_score

from spacy_npparse.decoding import MHScores, decode_mh, decode_mh_greedily
from spacy_npparse.systems import get_transition_system
from spacy_npparse.trees import is_projective, is_tree


def decode(scores, lengths, n_heads, single_root=True):
    return decode_mh(scores, np.array(lengths, dtype=np.int32), n_heads, single_root)


def decode_greedily(scores, lengths, n_heads, single_root=True):
    factors = factors_of(scores, lengths)
    return decode_mh_greedily(factors, np.array(lengths, dtype=np.int32), n_heads, single_root)


def names_of(transitions):
    return tuple(MH4.transitions[t] for t in transitions)


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("n_heads", [3, 4])
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_the_best_of_all_derivations_is_found(n, n_heads, single_root):
    derivations = [replay(d, n, single_root) for d in all_derivations(n, n_heads, single_root)]
    for seed in range(5 if n < 4 else 2):
        scores = random_scores([n], seed)
        expected = max(total_score(scores, parts) for _, parts in derivations)
        found = decode(scores, [n], n_heads, single_root)
        heads, parts = replay(names_of(found.transitions), n, single_root)
        assert found.scores[0] == pytest.approx(expected, abs=1e-4)
        assert total_score(scores, parts) == pytest.approx(expected, abs=1e-4)
        assert found.heads.tolist() == list(heads[1:])


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("n_heads", [3, 4])
def test_greedy_search_takes_the_best_transition(n_heads, single_root):
    lengths = [1, 0, 7, 12]
    tables = random_scores(lengths, seed=5)
    found = decode_greedily(tables, lengths, n_heads, single_root)
    system = get_transition_system("mh4", single_root=single_root)
    steps, words = iter(found.transitions), iter(found.heads)
    for sentence, n in enumerate(lengths):
        scores = MHScores(*(part[sentence : sentence + 1] for part in tables))
        c = system.initial(n)
        names = ()
        while not system.is_terminal(c):
            *before, _ = names = (*names, MH4.transitions[next(steps)])
            known = MH4.transitions if n_heads == 4 else MH4.transitions[:3]
            allowed = [t for t in system.legal(c) if t in known]
            values = {}
            for t in allowed:
                _, parts = replay((*before, t), n, single_root, whole=False)
                values[t] = total_score(scores, parts)
            assert values[names[-1]] == pytest.approx(max(values.values()), abs=1e-5)
            c = system.apply(c, names[-1])
        heads, parts = replay(names, n, single_root)
        assert list(heads[1:]) == [next(words) for _ in range(n)]
        assert found.scores[sentence] == pytest.approx(total_score(scores, parts), abs=1e-4)


@settings(deadline=None, max_examples=20)
@given(st.lists(st.integers(0, 400), min_size=1, max_size=3), st.integers(0, 99))
def test_long_sentences_are_searched_greedily(lengths, seed):
    tables = random_scores(lengths, seed)
    for n_heads in (3, 4):
        found = decode_greedily(tables, lengths, n_heads)
        for heads in np.split(found.heads, np.cumsum(lengths)[:-1]):
            assert len(heads) == 0 or is_tree([0, *heads.tolist()])


def gold_only(heads):
    """Return scores of 0 for gold arcs, and of -100 for others."""
    n = len(heads) - 1
    arcs = np.full((1, n + 2, n + 2), -100, dtype=np.float32)
    for word in range(1, n + 1):
        arcs[0, heads[word], word] = 0
    return MHScores.of_arcs(arcs)


@pytest.mark.parametrize("n, n_covered", [(1, 1), (2, 3), (3, 16), (4, 118), (5, 1019)])
def test_coverage(n, n_covered):
    """MH4 covers n_covered trees, and MH3 covers exactly the projective trees."""
    covered = 0
    for heads in itertools.product(range(n + 1), repeat=n):
        heads = (0, *heads)
        if is_tree(heads, single_root=False):
            four, three = (decode(gold_only(heads), [n], k, single_root=False) for k in (4, 3))
            assert (three.scores[0] == 0) == is_projective(heads)
            covered += four.scores[0] == 0
            assert four.scores[0] < 0 or four.heads.tolist() == list(heads[1:])
    assert covered == n_covered


@settings(deadline=None, max_examples=30)
@given(
    st.lists(st.integers(0, 60), min_size=1, max_size=3),
    st.integers(0, 2**32),
    st.sampled_from([3, 4]),
)
def test_trees_of_any_length(lengths, seed, n_heads):
    found = decode(random_scores(lengths, seed), lengths, n_heads)
    first = 0
    for n in lengths:
        heads = [0, *found.heads[first : first + n]]
        assert is_tree(heads)
        assert n_heads == 4 or is_projective(heads)
        first += n


def test_wrong_shapes_are_named():
    scores = random_scores([3])
    with pytest.raises(ValueError, match="3 or 4 heads, not 5"):
        decode(scores, [3], 5)
    with pytest.raises(ValueError, match="scores of 5 nodes do not fit sentences of 4 to 4 words"):
        decode(scores, [4], 4)
    narrow = scores._replace(below=np.ascontiguousarray(scores.below[:, :5]))
    with pytest.raises(ValueError, match=r"below scores have the shape \[1, 5, 5, 5\], but should"):
        decode(narrow, [3], 4)
