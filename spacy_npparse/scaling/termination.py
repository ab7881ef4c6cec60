"""Termination by a signal without leaving temporary files or subprocesses."""

from __future__ import annotations

import os
import signal
import threading
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import active_children
from types import FrameType

# The signals that Ctrl-C, schedulers, containers and closed terminals send. Windows has no SIGHUP.
_SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if name in dir(signal)
]
_DEFAULT = (signal.SIG_DFL, signal.default_int_handler)


@contextmanager
def cleaning_up_on_termination() -> Iterator[None]:
    """Let a signal that ends the process first raise KeyboardInterrupt in the block, so that
    temporary files are removed and subprocesses are ended. Then the process ends by the signal, as
    its parent expects, even if the block has caught the exception, as servers do.

    Further signals do not interrupt this. Subprocesses of `multiprocessing` get SIGTERM at once.
    Signals that are ignored (SIGHUP under nohup) or already handled are left alone. In threads
    other than the main one, which cannot handle signals, nothing changes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    owner = os.getpid()
    received: list[int] = []

    def terminate(number: int, _: FrameType | None) -> None:
        if os.getpid() != owner:
            # A forked process has nothing to clean up.
            _end(number)
        if received:
            # A worker may get one signal from the terminal and one from its parent.
            return
        received.append(number)
        # Whoever waits for subprocesses, such as spaCy, ignores the exception until they end. Ray
        # would ignore any other exception than KeyboardInterrupt as long as it waits.
        warnings.simplefilter("ignore")
        for process in active_children():
            process.terminate()
        raise KeyboardInterrupt

    known = {number: signal.getsignal(number) for number in _SIGNALS}
    ours = {number: handler for number, handler in known.items() if handler in _DEFAULT}
    for number in ours:
        signal.signal(number, terminate)
    try:
        yield
    except BaseException as error:
        if not received:
            raise
        # Generators that the block has started end only when the frames that refer to them do.
        traceback.clear_frames(error.__traceback__)
    finally:
        for number, handler in ours.items():
            signal.signal(number, handler)
    if received:
        _end(received[0])


def _end(number: int) -> None:
    """End this process by a signal. Exit handlers of Python are skipped, because they may wait
    forever for other processes."""
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
