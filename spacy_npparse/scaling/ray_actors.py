"""Workers on a cluster: Ray's actors. Where they run, and when one that was lost begins again, is
for Ray to decide."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, Generic

from spacy_npparse.scaling.ray_cluster import Cluster
from spacy_npparse.scaling.tasks import LostProcessError, Result, Tag

# Tasks of an actor, with those that wait for it, so that it does not wait for them.
_IN_FLIGHT = 2


class RayActors(Generic[Tag, Result]):
    """Actors that do one task at a time each, on any machine of a cluster.

    Ray starts an actor again, on the same machine or on another one, when its process or its
    machine is lost, and repeats its tasks once. The actors end when the block is left, and when
    this process ends.

    Args:
        actors: Their number.
        begin: Called by each actor before its first task.
        arguments: Arguments of `begin`.
        address: Of the cluster, as in `ray.init`; None for the one that this machine belongs to, or
            else a new one of this machine alone. A connection that there is already is used.
        cpus: Cores that each actor takes, for which Ray sets the number of threads, too.
        gpus: What each actor takes of a GPU, or how many.

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
        self._cluster = Cluster(address)
        self._ray = self._cluster.ray
        options = dict(num_cpus=cpus, num_gpus=gpus, max_restarts=-1, max_task_retries=1)
        self._actor_class = self._ray.remote(**options)(_Actor)
        self._begin = (begin, arguments)
        self._most = actors
        # Numbers of tasks in flight, by actor.
        self._loads: dict[Any, int] = {}
        self._running: dict[Any, tuple[Tag, Any]] = {}

    def __enter__(self) -> RayActors[Tag, Result]:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for actor in self._loads:
            self._ray.kill(actor)
        self._cluster.close()

    @property
    def idle(self) -> int:
        """See `Tasks`."""
        return _IN_FLIGHT * self._most - self.running

    @property
    def running(self) -> int:
        """See `Tasks`."""
        return len(self._running)

    def start(self, tag: Tag, task: Callable[..., Result], *arguments: Any) -> None:
        """See `Tasks`: the actor with the fewest does one more."""
        actor = min(self._loads, key=self._loads.__getitem__, default=None)
        if actor is None or (self._loads[actor] and len(self._loads) < self._most):
            actor = self._actor_class.remote(*self._begin)
            self._loads[actor] = 0
        self._loads[actor] += 1
        self._running[actor.do.remote(task, arguments)] = tag, actor

    def ended(self) -> Iterator[tuple[Tag, Result | LostProcessError]]:
        """See `Tasks`."""
        for actor in [actor for actor, n_tasks in self._loads.items() if n_tasks == 0]:
            # There is nothing left for it, but another may wait for a place to begin again.
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
