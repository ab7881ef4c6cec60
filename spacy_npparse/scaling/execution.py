"""Shards annotated by workers. A shard whose worker is lost is tried again; if
that one is lost, too, the units that end a process are looked for and left out."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable, Mapping
from typing import Any, NamedTuple

from spacy_npparse.errors import UserError
from spacy_npparse.scaling.plan import Shard
from spacy_npparse.scaling.shards import ShardRecord
from spacy_npparse.scaling.tasks import LostProcessError, Tasks
from spacy_npparse.scaling.worker import annotate_shard, probe_shard

# A worker may be lost for reasons that have nothing to do with what it does.
_TRIES = 2


class NoWorkerError(UserError, RuntimeError):
    """Workers end before they have anything to annotate."""


class Task(NamedTuple):
    """What one worker does.

    Attributes:
        shard: The shard to annotate, or to look for deadly units in.
        begin: Index of the first unit of a probe; None annotates the shard.
        end: Index behind the last unit of a probe.
        tries: How often it has been lost.
    """

    shard: Shard
    begin: int | None = None
    end: int = 0
    tries: int = 0


class _Search:
    """The search for the units of a shard that end a process, in halves.

    Attributes:
        first: The first probe, of nothing: whether workers begin at all.
        deadly: Indices of the units found.
    """

    def __init__(self, shard: Shard) -> None:
        self.first = Task(shard, 0, 0)
        self.deadly: list[int] = []
        self._n_open = 1

    def after(self, probe: Task, result: LostProcessError | None) -> list[Task]:
        """What to do after a probe.

        Args:
            probe: The probe.
            result: How its worker was lost, None if it was not.

        Returns:
            More probes; when all are done, the shard.
        """
        more = self._more(probe, result)
        self._n_open += len(more) - 1
        return more if self._n_open else [Task(probe.shard)]

    def _more(self, probe: Task, lost: LostProcessError | None) -> list[Task]:
        shard, begin, end, tries = probe.shard, probe.begin or 0, probe.end, probe.tries + 1
        if begin == end:
            if lost is None:
                return _halves(shard, 0, shard.n_units)
            if tries == _TRIES:
                raise NoWorkerError(
                    f"Workers end before they annotate anything ({lost}). Use fewer workers, or "
                    "machines with more memory, on which the package is installed."
                )
        if lost is None:
            return []
        if end - begin > 1:
            return _halves(shard, begin, end)
        if tries < _TRIES:
            return [probe._replace(tries=tries)]
        self.deadly.append(begin)
        return []


def _halves(shard: Shard, begin: int, end: int) -> list[Task]:
    middle = (begin + end) // 2
    halves = [Task(shard, begin, middle), Task(shard, middle, end)]
    return [half for half in halves if half.begin != half.end]


def annotate_shards(
    tasks: Tasks[Task, Any], shards: Iterable[Shard]
) -> Generator[tuple[Shard, ShardRecord | None], None, None]:
    """Annotate shards.

    Args:
        tasks: Of workers that have begun with `begin_worker`.
        shards: The shards.

    Yields:
        Shards as they end, with their records; None if a shard was given up because its workers
        were lost again and again, although none was lost with a part of it.

    Raises:
        NoWorkerError: Workers end before they have anything to annotate.
        Exception: A worker could not read or write.
    """
    waiting = deque(Task(shard) for shard in shards)
    searches: dict[Shard, _Search] = {}
    while waiting or tasks.running:
        while waiting and tasks.idle:
            _start(tasks, waiting.popleft(), searches)
        for task, result in tasks.ended():
            search = searches.get(task.shard)
            if task.begin is not None and search is not None:
                waiting.extendleft(reversed(search.after(task, result)))
            elif not isinstance(result, LostProcessError):
                yield task.shard, result
            elif task.tries + 1 < _TRIES:
                waiting.appendleft(task._replace(tries=task.tries + 1))
            elif search is None:
                searches[task.shard] = _Search(task.shard)
                waiting.appendleft(searches[task.shard].first)
            else:
                yield task.shard, None


def _start(tasks: Tasks[Task, Any], task: Task, searches: Mapping[Shard, _Search]) -> None:
    shard = task.shard
    if task.begin is None:
        deadly = searches[shard].deadly if shard in searches else []
        tasks.start(task, annotate_shard, shard, deadly)
    else:
        tasks.start(task, probe_shard, shard, task.begin, task.end)
