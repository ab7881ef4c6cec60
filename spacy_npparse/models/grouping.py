"""Division of sequences into groups of similar length, which are padded and computed together."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

# The costs of groups, given the numbers of their sequences, and the lengths of their shortest and
# longest sequences.
Cost = Callable[[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]], NDArray[np.float64]]


def cheapest_groups(lengths: NDArray[np.integer], cost: Cost) -> list[NDArray[np.int64]]:
    """Divide sequences into groups with the lowest total cost.

    Sequences of the same length are in the same group, and each group contains all lengths between
    its shortest and its longest. Dynamic programming over the lengths finds the best groups.

    Args:
        lengths: int64 [n_sequences], the lengths of the sequences.
        cost: The cost function of groups, infinite for groups that are not allowed.

    Returns:
        The numbers of the sequences of each group, the shortest sequences first.
    """
    counts = np.bincount(lengths)
    values = np.flatnonzero(counts)
    if len(values) == 1:
        return [np.arange(len(lengths))]
    by_length = np.argsort(lengths, kind="stable")
    ends = np.concatenate([[0], np.cumsum(counts[values])])
    totals = np.zeros(len(ends))
    starts = np.zeros(len(ends), dtype=np.int64)
    # By the longest and the shortest length of a group.
    of_groups = cost(ends[1:, None] - ends[:-1], values, values[:, None])
    for end in range(1, len(ends)):
        costs = totals[:end] + of_groups[end - 1, :end]
        starts[end] = costs.argmin()
        totals[end] = costs[starts[end]]
    groups = []
    end = len(values)
    while end:
        groups.append(by_length[ends[starts[end]] : ends[end]])
        end = int(starts[end])
    return groups[::-1]
