"""Processes for long tasks. The loss of one does not affect the others, and all end with this
one."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any, Generic

from spacy_npparse.scaling.tasks import LostProcessError, Result, Tag


class Workers(Generic[Tag, Result]):
    """Processes that do one task at a time each.

    Each process has a pool of its own. If several processes shared a pool and one of them were
    killed, for example because memory ran out, all tasks would be lost. The processes end when the
    block is left, as soon as they return from compiled code, and when this process ends, even if it
    is killed.

    Args:
        processes: The number of processes.
        begin: A function that each process calls before its first task.
        arguments: The arguments of `begin`.
    """

    def __init__(self, processes: int, begin: Callable[..., None], *arguments: Any) -> None:
        # Processes are spawned, because torch's thread pool does not survive a fork.
        self._context = get_context("spawn")
        # Only this process has the other end, to which nobody writes.
        end, self._lifeline = self._context.Pipe(duplex=False)
        self._begin = (end, begin, arguments)
        self._idle = [self._pool() for _ in range(processes)]
        self._running: dict[Future[Result], tuple[Tag, ProcessPoolExecutor]] = {}

    def __enter__(self) -> Workers[Tag, Result]:
        return self

    def __exit__(self, *_: object) -> None:
        self._lifeline.close()
        for pool in [*self._idle, *(pool for _, pool in self._running.values())]:
            pool.shutdown(cancel_futures=True)

    @property
    def idle(self) -> int:
        """The number of processes without a task."""
        return len(self._idle)

    @property
    def running(self) -> int:
        return len(self._running)

    def start(self, tag: Tag, task: Callable[..., Result], *arguments: Any) -> None:
        pool = self._idle.pop()
        try:
            future = pool.submit(task, *arguments)
        except BrokenProcessPool:  # lost while it was idle
            pool.shutdown()
            pool = self._pool()
            future = pool.submit(task, *arguments)
        self._running[future] = tag, pool

    def ended(self) -> Iterator[tuple[Tag, Result | LostProcessError]]:
        for future in wait(self._running, return_when=FIRST_COMPLETED).done:
            tag, pool = self._running.pop(future)
            result: Result | LostProcessError
            try:
                result = future.result()
            except BrokenProcessPool:
                result = LostProcessError(
                    "a process was killed, possibly out of memory. Use fewer processes."
                )
                pool.shutdown()
                pool = self._pool()
            self._idle.append(pool)
            yield tag, result

    def _pool(self) -> ProcessPoolExecutor:
        # The first task starts the process of the pool.
        return ProcessPoolExecutor(1, self._context, _begin_process, self._begin)


def _begin_process(lifeline: Connection, begin: Callable[..., None], arguments: Any) -> None:
    threading.Thread(target=_end_with, args=(lifeline,), daemon=True).start()
    begin(*arguments)


def _end_with(lifeline: Connection) -> None:
    """Terminate this process when the other end is closed, either by its process or because that
    ends."""
    with suppress(EOFError, OSError):
        lifeline.recv_bytes()
    os.kill(os.getpid(), signal.SIGTERM)
