"""Measures of non-projectivity, and classes of mildly non-projective trees.

All functions take the n + 1 heads of a tree, of which heads[0] is ignored. The root is a node like
the words.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise


def gap_degree(heads: Sequence[int]) -> int:
    """Compute the largest number of gaps (discontinuities) in the yield of a node.

    Source: Bodirsky, Kuhlmann and Möhl (2005).
    """
    return max((sum(b > a + 1 for a, b in pairwise(one)) for one in _yields(heads)), default=0)


def edge_degree(heads: Sequence[int]) -> int:
    """Compute the largest degree of an arc.

    The degree is the number of connected components of the words strictly between the ends of the
    arc whose root its head does not dominate.

    Source: Nivre (2006).
    """
    largest = 0
    above = _ancestors(heads)
    for d in range(1, len(heads)):
        left, right = sorted((d, heads[d]))
        tops = [w for w in range(left + 1, right) if not left < heads[w] < right]
        largest = max(largest, sum(heads[d] not in above[top] for top in tops))
    return largest


def is_well_nested(heads: Sequence[int]) -> bool:
    """Check whether no two disjoint subtrees interleave.

    Source: Bodirsky, Kuhlmann and Möhl (2005).
    """
    above, yields = _ancestors(heads), _yields(heads)
    split = [word for word, words in enumerate(yields) if words[-1] - words[0] >= len(words)]
    for first, second in combinations(split, 2):
        if first in above[second] or second in above[first]:
            continue
        # They interleave if the owner of the words changes more than twice.
        owners = sorted([(w, first) for w in yields[first]] + [(w, second) for w in yields[second]])
        changes = sum(a[1] != b[1] for a, b in pairwise(owners))
        if changes > 2:
            return False
    return True


def is_one_endpoint_crossing(heads: Sequence[int]) -> bool:
    """Check whether, for every arc, all arcs that cross it share an endpoint.

    Source: Pitler, Kannan and Marcus (2013).
    """
    return all(not ends or set.intersection(*ends) for ends in _crossings(heads))


def crossing_arcs(heads: Sequence[int]) -> int:
    """Count the arcs that cross another one."""
    return sum(map(bool, _crossings(heads)))


def _crossings(heads: Sequence[int]) -> list[list[set[int]]]:
    """Find the endpoints of the arcs that cross the arc to each word."""
    arcs = [sorted((d, heads[d])) for d in range(1, len(heads))]
    return [
        [{a, b} for a, b in arcs if a < left < b < right or left < a < right < b]
        for left, right in arcs
    ]


def _ancestors(heads: Sequence[int]) -> list[set[int]]:
    """Find the ancestors of each node."""
    above: list[set[int]] = []
    for word in range(len(heads)):
        found: set[int] = set()
        while word:
            word = heads[word]
            found.add(word)
        above.append(found)
    return above


def _yields(heads: Sequence[int]) -> list[list[int]]:
    """Find the yield of each node: the node and its descendants, ascending."""
    yields: list[list[int]] = [[word] for word in range(len(heads))]
    for word, above in enumerate(_ancestors(heads)):
        for ancestor in above:
            yields[ancestor].append(word)
    return [sorted(words) for words in yields]
