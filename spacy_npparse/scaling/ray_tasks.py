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
        begin: A function that is called before each task. A process may do several tasks, unless
            they use GPUs.
        arguments: The arguments of `begin`.
        most: The maximum number of tasks at the same time; None for as many as there are cores for.
        cpus: The number of cores that each task uses, which is also its number of threads.
        gpus: The share or the number of GPUs that each task uses.

    Raises:
        MissingExtraError: Ray is not installed.
        ClusterError: There is no cluster at the address.
    """

    def __init__(
        self,
        address: str | None,
        begin: Callable[..., None],
        *arguments: Any,
        most: int | None = None,
        cpus: int = 1,
        gpus: float = 0,
    ) -> None:
        self._cluster = Cluster(address, cpus, gpus)
        self._ray = self._cluster.ray
        self._do = self._ray.remote(num_cpus=cpus, num_gpus=gpus)(_do)
        self._most = most
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
        """The number of tasks that can be started. Ray queues those that have to wait for a
        core."""
        return 1 if self._most is None else self._most - self.running

    @property
    def running(self) -> int:
        """The number of tasks that have not ended, including waiting ones."""
        return len(self._running)

    def start(self, tag: Tag, task: Callable[..., Result], *arguments: Any) -> None:
        self._running[self._do.remote(*self._begin, task, arguments)] = tag

    def ended(self) -> Iterator[tuple[Tag, Result | LostProcessError]]:
        done, _ = self._ray.wait(list(self._running), num_returns=1)
        for reference in done:
            yield self._running.pop(reference), self._result(reference)

    def _result(self, reference: Any) -> Any:
        try:
            result, error = self._ray.get(reference)
        except self._ray.exceptions.RayError as lost:
            return LostProcessError(f"Ray has given up: {lost}")
        if error is not None:
            raise error
        return result


def _do(
    begin: Callable[..., None], with_arguments: Any, task: Callable[..., Any], arguments: Any
) -> tuple[Any, Exception | None]:
    """Do a task. Return its result and its error. Other errors are those of the process, which
    cannot begin."""
    begin(*with_arguments)
    try:
        return task(*arguments), None
    except Exception as error:  # tasks raise any kind
        return None, error
