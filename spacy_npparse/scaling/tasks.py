"""The interface of long tasks that run in other processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol, TypeVar

Tag = TypeVar("Tag")
Result = TypeVar("Result")


class LostProcessError(RuntimeError):
    """The end of a task's process without a result. The message has the reason and the remedy."""


class Tasks(Protocol[Tag, Result]):
    """Running tasks. They end when the block is left.

    Attributes:
        idle: The known number of tasks that can be started.
        running: The number of tasks that have not ended.
    """

    @property
    def idle(self) -> int: ...

    @property
    def running(self) -> int: ...

    def __enter__(self) -> Tasks[Tag, Result]: ...

    def __exit__(self, *_: object) -> None: ...

    def start(self, tag: Tag, task: Callable[..., Result], *arguments: Any) -> None:
        """Start a task.

        Args:
            tag: An object that identifies the task.
            task: A function that can be pickled.
            arguments: The arguments of the function.
        """
        ...

    def ended(self) -> Iterator[tuple[Tag, Result | LostProcessError]]:
        """Wait for a task to end.

        Yields:
            The tags of the tasks that have ended, with their results.
        """
        ...


class Executor(Protocol):
    """A function that prepares for tasks."""

    def __call__(self, begin: Callable[..., None], *arguments: Any) -> Tasks[Any, Any]:
        """Prepare for tasks.

        Args:
            begin: A function that each process calls before its first task.
            arguments: The arguments of `begin`.

        Returns:
            The tasks, none of which has started.
        """
        ...
