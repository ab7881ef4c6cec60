"""Long tasks that are done elsewhere, by whatever starts them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, Protocol, TypeVar

Tag = TypeVar("Tag")
Result = TypeVar("Result")


class LostProcessError(RuntimeError):
    """The process of a task has ended without a result; the message says why, and what to do."""


class Tasks(Protocol[Tag, Result]):
    """Tasks under way. They end when the block is left, whatever they are doing.

    Attributes:
        idle: Number of tasks that can be started, as far as is known.
        running: Number of tasks that have not ended.
    """

    @property
    def idle(self) -> int: ...

    @property
    def running(self) -> int: ...

    def __enter__(self) -> Tasks[Tag, Result]: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...

    def start(self, tag: Tag, task: Callable[..., Result], *arguments: Any) -> None:
        """Start a task.

        Args:
            tag: Identifies the task.
            task: A function that can be pickled.
            arguments: Its arguments.
        """
        ...

    def ended(self) -> Iterator[tuple[Tag, Result | LostProcessError]]:
        """Wait for a task to end.

        Yields:
            The tags of the tasks that have ended, and their results.
        """
        ...


class Executor(Protocol):
    """Where tasks are done."""

    def __call__(self, begin: Callable[..., None], *arguments: Any) -> Tasks[Any, Any]:
        """Prepare for tasks.

        Args:
            begin: Called in each process before its first task.
            arguments: Arguments of `begin`.

        Returns:
            No tasks as yet.
        """
        ...
