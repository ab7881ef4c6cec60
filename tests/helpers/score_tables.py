"""Random score tables, greedy decoding of them, and a slow scorer of single configurations."""

import numpy as np

from spacy_npparse.decoding import ScoreTables, decode_greedy
from spacy_npparse.systems import transition_systems

SYSTEMS = sorted(transition_systems.get_all())


def random_tables(system, lengths, seed=0, hidden=20, swap_bias=0.0):
    """Return random score tables for a batch."""
    rng = np.random.default_rng(seed)
    n_rows = sum(lengths) + len(lengths) + 1
    n_transitions = len(system.transitions)
    size = max(lengths, default=0) + 2

    def normal(*shape):
        return rng.standard_normal(shape, dtype=np.float32)

    tables = ScoreTables(
        words=normal(n_rows, len(system.position_names), hidden),
        arcs=normal(len(lengths), size, size),
        arc_weights=normal(len(system.candidate_arcs), hidden),
        output_weights=normal(n_transitions, hidden),
        output_bias=normal(n_transitions),
    )
    if "SWAP" in system.transitions:
        tables.output_bias[system.transitions.index("SWAP")] += swap_bias
    return tables


def decode(system, tables, lengths):
    return decode_greedy(system.kernel, tables, np.array(lengths, dtype=np.int32))


def features_and_scores(system, tables, configuration, sentence=0, root_row=0):
    """Return the rows of words, the indices of candidate arcs and the scores of transitions."""
    words = system.positions(configuration)
    rows = [len(tables.words) - 1 if word == -1 else root_row + word for word in words]
    hidden = sum(tables.words[row, p] for p, row in enumerate(rows))
    at = dict(zip(system.position_names, words, strict=True))
    arc_indices = []
    for weights, (dependent, head) in zip(tables.arc_weights, system.candidate_arcs, strict=True):
        if at[dependent] in (-1, 0) or at[head] == -1:
            arc_indices.append(-1)
        else:
            arc = (sentence, at[dependent], at[head])
            hidden = hidden + tables.arcs[arc] * weights
            arc_indices.append(int(np.ravel_multi_index(arc, tables.arcs.shape)))
    return rows, arc_indices, tables.output_weights @ np.maximum(hidden, 0) + tables.output_bias
