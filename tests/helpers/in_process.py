"""Replacements that run code in this process, for tests where separate processes do not matter."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from contextlib import ExitStack, redirect_stdout
from pathlib import Path
from typing import Any
from unittest import mock


class InlineExecutor(Executor):
    """An executor that immediately runs each submitted function in this process."""

    def __init__(self, *arguments: object) -> None:
        """Ignore the arguments of a process pool."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


def run_module(arguments: Sequence[object], log: Path | None = None) -> None:
    """Run `python -m …` in this process, and check that it succeeds.

    Args:
        arguments: The module and its arguments.
        log: The file for its output; None for stdout.
    """
    module, *rest = map(str, arguments)
    with ExitStack() as stack:
        stack.enter_context(mock.patch.object(sys, "argv", [module, *rest]))
        if log is not None:
            stack.enter_context(redirect_stdout(stack.enter_context(log.open("w"))))
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
