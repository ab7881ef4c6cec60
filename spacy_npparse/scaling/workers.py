"""Processes for long tasks. One that is lost takes no other with it, and all end with this one."""

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
from types import TracebackType
from typing import Any, Generic

from spacy_npparse.scaling.tasks import LostProcessError, Result, Tag


class Workers(Generic[Tag, Result]):
    """Processes that do one task at a time each.

    Each is a pool of its own: where several processes share a pool and one of them is killed, for
    want of memory for instance, all tasks are lost. The processes end when the block is left, as
    soon as they return from compiled code, and when this process ends, even if it is killed.

    Args:
        processes: Their number.
        begin: Called in each process before its first task.
        arguments: Arguments of `begin`.
    """

    def __init__(self, processes: int, begin: Callable[..., None], *arguments: Any) -> None:
        # Spawned: torch's thread pool does not survive a fork.
        self._context = get_context("spawn")
        # Only this process has the other end, which nobody writes to.
        end, self._lifeline = self._context.Pipe(duplex=False)
        self._begin = (end, begin, arguments)
        self._idle = [self._pool() for _ in range(processes)]
        self._running: dict[Future[Result], tuple[Tag, ProcessPoolExecutor]] = {}

    def __enter__(self) -> Workers[Tag, Result]:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._lifeline.close()
        for pool in [*self._idle, *(pool for _, pool in self._running.values())]:
            pool.shutdown(cancel_futures=True)

    @property
    def idle(self) -> int:
        """See `Tasks`: processes without one."""
        return len(self._idle)

    @property
    def running(self) -> int:
        """See `Tasks`."""
        return len(self._running)

    def start(self, tag: Tag, task: Callable[..., Result], *arguments: Any) -> None:
        """See `Tasks`."""
        pool = self._idle.pop()
        try:
            future = pool.submit(task, *arguments)
        except BrokenProcessPool:  # lost while it was idle
            pool.shutdown()
            pool = self._pool()
            future = pool.submit(task, *arguments)
        self._running[future] = tag, pool

    def ended(self) -> Iterator[tuple[Tag, Result | LostProcessError]]:
        """See `Tasks`."""
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
        # Its process is started by the first task.
        return ProcessPoolExecutor(1, self._context, _begin_process, self._begin)


def _begin_process(lifeline: Connection, begin: Callable[..., None], arguments: Any) -> None:
    threading.Thread(target=_end_with, args=(lifeline,), daemon=True).start()
    begin(*arguments)


def _end_with(lifeline: Connection) -> None:
    """Terminate this process when the other end is closed, by the process that has it or by its
    end."""
    with suppress(EOFError, OSError):
        lifeline.recv_bytes()
    os.kill(os.getpid(), signal.SIGTERM)
