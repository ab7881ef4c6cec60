"""What a worker process does: one pipeline, loaded with the first task, for all of its shards."""

from __future__ import annotations

import signal

from spacy_npparse.scaling.plan import Shard
from spacy_npparse.scaling.shards import Annotator, Job, ShardRecord

_jobs: list[Job] = []
_annotators: list[Annotator] = []


def begin_worker(job: Job) -> None:
    """Begin a process for shards.

    Args:
        job: What they have in common.
    """
    # Ctrl-C ends a worker instead of only its current shard.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    _jobs[:] = [job]
    _annotators.clear()


def annotate_shard(shard: Shard) -> ShardRecord:
    """See `Annotator.annotate`."""
    return annotator().annotate(shard)


def annotator() -> Annotator:
    """The pipeline of this process, which is loaded first if need be."""
    if not _annotators:
        _annotators.append(Annotator(_jobs[0]))
    return _annotators[0]
