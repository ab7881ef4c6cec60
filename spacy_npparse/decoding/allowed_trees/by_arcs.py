"""The best allowed trees by the scores of arcs, for each class with an exact search and for
transition systems."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain, islice

import numpy as np
from numpy.typing import NDArray

from spacy_npparse.decoding.allowed_trees.ranking import (
    TreeSearch,
    best_allowed_tree,
    ranked_trees,
)
from spacy_npparse.decoding.allowed_trees.types import AllowedTrees, Costs, Tree
from spacy_npparse.decoding.mh.search import decode_mh
from spacy_npparse.decoding.mh.types import MHScores
from spacy_npparse.decoding.one_endpoint_crossing.search import decode_one_endpoint_crossing
from spacy_npparse.decoding.one_endpoint_crossing.types import OneEndpointCrossingScores
from spacy_npparse.decoding.score_range import SCORE_LIMIT
from spacy_npparse.decoding.spanning_tree import decode_spanning_trees
from spacy_npparse.transitions.coverage import derivable
from spacy_npparse.transitions.system import KernelSystem

_Heads = Callable[[NDArray[np.float64]], NDArray[np.int32]]

# The number of spanning trees that are tried for a transition system before trees of narrower
# classes. Afterwards, this number divided by the number of nodes is tried, because each tree takes
# searches for every word.
N_TRIED_FIRST = 20
MOST_TRIED = 5000


def spanning_trees(scores: NDArray[np.floating]) -> TreeSearch:
    """Make a search over all single-rooted trees.

    Args:
        scores: [n + 1, n + 1], the scores of arcs, by dependent and head.

    Returns:
        The search.
    """
    return partial(_search, _spanning_heads, _limited(scores))


def projective_trees(scores: NDArray[np.floating]) -> TreeSearch:
    """Make a search over projective trees, as `spanning_trees` does."""
    return partial(_search, partial(_mh_heads, n_heads=3), _limited(scores))


def mh4_trees(scores: NDArray[np.floating]) -> TreeSearch:
    """Make a search over the trees that MH4 derives, as `spanning_trees` does."""
    return partial(_search, partial(_mh_heads, n_heads=4), _limited(scores))


def one_endpoint_crossing_trees(scores: NDArray[np.floating]) -> TreeSearch:
    """Make a search over one-endpoint-crossing trees, as `spanning_trees` does."""
    return partial(_search, _one_endpoint_crossing_heads, _limited(scores))


def derivable_trees(
    system: KernelSystem, allowed: AllowedTrees, scores: NDArray[np.floating]
) -> Iterator[Tree]:
    """Find allowed trees that a transition system derives.

    Args:
        system: The transition system.
        allowed: The allowed trees.
        scores: [n + 1, n + 1], the scores of arcs, by dependent and head.

    Yields:
        The trees. If the system is projective, these are all of them, in descending order of their
        scores. Otherwise, these are those among the best spanning trees, or if the system derives
        none of the first ones, the best trees of narrower classes. A tree is thus found, if there
        is one, for systems that are projective or cover all trees, and in sentences of up to five
        words. In long sentences, classes of trees whose search takes seconds are left out.

        If no tree is allowed, two searches are enough to tell. If none is found, fewer than 20,000
        + 100 n are needed.
    """
    if system.projective:
        yield from ranked_trees(allowed, projective_trees(scores))
        return
    ranked = ranked_trees(allowed, spanning_trees(scores))
    best = next(ranked, None)
    if best is None:
        return
    found = False
    for tree in chain([best], islice(ranked, N_TRIED_FIRST - 1)):
        if _derives(system, tree):
            found = True
            yield tree
    if found:
        return
    # Above these numbers of words, a search takes seconds.
    narrower = ((one_endpoint_crossing_trees, 100), (mh4_trees, 200), (projective_trees, 1000))
    for search, most_words in narrower:
        if len(best.heads) > most_words:
            continue
        other = best_allowed_tree(allowed, search(scores))
        if other is not None and _derives(system, other):
            yield other
            return
    for tree in islice(ranked, MOST_TRIED // len(scores)):
        if _derives(system, tree):
            yield tree


def _derives(system: KernelSystem, tree: Tree) -> bool:
    lengths = np.array([len(tree.heads)], dtype=np.int32)
    return bool(derivable(system, lengths, tree.heads)[0])


def _limited(scores: NDArray[np.floating]) -> NDArray[np.float64]:
    """Clamp scores to limits so narrow that a forbidden arc costs more than trees can differ by."""
    limit = SCORE_LIMIT / (4 * len(scores))
    return np.nan_to_num(scores.astype(np.float64), nan=-limit).clip(-limit, limit)


def _search(
    heads_of: _Heads, scores: NDArray[np.float64], costs: Costs, *, with_scores: bool
) -> Tree:
    heads = heads_of(scores - costs if with_scores else -costs)
    return Tree(heads, float(scores[np.arange(1, len(scores)), heads].sum()))


def _spanning_heads(scores: NDArray[np.float64]) -> NDArray[np.int32]:
    return decode_spanning_trees(scores[None], _length(scores))


def _mh_heads(scores: NDArray[np.float64], *, n_heads: int) -> NDArray[np.int32]:
    # The end of the sentence is a node as well.
    arcs = np.pad(scores.T, (0, 1)).astype(np.float32, order="C")[None]
    return decode_mh(MHScores.of_arcs(arcs), _length(scores), n_heads).heads


def _one_endpoint_crossing_heads(scores: NDArray[np.float64]) -> NDArray[np.int32]:
    parts = OneEndpointCrossingScores.of_arcs(scores.T.astype(np.float32, order="C")[None])
    return decode_one_endpoint_crossing(parts, _length(scores)).heads


def _length(scores: NDArray[np.float64]) -> NDArray[np.int32]:
    return np.array([len(scores) - 1], dtype=np.int32)
