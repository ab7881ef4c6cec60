"""Allowed trees in descending order of their scores, by any search that takes costs of arcs.

A span is a subtree if no arc enters it and only one leaves it. Arcs that enter it are forbidden.
Every tree leaves it at least once. A cost of each arc that leaves a span therefore leads the search
to trees that leave all spans as rarely as possible. Whatever the cost is, it is the same for all
allowed trees, so if the best tree under costs is allowed, it is the best allowed tree. It is
allowed if the cost exceeds the difference between the best tree without costs and some allowed
tree, which the search finds if only costs count.

So the best allowed tree takes at most four searches, and two searches show that there is none.
After a tree has been found, the other trees are divided by the first word whose head differs.

Source: Geoffrion (1974), Lagrangian relaxation, for the costs of exits, which are exact here; Murty
(1968) and Lawler (1972) for the division of the other trees.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush
from itertools import count
from math import isfinite
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from spacy_npparse.decoding.allowed_trees.types import (
    AllowedTrees,
    Arcs,
    Costs,
    Tree,
    has_arcs,
)

# A margin of the cost of an exit above rounding errors of scores.
_MARGIN = 1.0


class TreeSearch(Protocol):
    """A search for the best tree of a class."""

    def __call__(self, costs: Costs, *, with_scores: bool) -> Tree:
        """Find the tree with the highest score after costs.

        Args:
            costs: float64 [n + 1, n + 1], the costs of arcs, by dependent and head.
            with_scores: Whether scores count, or only costs.

        Returns:
            The tree, with its score before costs. The score is arbitrary if only costs count.
        """


def ranked_trees(allowed: AllowedTrees, search: TreeSearch) -> Iterator[Tree]:
    """Iterate over allowed trees, starting with the best one.

    The first tree takes up to four searches, and each other tree up to 4 n.

    Args:
        allowed: The allowed trees.
        search: The exact search for the best tree of some class.

    Yields:
        All allowed trees of the class, in descending order of their scores.
    """
    numbers = count()
    waiting: list[tuple[float, int, Arcs, Tree]] = []

    def wait(arcs: Arcs) -> None:
        tree = _best_of(allowed, arcs, search)
        if tree is not None:
            heappush(waiting, (-tree.score, next(numbers), arcs, tree))

    wait(allowed.relaxed)
    while waiting:
        _, _, arcs, tree = heappop(waiting)
        yield tree
        for part in _without(arcs, tree.heads):
            wait(part)


def best_allowed_tree(allowed: AllowedTrees, search: TreeSearch) -> Tree | None:
    """Find the best allowed tree.

    Args:
        allowed: The allowed trees.
        search: The exact search for the best tree of some class.

    Returns:
        The tree; None if no tree of the class is allowed. If scores are so extreme that trees
        differ by more than forbidden arcs cost, it may be another allowed tree.
    """
    return _best_of(allowed, allowed.relaxed, search)


def some_allowed_tree(allowed: AllowedTrees, search: TreeSearch) -> Tree | None:
    """Find any allowed tree with a single search.

    Args:
        allowed: The allowed trees.
        search: The exact search for the best tree of some class.

    Returns:
        The tree; None if no tree of the class is allowed.
    """
    return _some_of(allowed, allowed.relaxed, search)


def _best_of(allowed: AllowedTrees, arcs: Arcs, search: TreeSearch) -> Tree | None:
    """Find the best allowed tree that consists of some arcs, a subset of `relaxed`."""
    if not arcs[1:].any(axis=1).all():
        return None
    free = search(allowed.costs(arcs, 0.0), with_scores=True)
    if _is_found(allowed, arcs, free):
        return free
    some = _some_of(allowed, arcs, search)
    if some is None:
        return None
    only = _only(some.heads)
    some_scored = search(allowed.costs(only, 0.0), with_scores=True)
    of_exit = free.score - some_scored.score + _MARGIN
    if not (has_arcs(only, some_scored.heads) and isfinite(of_exit)):
        return some
    best = search(allowed.costs(arcs, of_exit), with_scores=True)
    return best if _is_found(allowed, arcs, best) else some_scored


def _some_of(allowed: AllowedTrees, arcs: Arcs, search: TreeSearch) -> Tree | None:
    """Find some allowed tree that consists of some arcs, a subset of `relaxed`."""
    tree = search(allowed.costs(arcs, 1.0), with_scores=False)
    return tree if _is_found(allowed, arcs, tree) else None


def _is_found(allowed: AllowedTrees, arcs: Arcs, tree: Tree) -> bool:
    return has_arcs(arcs, tree.heads) and allowed.admits(tree.heads)


def _only(heads: NDArray[np.integer]) -> Arcs:
    """Make the set of the arcs of a tree."""
    size = len(heads) + 1
    arcs = np.zeros((size, size), dtype=bool)
    arcs[np.arange(1, size), heads] = True
    return arcs


def _without(arcs: Arcs, heads: NDArray[np.integer]) -> Iterator[Arcs]:
    """Divide a set of trees without one of them by the first word whose head differs from that in
    this tree."""
    arcs = arcs.copy()
    for word, head in enumerate(heads.tolist(), 1):
        rest = arcs.copy()
        rest[word, head] = False
        yield rest
        arcs[word] = False
        arcs[word, head] = True
