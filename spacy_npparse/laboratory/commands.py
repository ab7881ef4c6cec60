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
# Seconds that a subprocess may take to end before it is killed.
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
    """Run `python -m …` in a subprocess. An exception, such as KeyboardInterrupt, ends it.

    Args:
        arguments: The module and its arguments.
        log: The file for stdout and stderr.
        python: The interpreter and its options. It must be able to import this package.
        cwd: The working directory; by default that of this process.

    Raises:
        FailedCommandError: The exit code is not 0.
    """
    # Without buffers, the log is always up to date and ends with error messages.
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    command = [*map(str, python), "-m", _SUBPROGRAM, *map(str, arguments)]
    with (
        log.open("wb") as file,
        # When this process ends or leaves the block, the pipe closes, which ends the subprocess.
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
    if code:
        end = f"ended with exit code {code}"
        if code < 0:
            name = _signal_name(-code)
            # Linux sends this signal if the machine runs out of memory.
            end = f"was ended by {name}" + ", possibly out of memory" * (name == "SIGKILL")
        lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        last = "".join(f"\n    {line}" for line in lines[-_LAST_LINES:])
        raise FailedCommandError(f"{arguments[0]} {end}. The end of {log}:{last}")


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _end(process: subprocess.Popen[bytes]) -> None:
    if os.name == "nt":
        process.terminate()
    else:
        # On SIGINT, Python removes temporary files. Programs in C++ ignore it.
        process.send_signal(signal.SIGINT)
    try:
        process.wait(_PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
