"""Long tasks on a cluster, by Ray: what is done where, when, and again, is for Ray to decide."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, Generic

from spacy_npparse.scaling.ray_cluster import Cluster
from spacy_npparse.scaling.tasks import LostProcessError, Result, Tag


class RayTasks(Generic[Tag, Result]):
    """Tasks that Ray does, on any machine of its cluster.

    A task whose process or machine is lost is done again elsewhere, as often as Ray does so by
    default (three times). Connected to a cluster, tasks end with this process, even if it is
    killed.

    Args:
        address: Of the cluster; None for the one that this machine belongs to, or else a new one of
            this machine alone. A connection that there is already is used.
        begin: Called before each task; a process may do several.
        arguments: Arguments of `begin`.
        cpus: Cores that each task takes, for which Ray sets the number of threads, too.

    Raises:
        MissingExtraError: Ray is not installed.
        ClusterError: There is no cluster at the address.
    """

    def __init__(
        self, address: str | None, begin: Callable[..., None], *arguments: Any, cpus: int = 1
    ) -> None:
        self._cluster = Cluster(address)
        self._ray = self._cluster.ray
        self._do = self._ray.remote(num_cpus=cpus)(_do)
        self._begin = (begin, arguments)
        self._running: dict[Any, Tag] = {}

    def __enter__(self) -> RayTasks[Tag, Result]:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for reference in self._running:
            self._ray.cancel(reference, force=True)
        self._cluster.close()

    @property
    def idle(self) -> int:
        """At least one: Ray keeps the tasks that have to wait."""
        return 1

    @property
    def running(self) -> int:
        """See `Tasks`: those that wait are among them."""
        return len(self._running)

    def start(self, tag: Tag, task: Callable[..., Result], *arguments: Any) -> None:
        """See `Tasks`."""
        self._running[self._do.remote(*self._begin, task, arguments)] = tag

    def ended(self) -> Iterator[tuple[Tag, Result | LostProcessError]]:
        """See `Tasks`."""
        done, _ = self._ray.wait(list(self._running), num_returns=1)
        for reference in done:
            result: Result | LostProcessError
            try:
                result = self._ray.get(reference)
            except self._ray.exceptions.RayError as error:
                result = LostProcessError(f"Ray has given up: {error}")
            yield self._running.pop(reference), result


def _do(
    begin: Callable[..., None], with_arguments: Any, task: Callable[..., Any], arguments: Any
) -> Any:
    begin(*with_arguments)
    return task(*arguments)
