"""The allowed trees of a sentence."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacy_npparse.decoding.score_range import SCORE_LIMIT

Arcs = NDArray[np.bool_]
Costs = NDArray[np.float64]


class Tree(NamedTuple):
    """A tree of one sentence.

    Attributes:
        heads: int32 [n], the heads of words 1..n, 0 for the root.
        score: The score of the tree.
    """

    heads: NDArray[np.int32]
    score: float


@dataclass(frozen=True)
class AllowedTrees:
    """The trees of a sentence of n words that constraints allow.

    Attributes:
        arcs: bool [n + 1, n + 1], the allowed arcs, by dependent and head. Row 0 is ignored.
        subtrees: The first and the last word of each span that must be a subtree: a word whose head
            is outside, and all its descendants.
    """

    arcs: Arcs
    subtrees: tuple[tuple[int, int], ...] = ()

    @cached_property
    def relaxed(self) -> Arcs:
        """The arcs that allowed trees may contain: no word outside a subtree has its head
        inside."""
        arcs = self.arcs.copy()
        for first, last in self.subtrees:
            arcs[:first, first : last + 1] = False
            arcs[last + 1 :, first : last + 1] = False
        return arcs

    @cached_property
    def exits(self) -> NDArray[np.int64]:
        """The number of subtrees that each arc leaves, from a word inside to a head outside: [n +
        1, n + 1], by dependent and head.

        A tree leaves each span at least once. If it consists of the arcs of `relaxed`, it is
        allowed if and only if it leaves each span only once, so that its number of exits is that of
        the subtrees.
        """
        exits = np.zeros(self.arcs.shape, dtype=np.int64)
        for first, last in self.subtrees:
            exits[first : last + 1, :first] += 1
            exits[first : last + 1, last + 1 :] += 1
        return exits

    def admits(self, heads: ArrayLike) -> bool:
        """Check whether a tree is allowed.

        Args:
            heads: [n], the heads of words 1..n.
        """
        tree = np.asarray(heads)
        n_exits = self.exits[np.arange(1, len(tree) + 1), tree].sum()
        return has_arcs(self.relaxed, tree) and bool(n_exits == len(self.subtrees))

    def costs(self, arcs: Arcs, of_exit: float) -> Costs:
        """Compute the costs of arcs.

        Args:
            arcs: bool [n + 1, n + 1], the remaining arcs, a subset of `relaxed`. Each other arc
                costs as much as scores can differ by.
            of_exit: The cost of each exit.

        Returns:
            float64 [n + 1, n + 1], the costs by dependent and head. Those of an allowed tree add up
            to 0: the words of a span share the cost of its exit, so that the search adds up small
            numbers.
        """
        refunds = np.zeros(len(arcs))
        for first, last in self.subtrees:
            refunds[first : last + 1] += 1 / (last + 1 - first)
        return np.where(arcs, of_exit * (self.exits - refunds[:, None]), SCORE_LIMIT)


def has_arcs(arcs: Arcs, heads: NDArray[np.integer]) -> bool:
    """Check whether a tree consists of some arcs.

    Args:
        arcs: bool [n + 1, n + 1], the arcs, by dependent and head.
        heads: [n], the heads of words 1..n.
    """
    return bool(arcs[np.arange(1, len(heads) + 1), heads].all())
