"""Runs of one or several experiments, on the processes of one machine or of many."""

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
    """Train and evaluate. If the iteration is stopped, all runs are.

    Args:
        runs: The runs.
        executor: Where they are done.
        code: Python file that the processes import first.

    Yields:
        Runs as they end, and why they have failed, nothing if they have not.
    """
    # Contestants that share a model run one after the other.
    groups: dict[tuple[Path, int], list[Run]] = {}
    # Peers first: the longest trainings should not be left for the end.
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
    """Where a run was successful, but not for this machine."""
    if run.record() is not None:
        return ""
    return (
        f"the run has ended, but {run.prediction} is not as it should be. {run.folder} has to be "
        "the same folder on all machines."
    )


def begin_worker(code: Path | None = None) -> None:
    """Prepare a process for runs.

    Args:
        code: Python file to import.
    """
    # Ctrl-C ends a worker instead of only its current run.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    import_code(code)
