"""Compare greedy decoding with a slow decoder in Python."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from score_tables import SYSTEMS, decode, features_and_scores, random_tables

from spacy_npparse.systems import get_transition_system
from spacy_npparse.trees import is_tree


def slow_greedy(system, tables, n, sentence, root_row):
    c = system.initial(n)
    length = 0
    while not system.is_terminal(c):
        *_, values = features_and_scores(system, tables, c, sentence, root_row)
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
        tables = random_tables(system, lengths, seed, hidden)
        result = decode(system, tables, lengths)
        root_row = first = 0
        for sentence, n in enumerate(lengths):
            heads, length = slow_greedy(system, tables, n, sentence, root_row)
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
    result = decode(system, random_tables(system, lengths, seed, 8, swap_bias), lengths)
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
    tables = random_tables(system, [9])
    for name, array in tables._asdict().items():
        broken = tables._replace(**{name: np.full_like(array, value)})
        assert is_tree([0, *decode(system, broken, [9]).heads])


@pytest.mark.parametrize("name", SYSTEMS)
def test_an_empty_batch(name):
    system = get_transition_system(name)
    result = decode(system, random_tables(system, []), [])
    assert len(result.heads) == len(result.n_transitions) == 0


def test_decoding_is_deterministic_and_leaves_inputs_alone():
    system = get_transition_system("arc_hybrid_swap")
    tables = random_tables(system, [30])
    copies = [array.copy() for array in tables]
    for array in tables:
        array.flags.writeable = False
    first, second = decode(system, tables, [30]), decode(system, tables, [30])
    assert (first.heads == second.heads).all()
    assert all((a == b).all() for a, b in zip(tables, copies, strict=True))


def test_shapes_are_checked():
    system = get_transition_system("arc_hybrid_swap")
    tables = random_tables(system, [3])

    def refused(message, lengths=(3,), **changed):
        with pytest.raises(ValueError, match=message):
            decode(system, tables._replace(**changed), lengths)

    refused("5 rows, but the sentences need 6", [4])
    refused("negative", [-1, 4])
    few = np.ascontiguousarray(tables.words[:, :3])
    refused("3 positions of 20 hidden units, but ArcHybridSwap looks", words=few)
    refused("do not fit the 4 transitions", output_weights=tables.output_weights[:3])
    refused("do not fit the 4 transitions", output_bias=tables.output_bias[:3])
    refused("do not fit the 4 candidate arcs", arc_weights=tables.arc_weights[:3])
    small = np.ascontiguousarray(tables.arcs[:, :3, :3])
    refused(r"arc scores \[1, 3, 3\] do not fit 1 sentences of up to 3 words", arcs=small)
    refused("arc scores", arcs=np.ascontiguousarray(tables.arcs[:, :, :4]))
    refused("arc scores", arcs=tables.arcs[:0])
