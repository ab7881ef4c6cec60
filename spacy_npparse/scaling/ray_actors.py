"""Workers on a cluster, as actors of Ray. Ray decides where they run and when a lost one
restarts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Generic

from spacy_npparse.scaling.ray_cluster import Cluster
from spacy_npparse.scaling.tasks import LostProcessError, Result, Tag

# The number of tasks for each actor, including waiting ones, so that it does not idle.
_IN_FLIGHT = 2


class RayActors(Generic[Tag, Result]):
    """Actors that do one task at a time each, on any machine of a cluster.

    If an actor's process or machine is lost, Ray starts it again, on the same machine or another
    one, and repeats its tasks once. The actors end when the block is left and when this process
    ends.

    Args:
        actors: The number of actors.
        begin: A function that each actor calls before its first task.
        arguments: The arguments of `begin`.
        address: The address of the cluster, as in `ray.init`; None for the cluster that this
            machine belongs to, or a new one of this machine alone. An existing connection is used.
        cpus: The number of cores that each actor uses, which is also its number of threads.
        gpus: The share or the number of GPUs that each actor uses.

    Raises:
        ClusterError: There is no cluster at the address.
        MissingExtraError: Ray is not installed.
    """

    def __init__(
        self,
        actors: int,
        begin: Callable[..., None],
        *arguments: Any,
        address: str | None = None,
        cpus: int = 1,
        gpus: float = 0,
    ) -> None:
        self._cluster = Cluster(address, cpus, gpus)
        self._ray = self._cluster.ray
        options = dict(num_cpus=cpus, num_gpus=gpus, max_restarts=-1, max_task_retries=1)
        self._actor_class = self._ray.remote(**options)(_Actor)
        self._begin = (begin, arguments)
        self._most = actors
        # The number of tasks in flight, by actor.
        self._loads: dict[Any, int] = {}
        self._running: dict[Any, tuple[Tag, Any]] = {}

    def __enter__(self) -> RayActors[Tag, Result]:
        return self

    def __exit__(self, *_: object) -> None:
        for actor in self._loads:
            self._ray.kill(actor)
        self._cluster.close()

    @property
    def idle(self) -> int:
        return _IN_FLIGHT * self._most - self.running

    @property
    def running(self) -> int:
        return len(self._running)

    def start(self, tag: Tag, task: Callable[..., Result], *arguments: Any) -> None:
        actor = min(self._loads, key=self._loads.__getitem__, default=None)
        if actor is None or (self._loads[actor] and len(self._loads) < self._most):
            actor = self._actor_class.remote(*self._begin)
            self._loads[actor] = 0
        self._loads[actor] += 1
        self._running[actor.do.remote(task, arguments)] = tag, actor

    def ended(self) -> Iterator[tuple[Tag, Result | LostProcessError]]:
        for actor in [actor for actor, n_tasks in self._loads.items() if n_tasks == 0]:
            # The actor has no more tasks, and a lost one may be waiting for a place to restart.
            self._ray.kill(actor)
            del self._loads[actor]
        done, _ = self._ray.wait(list(self._running), num_returns=1)
        for reference in done:
            tag, actor = self._running.pop(reference)
            self._loads[actor] -= 1
            yield tag, self._result(reference)

    def _result(self, reference: Any) -> Any:
        errors = self._ray.exceptions
        try:
            return self._ray.get(reference)
        except errors.RayTaskError as error:
            raise error.cause from None
        except errors.RayError as error:
            first = str(error).strip().partition("\n")[0]
            return LostProcessError(f"an actor was lost: {first}")


class _Actor:
    """A worker."""

    def __init__(self, begin: Callable[..., None], arguments: tuple[Any, ...]) -> None:
        begin(*arguments)

    def do(self, task: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        return task(*arguments)
