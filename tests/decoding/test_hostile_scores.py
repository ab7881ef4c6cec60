"""Decoders return trees under any scores, and raise MemoryError if there is too little memory."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from spacy_npparse import get_transition_system
from spacy_npparse.decoding import (
    IMPOSSIBLE,
    MHFactors,
    MHScores,
    OneEndpointCrossingScores,
    ScoreTables,
    best_segmentation,
    decode_beam,
    decode_greedy,
    decode_mh,
    decode_mh_greedily,
    decode_one_endpoint_crossing,
    decode_spanning_trees,
    explain,
    mh_marginals,
    score_spans,
)
from spacy_npparse.systems import transition_systems
from spacy_npparse.trees import is_one_endpoint_crossing, is_projective, is_tree

HOSTILE = [np.nan, np.inf, -np.inf, 3.4e38, -3.4e38, IMPOSSIBLE, 2 * IMPOSSIBLE, 1e6, -1e6]
MILD = [0.0, 1.0, -0.5]
LENGTHS = st.lists(st.integers(0, 9), min_size=1, max_size=3)
hostile = settings(deadline=None, max_examples=60)


def values(data, *shape):
    """Draw scores that are all the same, mostly hostile, or mostly mild."""
    few = data.draw(st.lists(st.sampled_from(HOSTILE + MILD), min_size=1, max_size=4))
    fill = st.sampled_from(few)
    return data.draw(arrays(np.float32, shape, elements=st.sampled_from(HOSTILE), fill=fill))


def trees(heads, lengths):
    parts = np.split(heads, np.cumsum(lengths)[:-1])
    return [[0, *part.tolist()] for part in parts if len(part)]


def int32(lengths):
    return np.array(lengths, dtype=np.int32)


@hostile
@given(LENGTHS, st.data(), st.sampled_from([np.float32, np.float64]))
def test_spanning_trees(lengths, data, dtype):
    size = max(lengths) + 1
    arcs = values(data, len(lengths), size, size).astype(dtype)
    found = trees(decode_spanning_trees(arcs, int32(lengths)), lengths)
    assert all(is_tree(heads) for heads in found)


def mh_tables(data, lengths):
    size = max(lengths) + 2
    shapes = [(len(lengths), *links, size, size) for links in [(), (6,), (6,), ()]]
    return MHScores(*(values(data, *shape) for shape in shapes))


def mh_factors(data, lengths):
    n_nodes, size = sum(lengths) + 2 * len(lengths), max(lengths) + 1
    shapes = [(n_nodes, 7, 2), (n_nodes, 2), (n_nodes, 6, 3), (n_nodes, 3)]
    return MHFactors(
        *(values(data, *shape) for shape in shapes), values(data, len(lengths), size, size)
    )


@hostile
@given(
    LENGTHS,
    st.data(),
    st.sampled_from([3, 4]),
    st.booleans(),
    st.sampled_from(["exact", "greedy"]),
)
def test_mh(lengths, data, n_heads, single_root, how):
    if how == "greedy":
        found = decode_mh_greedily(mh_factors(data, lengths), int32(lengths), n_heads, single_root)
    else:
        found = decode_mh(mh_tables(data, lengths), int32(lengths), n_heads, single_root)
    assert np.isfinite(found.scores).all()
    for heads in trees(found.heads, lengths):
        assert is_tree(heads, single_root=single_root)
        assert n_heads == 4 or is_projective(heads)


@hostile
@given(LENGTHS, st.data(), st.sampled_from([3, 4]))
def test_mh_marginals(lengths, data, n_heads):
    arcs, log_partition = mh_marginals(mh_tables(data, lengths), int32(lengths), n_heads)
    assert np.isfinite(log_partition).all()
    for of_sentence, n in zip(arcs, lengths, strict=True):
        assert ((0 <= of_sentence) & (of_sentence <= 1)).all()
        assert of_sentence[:, 1 : n + 1].sum(axis=0) == pytest.approx(1.0, abs=1e-3)


@hostile
@given(LENGTHS, st.data(), st.booleans())
def test_one_endpoint_crossing(lengths, data, single_root):
    size = max(lengths) + 1
    scores = [values(data, len(lengths), size, size) for _ in range(4)]
    found = decode_one_endpoint_crossing(
        OneEndpointCrossingScores(*scores), int32(lengths), single_root
    )
    assert np.isfinite(found.scores).all()
    for heads in trees(found.heads, lengths):
        assert is_tree(heads, single_root=single_root) and is_one_endpoint_crossing(heads)


def score_tables(data, system, lengths):
    n_rows, size = sum(lengths) + len(lengths) + 1, max(lengths) + 1
    return ScoreTables(
        words=values(data, n_rows, system.n_positions, 2),
        arcs=values(data, len(lengths), size, size),
        arc_weights=values(data, system.n_candidate_arcs, 2),
        output_weights=values(data, system.n_transitions, 2),
        output_bias=values(data, system.n_transitions),
    )


@pytest.mark.parametrize("name", sorted(transition_systems.get_all()))
@settings(deadline=None, max_examples=10)
@given(lengths=LENGTHS, data=st.data(), normalised=st.booleans())
def test_transitions(name, lengths, data, normalised):
    system = transition_systems.get(name)(single_root=True)
    tables = score_tables(data, system, lengths)
    greedy = decode_greedy(system, tables, int32(lengths))
    beam = decode_beam(system, tables, int32(lengths), 3, normalised)
    for heads in (greedy.heads, beam.heads[0]):
        assert all(is_tree(tree) for tree in trees(heads, lengths))
    single = decode_beam(system, tables, int32(lengths), 1, normalised=False)
    assert single.heads[0].tolist() == greedy.heads.tolist()


@pytest.mark.parametrize("name", sorted(transition_systems.get_all()))
@settings(deadline=None, max_examples=5)
@given(n=st.integers(0, 9), data=st.data(), width=st.sampled_from([1, 3]), normalised=st.booleans())
def test_explanations(name, n, data, width, normalised):
    """An explanation is the derivation of a tree."""
    system = transition_systems.get(name)(single_root=True)
    tables = score_tables(data, system, [n])
    transitions, scores = explain(system, tables, n, width, normalised)
    assert scores.shape == (len(transitions), system.n_transitions)
    interface = get_transition_system(name, single_root=True)
    c = interface.initial(n)
    for transition in transitions:
        c = interface.apply(c, interface.transitions[transition])
    assert interface.is_terminal(c)
    assert n == 0 or is_tree([0, *c.heads[1:]])


@hostile
@given(st.integers(1, 12), st.integers(1, 4), st.integers(1, 12), st.data())
def test_segmentation(n, reach, max_length, data):
    """Sentences begin only at candidates, and at all certain starts."""
    candidates = data.draw(arrays(np.bool_, n + 1))
    candidates[[0, n]] = True
    certain = candidates & data.draw(arrays(np.bool_, n + 1))
    certain[n] = True
    spans = score_spans(
        values(data, n, 2 * reach + 1), values(data, n), candidates, certain, max_length
    )
    assert (np.abs(spans.scores) <= (n + 2) * 2 * -IMPOSSIBLE).all()
    starts = best_segmentation(values(data, n).astype(np.float64), spans)
    assert starts[0]
    assert not (starts & ~candidates[:n]).any()
    assert not (certain[1:n] & ~starts[1:]).any()


MH_SCORES = "MHScores(*[zeros(1, *links, {n}, {n}) for links in [(), (6,), (6,), ()]])"


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are not the same elsewhere")
@pytest.mark.parametrize(
    "make, call",
    [
        ("zeros(1, 2001, 2001)", "decode_spanning_trees(scores, words(2000))"),
        (MH_SCORES.format(n=602), "decode_mh(scores, words(600), 4)"),
        (MH_SCORES.format(n=402), "mh_marginals(scores, words(400), 4)"),
        (
            "OneEndpointCrossingScores(*[zeros(1, 201, 201)] * 4)",
            "decode_one_endpoint_crossing(scores, words(200))",
        ),
    ],
)
def test_too_little_memory_is_an_error(make, call):
    assert in_little_memory(make, call) == "MemoryError\n"


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are not the same elsewhere")
def test_mh3_takes_quadratic_memory():
    assert in_little_memory(MH_SCORES.format(n=602), "decode_mh(scores, words(600), 3)") == ""


def in_little_memory(make, call):
    """Return what a process prints that makes scores, and then has 32 MB more for a call."""
    script = f"""
        import resource
        import numpy as np
        from spacy_npparse.decoding import *

        zeros = lambda *shape: np.zeros(shape, dtype=np.float32)
        words = lambda n: np.array([n], dtype=np.int32)
        scores = {make}
        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + 2**25, resource.RLIM_INFINITY))
        try:
            {call}
        except MemoryError:
            print("MemoryError")
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
