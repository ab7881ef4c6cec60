"""Checks of the number of threads that torch uses."""

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode


@pytest.fixture
def two_threads() -> Iterator[None]:
    """Set torch to two threads, and check that it still has two threads after the test."""
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    after = torch.get_num_threads()
    torch.set_num_threads(before)
    assert after == 2


class Threads(TorchDispatchMode):
    """A mode that collects the numbers of threads with which torch operations run."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[int] = set()

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None):
        if function is not torch.ops.aten.lift_fresh.default:  # wraps an array, computes nothing
            self.found.add(torch.get_num_threads())
        return function(*args, **(kwargs or {}))
