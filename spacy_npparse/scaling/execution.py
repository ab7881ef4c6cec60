"""Annotation of shards by workers. A shard is claimed, so that other processes skip it. If its
worker is lost, it is tried again, and the worker's notes protect the next one."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Generator, Iterable
from pathlib import Path

from filelock import BaseFileLock

from spacy_npparse.errors import UserError
from spacy_npparse.scaling.attempts import killed_with
from spacy_npparse.scaling.corpus import Corpus
from spacy_npparse.scaling.plan import Shard
from spacy_npparse.scaling.shards import ShardRecord
from spacy_npparse.scaling.tasks import LostProcessError, Tasks
from spacy_npparse.scaling.worker import annotate_shard
from spacy_npparse.workfolder import DamagedFileError

# The number of times that workers may be lost with a shard without new information about its texts.
_TRIES = 4


class NoWorkerError(UserError, RuntimeError):
    """The end of workers before they have anything to annotate."""


def annotate_shards(
    tasks: Tasks[Shard, ShardRecord], corpus: Corpus, shards: Iterable[Shard]
) -> Generator[tuple[Shard, ShardRecord | None], None, None]:
    """Annotate the shards that no other process annotates.

    Args:
        tasks: The tasks of workers that have begun with `begin_worker`.
        corpus: The corpus.
        shards: Some shards of the corpus.

    Yields:
        Pairs of a shard and its record as they end, including shards that another process has
        finished in the meantime. The record is None if a shard was given up because its workers
        were lost repeatedly and no text is to blame.

    Raises:
        NoWorkerError: Workers end before they have anything to annotate.
        Exception: A worker could not read or write.
    """
    waiting = deque(shards)
    claims: dict[Shard, BaseFileLock] = {}
    losses: Counter[tuple[Path, int]] = Counter()
    try:
        while waiting or tasks.running:
            while waiting and tasks.idle:
                shard = waiting.popleft()
                if shard not in claims:
                    claimed = corpus.claim(shard)
                    if claimed is None:
                        continue
                    claims[shard] = claimed
                    if (record := _finished_meanwhile(corpus, shard)) is not None:
                        corpus.release(shard, claims.pop(shard))
                        yield shard, record
                        continue
                tasks.start(shard, annotate_shard, shard)
            for shard, result in tasks.ended() if tasks.running else ():
                if not isinstance(result, LostProcessError):
                    record = result
                elif _try_again(corpus.job.files.attempt(shard), losses, result):
                    waiting.appendleft(shard)
                    continue
                else:
                    record = None
                corpus.release(shard, claims.pop(shard))
                yield shard, record
    finally:
        for shard, claimed in claims.items():
            corpus.release(shard, claimed)


def _try_again(note: Path, losses: Counter[tuple[Path, int]], last: LostProcessError) -> bool:
    """Check whether to try a shard again after another loss."""
    known = note, killed_with(note).total()
    losses[known] += 1
    if losses[known] < _TRIES:
        return True
    if not note.exists():
        raise NoWorkerError(
            f"The workers ended before they annotated anything ({last}). Use fewer workers, or "
            "machines with more memory, on which the package is installed."
        )
    return False


def _finished_meanwhile(corpus: Corpus, shard: Shard) -> ShardRecord | None:
    try:
        return corpus.finished(shard)
    except DamagedFileError:
        return None
