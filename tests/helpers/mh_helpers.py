"""Random scores and enumerated derivations of MH3 and MH4."""

import itertools
from functools import cache

import numpy as np

from spacy_npparse.decoding import MHFactors, MHScores
from spacy_npparse.systems import get_transition_system

MH4 = get_transition_system("mh4")
LINKS = MH4.transitions[1:]


def random_scores(lengths, seed=0):
    rng = np.random.default_rng(seed)
    size = max(lengths, default=0) + 2

    def normal(*shape):
        return rng.standard_normal((len(lengths), *shape, size, size), dtype=np.float32)

    return MHScores(shift=normal(), below=normal(6), front=normal(6), arcs=normal())


def factors_of(scores, lengths):
    """Return factors whose products are the given scores: vectors of later nodes are one-hot."""
    size = scores.arcs.shape[1]
    links = np.concatenate([scores.shift[:, None], scores.front], axis=1)

    def by_node(tables):
        rows = [table[:, : n + 2].swapaxes(0, 1) for table, n in zip(tables, lengths, strict=True)]
        return np.ascontiguousarray(np.concatenate(rows))

    ones = np.concatenate([np.eye(n + 2, size, dtype=np.float32) for n in lengths])
    return MHFactors(by_node(links), ones, by_node(scores.below), ones, scores.arcs)


@cache
def all_derivations(n, n_heads, single_root):
    """Return the different transition sequences of all deductions of [0, n + 1]."""

    @cache
    def item(nodes):
        if len(nodes) == 2 and nodes[1] == nodes[0] + 1:
            return {()}
        return {*combined(nodes), *linked(nodes)}

    def combined(nodes):
        for cut in range(1, len(nodes) - 1):
            for left, right in itertools.product(item(nodes[: cut + 1]), item(nodes[cut:])):
                yield (*left, "SHIFT", *right)

    def linked(nodes):
        if len(nodes) == n_heads:
            return
        first, last = nodes[0], nodes[-1]
        for word in range(first + 1, last):
            if word not in nodes:
                full = tuple(sorted((*nodes, word)))
                for name, head in links(full, word):
                    inner = single_root and not (len(full) == 3 and last == n + 1)
                    if head <= n and not (head == 0 and inner):
                        for transitions in item(full):
                            yield (*transitions, name)

    def links(nodes, word):
        *_, s1, s0, b0 = nodes
        if word == s0:
            yield from (("RIGHT-ARC", s1), ("LEFT-ARC", b0))
            if len(nodes) == 4:
                yield "RIGHT-ARC-2", nodes[0]
        elif len(nodes) == 4 and word == s1:
            yield from (("RIGHT-ARC'", nodes[0]), ("LEFT-ARC'", s0), ("LEFT-ARC-2", b0))

    return sorted(item((0, n + 1)))


@cache
def replay(transitions, n, single_root=True, whole=True):
    """Apply a derivation, or a prefix if whole is False. Return its heads and its parts: for each,
    the name of a table of scores and the index in it."""
    system = get_transition_system("mh4", single_root=single_root)
    c = system.initial(n)
    parts = []
    for name in transitions:
        s0, b0 = c.stack[-1], c.buffer[0] if c.buffer else n + 1
        after = system.apply(c, name)
        if name == "SHIFT":
            parts.append(("shift", (s0, b0)))
        else:
            t, s1 = LINKS.index(name), c.stack[-2]
            word = next(w for w in range(1, n + 1) if after.heads[w] != c.heads[w])
            parts += [("below", (t, s1, s0)), ("front", (t, s0, b0))]
            parts.append(("arcs", (after.heads[word], word)))
        c = after
    assert system.is_terminal(c) or not whole
    return c.heads, parts


def total_score(scores, parts):
    """Sum the scores of parts of the first sentence."""
    return sum(float(getattr(scores, table)[0][index]) for table, index in parts)
