"""Allowed trees in descending order of their scores, by any search that takes forbidden arcs.

Best-first branch and bound: sets of trees wait in the order of their best trees, which bound the
scores of all others. If the best one violates a subtree, its set is divided in two, neither of
which has it. An allowed tree is the next one in the order; what remains of its set is divided by
the first word whose head differs.

Source: branch and bound, Land and Doig (1960); the division of what remains, Murty (1968) and
Lawler (1972). That the arcs of a subtree are bounded by its root is our own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from heapq import heappop, heappush
from itertools import count

import numpy as np
from numpy.typing import NDArray

from spacy_npparse.decoding.allowed_trees.types import AllowedTrees, Arcs, Tree, has_arcs

# Finds the best tree of some arcs, bool [n + 1, n + 1] by dependent and head. If there is none, it
# may be any other one.
Search = Callable[[Arcs], Tree]


def ranked_trees(allowed: AllowedTrees, search: Search) -> Iterator[Tree]:
    """Find allowed trees, the best first.

    Each tree after the first one takes up to n searches.

    Args:
        allowed: The trees that are allowed.
        search: The exact search for the best tree of some class.

    Yields:
        All allowed trees of the class, in descending order of their scores.
    """
    numbers = count()
    waiting: list[tuple[float, int, Arcs, Tree]] = []

    def wait(arcs: Arcs) -> None:
        if arcs[1:].any(axis=1).all():
            tree = search(arcs)
            if has_arcs(arcs, tree.heads):
                heappush(waiting, (-tree.score, next(numbers), arcs, tree))

    wait(allowed.relaxed)
    while waiting:
        _, _, arcs, tree = heappop(waiting)
        parts = list(allowed.branches(arcs, tree.heads))
        if not parts:
            yield tree
            parts = list(_without(arcs, tree.heads))
        for part in parts:
            wait(part)


def best_allowed_tree(allowed: AllowedTrees, search: Search) -> Tree | None:
    """Find the best allowed tree.

    Args:
        allowed: The trees that are allowed.
        search: See `ranked_trees`.

    Returns:
        The tree; None if no tree of the class is allowed.
    """
    return next(ranked_trees(allowed, search), None)


def _without(arcs: Arcs, heads: NDArray[np.integer]) -> Iterator[Arcs]:
    """Divide a set of trees but for one of them by the first word that has another head than in
    that one."""
    arcs = arcs.copy()
    for word, head in enumerate(heads.tolist(), 1):
        rest = arcs.copy()
        rest[word, head] = False
        yield rest
        arcs[word] = False
        arcs[word, head] = True
