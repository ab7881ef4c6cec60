"""A module run as by `python -m`, in a process that ends with the one that started it.

    python -m spacy_npparse.laboratory.subprogram spacy train config.cfg

It ends when its stdin is closed, as happens to a pipe when the process at its other end ends,
however that is. Compiled code that keeps Python's interpreter lock, as UDPipe's trainer does, stops
at once on Linux only; elsewhere it stops when it returns to Python.
"""

from __future__ import annotations

import ctypes
import os
import runpy
import signal
import sys
import threading

# Of prctl(2): the signal that a process gets when the thread that started it ends.
_PR_SET_PDEATHSIG = 1


def _end_with_stdin() -> None:
    # Not sys.stdin, whose lock would be held when the interpreter shuts down.
    while os.read(0, 1):
        pass
    os._exit(1)


if __name__ == "__main__":
    # A signal sent before this call is none; what stdin tells remains.
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    threading.Thread(target=_end_with_stdin, daemon=True).start()
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
