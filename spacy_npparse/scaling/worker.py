"""The work of a worker process, which loads one pipeline with its first task and keeps it."""

from __future__ import annotations

import signal

from spacy_npparse.scaling.plan import Shard
from spacy_npparse.scaling.shards import Annotator, Job, ShardRecord

_jobs: list[Job] = []
_annotators: list[Annotator] = []


def begin_worker(job: Job) -> None:
    """Begin a process for shards, unless it has begun already.

    Args:
        job: The settings that all shards share.
    """
    if _jobs == [job]:
        return
    # Ctrl-C ends the worker rather than only its current shard.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    _jobs[:] = [job]
    _annotators.clear()


def annotate_shard(shard: Shard) -> ShardRecord:
    """Annotate a shard with the pipeline of this process, see `Annotator.annotate`."""
    return annotator().annotate(shard)


def annotator() -> Annotator:
    """Find the pipeline of this process, which is loaded first if necessary."""
    if not _annotators:
        _annotators.append(Annotator(_jobs[0]))
    return _annotators[0]
