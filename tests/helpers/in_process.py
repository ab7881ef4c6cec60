"""Stand-ins for processes, for tests whose claim is not that something runs in its own."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any
from unittest import mock


class InlineExecutor(Executor):
    """A pool that does in this process what is submitted, at once."""

    def __init__(self, *arguments: object) -> None:
        """Ignore the arguments of a pool of processes."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


def run_module(arguments: Sequence[object], log: Path | None = None) -> None:
    """Run `python -m …` in this process; it has to succeed.

    Args:
        arguments: The module and its arguments.
        log: Not written.
    """
    module, *rest = map(str, arguments)
    with mock.patch.object(sys, "argv", [module, *rest]):
        try:
            runpy.run_module(module, run_name="__main__")
        except SystemExit as end:
            assert not end.code, f"{arguments}: exit code {end.code}"


def run_command(command: Sequence[str], capture: bool = False) -> None:
    """Run a command of a spaCy project, which begins with `python -m`, in this process.

    Args:
        command: The command.
        capture: Not used.
    """
    assert command[1] == "-m", command
    run_module(command[2:])
