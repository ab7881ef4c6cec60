"""Scheduling of runs on the processes of one or several machines."""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Generator, Sequence
from pathlib import Path

from spacy_npparse.imported_code import import_code
from spacy_npparse.laboratory.runs import Run
from spacy_npparse.scaling import Executor


def complete_runs(
    runs: Sequence[Run], executor: Executor, code: Path | None = None
) -> Generator[tuple[Run, str], None, None]:
    """Complete runs. Stopping the iteration stops all of them.

    Args:
        runs: The runs.
        executor: The executor that completes them.
        code: A Python file that the processes import first.

    Yields:
        Each run when it ends, and the error message, empty if the run succeeds.
    """
    # Contestants that share a model run one after the other.
    groups: dict[tuple[Path, int], list[Run]] = {}
    # Peers come first, because the longest trainings should not be left for the end.
    for run in sorted(runs, key=lambda run: not run.contestant.is_peer):
        groups.setdefault((run.model, run.seed), []).append(run)
    waiting = deque(groups.values())
    with executor(begin_worker, code and code.absolute()) as tasks:
        while waiting or tasks.running:
            while waiting and tasks.idle:
                group = waiting.popleft()
                tasks.start(group, group[0].with_absolute_paths().complete)
            for group, end in tasks.ended():
                reason = str(end) or _missing_result(group[0])
                ended = group if reason and not group[0].is_trained() else group[:1]
                if others := group[len(ended) :]:
                    waiting.appendleft(others)
                for run in ended:
                    yield run, reason


def _missing_result(run: Run) -> str:
    """Explain why this machine finds no result of a successful run; empty if it does."""
    if run.record() is not None:
        return ""
    return (
        f"the run has ended, but {run.prediction} is missing or damaged. {run.folder} has to be "
        "the same folder on all machines."
    )


def begin_worker(code: Path | None = None) -> None:
    """Prepare a process for runs.

    Args:
        code: A Python file to import.
    """
    # Ctrl-C ends a worker instead of only its current run.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    import_code(code)
