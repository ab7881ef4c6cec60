"""Timing of functions, for the benchmarks."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def recorded(module: Any, name: str) -> Iterator[list[tuple[float, Any]]]:
    """Record the CPU time in seconds and the result of each call of a function of a module."""
    function = getattr(module, name)
    calls: list[tuple[float, Any]] = []

    def wrapper(*args: Any, **kwargs: Any) -> Any:
        start = time.process_time()
        result = function(*args, **kwargs)
        calls.append((time.process_time() - start, result))
        return result

    setattr(module, name, wrapper)
    try:
        yield calls
    finally:
        setattr(module, name, function)
