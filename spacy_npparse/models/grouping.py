"""Groups of sequences of similar length, which are padded and computed together."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

# What groups with the same longest length cost, given how many sequences they have, their shortest
# lengths, and the longest one.
Cost = Callable[[NDArray[np.int64], NDArray[np.int64], np.int64], NDArray[np.float64]]


def cheapest_groups(lengths: NDArray[np.integer], cost: Cost) -> list[NDArray[np.int64]]:
    """Group sequences so that the groups cost the least in sum.

    Sequences of the same length are in the same group, and each group has all lengths from its
    shortest to its longest: the best groups end where the costs of the groups up to there, and of
    the last one, are least.

    Args:
        lengths: [n_sequences].
        cost: Of groups; infinite where there is no such group.

    Returns:
        The numbers of the sequences of each group, the shortest sequences first.
    """
    by_length = np.argsort(lengths, kind="stable")
    values, counts = np.unique(lengths, return_counts=True)
    ends = np.concatenate([[0], np.cumsum(counts)])
    totals = np.zeros(len(ends))
    starts = np.zeros(len(ends), dtype=np.int64)
    for end in range(1, len(ends)):
        costs = totals[:end] + cost(ends[end] - ends[:end], values[:end], values[end - 1])
        starts[end] = costs.argmin()
        totals[end] = costs[starts[end]]
    groups = []
    end = len(values)
    while end:
        groups.append(by_length[ends[starts[end]] : ends[end]])
        end = int(starts[end])
    return groups[::-1]
