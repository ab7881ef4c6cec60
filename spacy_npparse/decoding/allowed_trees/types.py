"""Which trees of a sentence are allowed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Arcs = NDArray[np.bool_]


class Tree(NamedTuple):
    """A tree of one sentence.

    Attributes:
        heads: int32 [n], the heads of words 1..n, 0 for the root.
        score: Its score.
    """

    heads: NDArray[np.int32]
    score: float


@dataclass(frozen=True)
class AllowedTrees:
    """The trees of a sentence of n words that some constraints allow.

    Attributes:
        arcs: bool [n + 1, n + 1], the allowed arcs, by dependent and head; row 0 does not count.
        subtrees: First and last word of each span that has to be a subtree: its words are one of
            them, which has its head outside, and all descendants of that.
    """

    arcs: Arcs
    subtrees: tuple[tuple[int, int], ...] = ()

    @property
    def relaxed(self) -> Arcs:
        """The arcs of which allowed trees consist: no word outside a subtree has its head in it."""
        arcs = self.arcs.copy()
        for first, last in self.subtrees:
            arcs[:first, first : last + 1] = False
            arcs[last + 1 :, first : last + 1] = False
        return arcs

    def admits(self, heads: ArrayLike) -> bool:
        """Whether a tree is allowed.

        Args:
            heads: [n], the heads of words 1..n.
        """
        tree = np.asarray(heads)
        return has_arcs(self.relaxed, tree) and not any(
            len(self._outward(span, tree)) != 1 for span in self.subtrees
        )

    def branches(self, arcs: Arcs, heads: ArrayLike) -> Iterator[Arcs]:
        """Divide a set of trees in two if one of them violates a subtree, so that neither part has
        it: the trees in which some word is the root of the span, and those in which it is not.

        Args:
            arcs: The arcs that the trees consist of, a part of `relaxed`.
            heads: [n], the heads of the one.

        Yields:
            The arcs of either part; none if the tree violates no subtree.
        """
        for span in self.subtrees:
            outward = self._outward(span, np.asarray(heads))
            if len(outward) > 1:
                yield _with_root(arcs, span, outward[0])
                yield _with_heads_inside(arcs, span, outward[:1])
                return

    def _outward(self, span: tuple[int, int], heads: NDArray[np.integer]) -> list[int]:
        """The words of a span whose heads are outside."""
        first, last = span
        inside = heads[first - 1 : last]
        return (np.flatnonzero((inside < first) | (inside > last)) + first).tolist()


def has_arcs(arcs: Arcs, heads: NDArray[np.integer]) -> bool:
    """Whether a tree consists of some arcs.

    Args:
        arcs: bool [n + 1, n + 1], by dependent and head.
        heads: [n], the heads of words 1..n.
    """
    return bool(arcs[np.arange(1, len(heads) + 1), heads].all())


def _with_root(arcs: Arcs, span: tuple[int, int], root: int) -> Arcs:
    """The arcs of trees in which a word is the root of a span."""
    first, last = span
    others = [word for word in range(first, last + 1) if word != root]
    arcs = _with_heads_inside(arcs, span, others)
    arcs[root, first : last + 1] = False
    return arcs


def _with_heads_inside(arcs: Arcs, span: tuple[int, int], words: list[int]) -> Arcs:
    """The arcs of trees in which some words of a span have their heads in it."""
    first, last = span
    arcs = arcs.copy()
    arcs[words, :first] = False
    arcs[words, last + 1 :] = False
    return arcs
