"""Greedy decoding against a slow decoder on the plain-Python window."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_npparse.decoding import decode_greedy
from spacy_npparse.transitions import get_transition_system, is_tree, transition_systems

SYSTEMS = sorted(transition_systems.get_all())


def random_scorer(system, lengths, seed=0, hidden=20, swap_bias=0.0):
    """A random score table and output layer for a batch."""
    rng = np.random.default_rng(seed)
    n_rows = sum(lengths) + len(lengths) + 1
    n_transitions = len(system.transitions)
    table = rng.standard_normal((n_rows, len(system.position_names), hidden), dtype=np.float32)
    weights = rng.standard_normal((n_transitions, hidden), dtype=np.float32)
    bias = rng.standard_normal(n_transitions, dtype=np.float32)
    if "SWAP" in system.transitions:
        bias[system.transitions.index("SWAP")] += swap_bias
    return table, weights, bias


def decode(system, scorer, lengths):
    return decode_greedy(system.kernel, *scorer, np.array(lengths, dtype=np.int32))


def scores(system, scorer, configuration, root_row):
    table, weights, bias = scorer
    words = system.positions(configuration)
    rows = [len(table) - 1 if word == -1 else root_row + word for word in words]
    hidden = sum(table[row, p] for p, row in enumerate(rows))
    return rows, weights @ np.maximum(hidden, 0) + bias


def slow_greedy(system, scorer, n, root_row):
    c = system.initial(n)
    length = 0
    while not system.is_terminal(c):
        _, values = scores(system, scorer, c, root_row)
        legal = [system.transitions.index(name) for name in system.legal(c)]
        c = system.apply(c, system.transitions[max(legal, key=lambda t: values[t])])
        length += 1
    return list(c.heads[1:]), length


@pytest.mark.parametrize("single", [True, False])
@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("hidden", [1, 16, 35])
def test_same_trees_as_the_slow_decoder(name, single, hidden):
    system = get_transition_system(name, single_root=single)
    lengths = [3, 0, 1, 12, 7, 2]
    for seed in range(5):
        scorer = random_scorer(system, lengths, seed, hidden)
        result = decode(system, scorer, lengths)
        root_row = first = 0
        for sentence, n in enumerate(lengths):
            heads, length = slow_greedy(system, scorer, n, root_row)
            assert result.heads[first : first + n].tolist() == heads
            assert result.n_transitions[sentence] == length
            root_row += n + 1
            first += n


@settings(deadline=None, max_examples=25)
@given(
    st.sampled_from(SYSTEMS),
    st.lists(st.integers(0, 200), min_size=1, max_size=3),
    st.integers(0, 2**32),
    st.floats(-5, 5),
)
def test_random_scores_give_single_root_trees(name, lengths, seed, swap_bias):
    system = get_transition_system(name)
    result = decode(system, random_scorer(system, lengths, seed, 8, swap_bias), lengths)
    first = 0
    for n, length in zip(lengths, result.n_transitions, strict=True):
        assert is_tree([0, *result.heads[first : first + n]])
        assert length <= system.max_length(n)
        first += n
    assert first == len(result.heads)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 0.0])
@pytest.mark.parametrize("name", SYSTEMS)
def test_scores_without_meaning_still_give_a_tree(name, value):
    system = get_transition_system(name)
    table, weights, bias = random_scorer(system, [9])
    for scorer in (
        (np.full_like(table, value), weights, bias),
        (table, np.full_like(weights, value), bias),
        (table, weights, np.full_like(bias, value)),
    ):
        assert is_tree([0, *decode(system, scorer, [9]).heads])


@pytest.mark.parametrize("name", SYSTEMS)
def test_an_empty_batch(name):
    system = get_transition_system(name)
    result = decode(system, random_scorer(system, []), [])
    assert len(result.heads) == len(result.n_transitions) == 0


def test_decoding_is_deterministic_and_leaves_inputs_alone():
    system = get_transition_system("arc_hybrid_swap")
    scorer = random_scorer(system, [30])
    copies = [array.copy() for array in scorer]
    for array in scorer:
        array.flags.writeable = False
    first, second = decode(system, scorer, [30]), decode(system, scorer, [30])
    assert (first.heads == second.heads).all()
    assert all((a == b).all() for a, b in zip(scorer, copies, strict=True))


def test_shapes_are_checked():
    system = get_transition_system("arc_hybrid_swap")
    table, weights, bias = random_scorer(system, [3])
    with pytest.raises(ValueError, match="5 rows, but the sentences need 6"):
        decode(system, (table, weights, bias), [4])
    with pytest.raises(ValueError, match="3 positions of 20 hidden units, but ArcHybridSwap looks"):
        decode(system, (np.ascontiguousarray(table[:, :3]), weights, bias), [3])
    with pytest.raises(ValueError, match="do not fit the 4 transitions"):
        decode(system, (table, weights[:3], bias), [3])
    with pytest.raises(ValueError, match="do not fit the 4 transitions"):
        decode(system, (table, weights, bias[:3]), [3])
    with pytest.raises(ValueError, match="negative"):
        decode(system, (table, weights, bias), [-1, 4])
