"""Grouping of sequences at the least cost."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_npparse.models.grouping import cheapest_groups


@given(
    lengths=st.lists(st.integers(1, 12), max_size=9),
    overhead=st.integers(0, 60),
    widest=st.integers(0, 12),
)
def test_no_other_groups_cost_less(lengths, overhead, widest):
    def cost(n_sequences, shortest, longest):
        costs = longest * n_sequences + overhead
        return np.where(longest - shortest <= widest, costs, np.inf)

    def total(groups):
        return sum(
            float(cost(np.array([len(group)]), np.array([min(group)]), np.array([max(group)]))[0])
            for group in groups
        )

    def all_groups():
        values = sorted(set(lengths))
        for cuts in product([False, True], repeat=max(0, len(values) - 1)):
            groups = []
            for value, begins in zip(values, [True, *cuts], strict=True):
                if begins:
                    groups.append([])
                groups[-1] += [value] * lengths.count(value)
            yield groups

    found = cheapest_groups(np.array(lengths, dtype=np.int64), cost)
    assert sorted(np.concatenate([*found, np.zeros(0)]).tolist()) == list(range(len(lengths)))
    if lengths:
        of_lengths = [[lengths[number] for number in group] for group in found]
        assert total(of_lengths) == pytest.approx(min(map(total, all_groups())))
