"""Long tasks on a cluster. Ray decides where and when they are done, and when one is repeated."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Generic

from spacy_npparse.scaling.ray_cluster import Cluster
from spacy_npparse.scaling.tasks import LostProcessError, Result, Tag


class RayTasks(Generic[Tag, Result]):
    """Tasks of Ray, on any machine of its cluster.

    If the process or machine of a task is lost, the task is repeated elsewhere, as often as Ray
    does by default (three times). On a cluster, tasks end with this process, even if it is killed.

    Args:
        address: The address of the cluster; None for the cluster that this machine belongs to, or a
            new one of this machine alone. An existing connection is used.
        begin: A function that is called before each task. A process may do several tasks.
        arguments: The arguments of `begin`.
        cpus: The number of cores that each task uses, which is also its number of threads.

    Raises:
        MissingExtraError: Ray is not installed.
        ClusterError: There is no cluster at the address.
    """

    def __init__(
        self, address: str | None, begin: Callable[..., None], *arguments: Any, cpus: int = 1
    ) -> None:
        self._cluster = Cluster(address, cpus, 0)
        self._ray = self._cluster.ray
        self._do = self._ray.remote(num_cpus=cpus)(_do)
        self._begin = (begin, arguments)
        self._running: dict[Any, Tag] = {}

    def __enter__(self) -> RayTasks[Tag, Result]:
        return self

    def __exit__(self, *_: object) -> None:
        for reference in self._running:
            self._ray.cancel(reference, force=True)
        self._cluster.close()

    @property
    def idle(self) -> int:
        """At least one, because Ray queues the tasks that have to wait."""
        return 1

    @property
    def running(self) -> int:
        """The number of tasks that have not ended, including waiting ones."""
        return len(self._running)

    def start(self, tag: Tag, task: Callable[..., Result], *arguments: Any) -> None:
        self._running[self._do.remote(*self._begin, task, arguments)] = tag

    def ended(self) -> Iterator[tuple[Tag, Result | LostProcessError]]:
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
