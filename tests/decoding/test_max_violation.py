"""Compare the largest violations that a beam finds in global training with all derivations."""

import numpy as np
import pytest
from brute_force import random_trees
from score_tables import SYSTEMS, features_and_scores, random_tables

from spacy_npparse.decoding import max_violations
from spacy_npparse.systems import get_transition_system
from spacy_npparse.transitions import derivable

GOLD = (0, 3, 0, 2)
ORACLES = [(name, oracle) for name in SYSTEMS for oracle in get_transition_system(name).oracles]


def find(system, oracle, tables, golds, width, margin=1.0):
    lengths = np.array([len(gold) - 1 for gold in golds], dtype=np.int32)
    heads = np.array([head for gold in golds for head in gold[1:]], dtype=np.int32)
    return max_violations(system.kernel, oracle, tables, lengths, heads, width, margin)


def total(tables, found, system):
    """Return the score of the wrong transitions minus the score of the right transitions."""
    difference = 0.0
    for row, cells, t, sign in zip(
        found.states, found.arcs, found.transitions, found.signs, strict=True
    ):
        hidden = sum(tables.words[r, p] for p, r in enumerate(row))
        for cell, weights in zip(cells, tables.arc_weights, strict=True):
            if cell >= 0:
                hidden = hidden + tables.arcs.flat[cell] * weights
        values = tables.output_weights @ np.maximum(hidden, 0) + tables.output_bias
        difference += sign * values[t]
    return difference


def best_prefixes(system, oracle, tables, gold):
    """Yield the best derivation of each configuration at a frontier: the frontier, the number of
    wrong arcs, the score, and whether a transition was wrong."""
    n = len(gold) - 1
    words = set(range(1, n + 1))
    agenda = {(system.initial(n), frozenset(), False): 0.0}
    while agenda:
        reached = {}
        for (c, seen, wrong), score in agenda.items():
            if system.is_terminal(c):
                continue
            costs = oracle.costs(c) if not wrong else {}
            *_, values = features_and_scores(system, tables, c)
            read = len(seen)
            for name in system.legal(c):
                after = system.apply(c, name)
                off = wrong or costs[name] != min(costs.values())
                new = score + values[system.transitions.index(name)]
                out = seen | (words - set(after.buffer))
                frontier = n + 1 if system.is_terminal(after) else len(out)
                if frontier > read:
                    arcs = zip(after.heads[1:], gold[1:], strict=True)
                    wrong_arcs = sum(-1 not in arc and arc[0] != arc[1] for arc in arcs)
                    yield frontier, wrong_arcs, new, off
                state = after, out, off
                reached[state] = max(new, reached.get(state, -np.inf))
        agenda = reached


@pytest.mark.parametrize("gold", [(0, 2, 0, 2), (0, 3, 0, 2), (0, 3, 0, -1)])
@pytest.mark.parametrize(("name", "oracle"), ORACLES)
def test_a_wide_beam_finds_the_largest_violation(name, oracle, gold):
    system = get_transition_system(name)
    tables = random_tables(system, [3], seed=8)
    [covered] = derivable(system.kernel, np.array([3], "int32"), np.array(gold[1:], "int32"))
    judge = system.kernel.oracle(oracle)
    margins = (3.0, 0.0)
    if (not covered or -1 in gold) and not judge.explores:
        for margin in margins:
            found = find(system, oracle, tables, [gold], 5000, margin)
            assert len(found.states) == len(found.margins) == 0
        return
    free = get_transition_system(name, single_root=judge.honours_single_root)
    prefixes = list(best_prefixes(free, free.oracle(oracle, gold), tables, gold))
    for margin in margins:
        found = find(system, oracle, tables, [gold], 5000, margin)
        best = {}
        for frontier, wrong_arcs, score, wrong in prefixes:
            augmented = score + margin * wrong_arcs
            best[frontier, wrong] = max(augmented, best.get((frontier, wrong), -np.inf))
        expected = max(
            best[frontier, True] - best[frontier, False]
            for frontier, wrong in best
            if wrong and (frontier, False) in best
        )
        violation = total(tables, found, system) + found.margins.sum()
        assert violation == pytest.approx(max(expected, 0.0), abs=1e-3)


@pytest.mark.parametrize("width", [1, 4])
@pytest.mark.parametrize(("name", "oracle"), ORACLES)
def test_narrow_beams_find_violations(name, oracle, width):
    system = get_transition_system(name)
    explores = system.oracle(oracle, (0, 0)).explores
    golds = random_trees(3, 2, covered_by=None if explores else (system, oracle))
    tables = random_tables(system, [len(gold) - 1 for gold in golds], seed=2)
    found = find(system, oracle, tables, golds, width)
    assert set(found.sentence) <= {0, 1, 2} and (np.diff(found.sentence) >= 0).all()
    assert len(found.margins) == len(set(found.sentence))
    assert total(tables, found, system) + found.margins.sum() > 0.0
    for sentence in set(found.sentence):
        signs = found.signs[found.sentence == sentence]
        assert (signs == 1).any() or (signs == -1).any()


def test_what_a_static_oracle_does_not_know_teaches_nothing():
    tables_of = lambda system, n: random_tables(system, [n], seed=1)  # noqa: E731
    projective = get_transition_system("arc_standard")
    crossing = (0, 3, 4, 0, 3)
    assert len(find(projective, "static", tables_of(projective, 4), [crossing], 4).states) == 0
    assert len(find(projective, "dynamic", tables_of(projective, 4), [crossing], 4).states) > 0
    system = get_transition_system("arc_hybrid_swap")
    partial = (0, 3, -1, 0, 3)
    assert len(find(system, "static", tables_of(system, 4), [partial], 4).states) == 0
    assert len(find(system, "static-dynamic", tables_of(system, 4), [partial], 4).states) > 0


@pytest.mark.parametrize(("name", "oracle"), ORACLES)
def test_sentences_without_words(name, oracle):
    system = get_transition_system(name)
    found = find(system, oracle, random_tables(system, [0, 2]), [(0,), (0, 2, 0)], 3)
    assert set(found.sentence) <= {1}


def test_the_margin_grows_with_the_number_of_wrong_arcs():
    system = get_transition_system("arc_hybrid_swap")
    tables = random_tables(system, [3], seed=0)
    found = find(system, "static-dynamic", tables, [GOLD], 50, margin=1e6)
    # A derivation can give all words a wrong head, and right derivations give none.
    assert found.margins.tolist() == [3e6]


def test_bad_input_is_refused():
    system = get_transition_system("arc_hybrid_swap")
    tables = random_tables(system, [3])
    with pytest.raises(ValueError, match="at least 1 wide"):
        find(system, "static", tables, [GOLD], 0)
    with pytest.raises(ValueError, match="cycle"):
        find(system, "static", tables, [(0, 2, 1, 0)], 2)
    with pytest.raises(ValueError, match="gold heads"):
        max_violations(
            system.kernel, "static", tables, np.array([3], "int32"), np.zeros(2, "int32"), 2, 1.0
        )
