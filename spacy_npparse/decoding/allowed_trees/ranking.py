"""Allowed trees in descending order of their scores, by any search that takes forbidden arcs.

Best-first branch and bound: sets of trees wait in the order of their best trees, which bound the
scores of all others. If the best one violates a subtree, its set is divided in two, neither of
which has it. An allowed tree is the next one in the order; what remains of its set is divided by
the first word whose head differs. If subtrees are so many that this takes too long, search goes on
depth-first to some good tree.

Source: branch and bound, Land and Doig (1960); the division of what remains, Murty (1968) and
Lawler (1972). That the arcs of a subtree are bounded by its root is our own.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from heapq import heappop, heappush
from itertools import count

import numpy as np
from numpy.typing import NDArray

from spacy_npparse.decoding.allowed_trees.types import AllowedTrees, Arcs, Tree, has_arcs

logger = logging.getLogger(__name__)

# For the first tree, before depth-first search.
MOST_SEARCHES = 2000

# Finds the best tree of some arcs, bool [n + 1, n + 1] by dependent and head. If there is none, it
# may be any other one.
Search = Callable[[Arcs], Tree]


def ranked_trees(
    allowed: AllowedTrees, search: Search, most_searches: int = MOST_SEARCHES
) -> Iterator[Tree]:
    """Find allowed trees, the best first.

    Each tree after the first one takes up to n searches. A warning tells if the first one may not
    be the best.

    Args:
        allowed: The trees that are allowed.
        search: The exact search for the best tree of some class.
        most_searches: For the first tree, before depth-first search; -1 for that at once.

    Yields:
        All allowed trees of the class, in descending order of their scores.
    """
    numbers = count()
    waiting: list[tuple[int, float, int, Arcs, Tree]] = []

    def wait(arcs: Arcs, depth: int) -> None:
        if arcs[1:].any(axis=1).all():
            tree = search(arcs)
            if has_arcs(arcs, tree.heads):
                heappush(waiting, (-depth, -tree.score, next(numbers), arcs, tree))

    wait(allowed.relaxed, 0)
    has_found = False
    depth = 0
    while waiting:
        _, _, number, arcs, tree = heappop(waiting)
        parts = list(allowed.branches(arcs, tree.heads))
        if not parts:
            if depth and not has_found:
                logger.warning(
                    "%d searches have not found the best tree of a sentence of %d words with %d "
                    "subtrees, and it got a good one. Fix some heads in these, or leave some out.",
                    most_searches,
                    len(arcs) - 1,
                    len(allowed.subtrees),
                )
            has_found = True
            yield tree
            parts = list(_without(arcs, tree.heads))
        if not has_found and number > most_searches:
            depth += 1
        for part in parts:
            wait(part, depth)


def best_allowed_tree(
    allowed: AllowedTrees, search: Search, most_searches: int = MOST_SEARCHES
) -> Tree | None:
    """Find the best allowed tree.

    Args:
        allowed: The trees that are allowed.
        search: See `ranked_trees`.
        most_searches: See there.

    Returns:
        The tree; None if no tree of the class is allowed.
    """
    return next(ranked_trees(allowed, search, most_searches), None)


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
