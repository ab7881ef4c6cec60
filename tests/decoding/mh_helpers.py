"""What the tests of exact search share: scores, all derivations, and what these are worth."""

import itertools
from functools import cache

import numpy as np

from spacy_npparse.decoding import MHScores
from spacy_npparse.systems import get_transition_system

MH4 = get_transition_system("mh4")
LINKS = MH4.transitions[1:]


def random_scores(lengths, seed=0):
    rng = np.random.default_rng(seed)
    size = max(lengths, default=0) + 2

    def numbers(*shape):
        return rng.standard_normal((len(lengths), *shape, size, size), dtype=np.float32)

    return MHScores(shift=numbers(), below=numbers(6), front=numbers(6), arcs=numbers())


def all_derivations(n, n_heads, single_root):
    """Every derivation of [0, n + 1]: its transitions and heads."""

    @cache
    def item(nodes):
        if len(nodes) == 2 and nodes[1] == nodes[0] + 1:
            return [((), ())]
        return [*combined(nodes), *linked(nodes)]

    def combined(nodes):
        for cut in range(1, len(nodes) - 1):
            for left, right in itertools.product(item(nodes[: cut + 1]), item(nodes[cut:])):
                yield (*left[0], "SHIFT", *right[0]), (*left[1], *right[1])

    def linked(nodes):
        if len(nodes) == n_heads:
            return
        first, last = nodes[0], nodes[-1]
        for word in range(first + 1, last):
            if word not in nodes:
                full = tuple(sorted((*nodes, word)))
                for name, head in links(full, word):
                    final = single_root and not (len(full) == 3 and last == n + 1)
                    if head <= n and not (head == 0 and final):
                        for transitions, arcs in item(full):
                            yield (*transitions, name), (*arcs, (head, word))

    def links(nodes, word):
        *_, s1, s0, b0 = nodes
        if word == s0:
            yield from (("RIGHT-ARC", s1), ("LEFT-ARC", b0))
            if len(nodes) == 4:
                yield "RIGHT-ARC-2", nodes[0]
        elif len(nodes) == 4 and word == s1:
            yield from (("RIGHT-ARC'", nodes[0]), ("LEFT-ARC'", s0), ("LEFT-ARC-2", b0))

    return item((0, n + 1))


def replay(scores, transitions, n, single_root=True, whole=True):
    """The tree of a derivation, or of the beginning of one, and its score in the transition
    system."""
    system = get_transition_system("mh4", single_root=single_root)
    c = system.initial(n)
    total = 0.0
    for name in transitions:
        s0, b0 = c.stack[-1], c.buffer[0] if c.buffer else n + 1
        if name == "SHIFT":
            # That of the root is not scored.
            total += scores.shift[0, s0, b0]
        else:
            t, s1 = LINKS.index(name), c.stack[-2] if len(c.stack) > 1 else None
            after = system.apply(c, name)
            word = next(w for w in range(1, n + 1) if after.heads[w] != c.heads[w])
            # Nothing is below the root.
            total += scores.below[0, t, s1, s0] + scores.front[0, t, s0, b0]
            total += scores.arcs[0, after.heads[word], word]
        c = system.apply(c, name)
    assert system.is_terminal(c) or not whole
    return c.heads, total
