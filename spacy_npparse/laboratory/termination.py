"""Termination by a signal, as an exception."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

# By which schedulers, containers and closed terminals end a program; Windows has no SIGHUP.
_SIGNALS = [signal.SIGTERM] + ([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])


@contextmanager
def exit_on_termination() -> Iterator[None]:
    """Make a signal that would end the process at once raise an exception in the block instead, so
    that temporary files are removed and subprocesses ended.

    Signals that are ignored (SIGHUP under nohup) or handled already are left alone, and nothing
    changes in threads other than the main one, which cannot handle signals.

    Raises:
        SystemExit: The process was sent SIGTERM or SIGHUP; the exit code is that of a shell, 128 +
            number of the signal.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    owner = os.getpid()

    def end(number: int, _: FrameType | None) -> NoReturn:
        if os.getpid() != owner:
            # A forked process, with nothing of its own to clean up, ends as it would have.
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
        raise SystemExit(128 + number)

    ours = [number for number in _SIGNALS if signal.getsignal(number) is signal.SIG_DFL]
    for number in ours:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)
