"""A program that runs a module like `python -m`, and ends with the process that started it.

    python -m spacy_npparse.laboratory.subprogram spacy train config.cfg

It ends when its stdin is closed, which happens to a pipe when the process at its other end ends in
any way. Compiled code that keeps Python's interpreter lock, such as UDPipe's trainer, stops at once
only on Linux. Elsewhere, it stops when it returns to Python.
"""

from __future__ import annotations

import ctypes
import os
import runpy
import signal
import sys
import threading

# A constant of prctl(2): the signal that a process gets when the thread that started it ends.
_PR_SET_PDEATHSIG = 1


def _end_with_stdin() -> None:
    # sys.stdin would hold its lock when the interpreter shuts down.
    while os.read(0, 1):
        pass
    os._exit(1)


if __name__ == "__main__":
    # The parent may have ended before this call, but then stdin is closed.
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    threading.Thread(target=_end_with_stdin, daemon=True).start()
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
