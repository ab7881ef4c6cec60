"""Subprocesses that train, with their output in a log. They end with this process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

LOG = "training.log"
_LAST_LINES = 5
# In seconds, for a subprocess to end of itself.
_PATIENCE = 10
_SUBPROGRAM = "spacy_npparse.laboratory.subprogram"


class FailedCommandError(RuntimeError):
    """A subprocess has failed; the message has the end of its log."""


def run_module(
    arguments: Sequence[object],
    log: Path,
    *,
    python: Sequence[str | Path] = (sys.executable,),
    cwd: Path | None = None,
) -> None:
    """Run `python -m …`. An exception meanwhile, such as KeyboardInterrupt, ends it.

    Args:
        arguments: The module and its arguments.
        log: File for stdout and stderr.
        python: The interpreter, and its options. This package has to be visible to it.
        cwd: Where to run it; by default where this process runs.

    Raises:
        FailedCommandError: The exit code is not 0.
    """
    # Unbuffered, the log can be read at any time, and error messages come last in it.
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    command = [*map(str, python), "-m", _SUBPROGRAM, *map(str, arguments)]
    with (
        log.open("wb") as file,
        # The pipe is closed, and ends the subprocess, when this process ends or the block is left.
        subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=file,
            stderr=subprocess.STDOUT,
            env=environment,
            cwd=cwd,
        ) as process,
    ):
        try:
            code = process.wait()
        except BaseException:
            _end(process)
            raise
    if code < 0:
        raise FailedCommandError(
            f"{arguments[0]} was killed by signal {-code}, possibly out of memory. "
            f"See its log, {log}."
        )
    if code:
        lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        last = "".join(f"\n    {line}" for line in lines[-_LAST_LINES:])
        raise FailedCommandError(
            f"{arguments[0]} ended with exit code {code}. The end of {log}:{last}"
        )


def _end(process: subprocess.Popen[bytes]) -> None:
    if os.name == "nt":
        process.terminate()
    else:
        # Python removes temporary files on this one; a program in C++ does not hear it.
        process.send_signal(signal.SIGINT)
    try:
        process.wait(_PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
