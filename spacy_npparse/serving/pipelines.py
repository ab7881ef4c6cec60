"""A pipeline that answers many requests: one call at a time, and small requests together."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextvars import copy_context
from dataclasses import dataclass, field
from functools import partial
from threading import Condition, Thread
from typing import Any, Protocol

from spacy.language import Language
from spacy.tokens import Doc

from spacy_npparse.components.docs import register_extensions
from spacy_npparse.components.prediction import keep_confidence
from spacy_npparse.errors import UserError
from spacy_npparse.treebank.annotating import Prepared, attempt_sources

# Characters that are annotated in one call, unless a single piece is longer. Requests take turns,
# so that a short one does not wait for all of a long one.
_BATCH = 20_000
_MOST_WAITING = 1000


class RequestError(UserError, ValueError):
    """A request that cannot be answered; the message says why."""


class BusyError(UserError, RuntimeError):
    """Too many requests are waiting."""


class Piece(Protocol):
    """A part of a request that the pipeline gets as one Doc."""

    @property
    def size(self) -> int:
        """Number of characters."""

    def prepare(self, nlp: Language) -> Prepared:
        """What the pipeline gets: a new Doc each time, or a paragraph. Must not raise."""

    def read(self, doc: Doc) -> Any:
        """What the answer has of the annotated Doc, which is invalid afterwards."""


@dataclass
class _Job:
    """A request in progress."""

    waiting: deque[Piece]
    n_pieces: int
    answer: Future[list[Any]] = field(default_factory=Future)
    found: list[Any] = field(default_factory=list)

    def end(self, error: Exception | None = None) -> None:
        """Answer, unless nobody waits any more."""
        if self.answer.done() or not self.answer.set_running_or_notify_cancel():
            return
        if error is None:
            self.answer.set_result(self.found)
        else:
            self.answer.set_exception(error)


class ServedPipeline:
    """A pipeline with a thread of its own, in which alone it is called.

    Args:
        name: By which requests choose it.
        nlp: The pipeline.
    """

    def __init__(self, name: str, nlp: Language) -> None:
        # Attributes of tokens that other parsers leave empty.
        register_extensions()
        keep_confidence(nlp)
        self.name = name
        self.nlp = nlp
        self._jobs: deque[_Job] = deque()
        self._changed = Condition()
        # thinc keeps the device in the context.
        work = partial(copy_context().run, self._work)
        Thread(target=work, name=f"pipeline {name}", daemon=True).start()

    def submit(self, pieces: Sequence[Piece]) -> Future[list[Any]]:
        """Annotate.

        Args:
            pieces: Of one request.

        Returns:
            What is read of each piece, in order, or the error of the first one that fails. Nothing
            more is done for an answer that is cancelled.

        Raises:
            RequestError: A piece is longer than the pipeline takes.
            BusyError: Too many requests are waiting.
        """
        longest = max((piece.size for piece in pieces), default=0)
        if longest > self.nlp.max_length:
            raise RequestError(
                f"A paragraph has {longest:,} characters, but the pipeline takes "
                f"{self.nlp.max_length:,} at once. Divide it."
            )
        job = _Job(deque(pieces), len(pieces))
        if not pieces:
            job.end()
            return job.answer
        with self._changed:
            if len(self._jobs) >= _MOST_WAITING:
                raise BusyError("Too many requests are waiting. Try again later.")
            self._jobs.append(job)
            self._changed.notify()
        return job.answer

    def _work(self) -> None:
        while True:
            batch = self._next_batch()
            try:
                # Strings that nobody has seen before would fill the memory.
                with self.nlp.memory_zone():
                    ended = list(self._annotate(batch))
            except Exception as error:  # as many kinds as components have
                ended = [(job, error) for job, _ in batch]
            for job, problem in ended:
                job.end(problem)

    def _next_batch(self) -> list[tuple[_Job, Piece]]:
        batch: list[tuple[_Job, Piece]] = []
        room = _BATCH
        with self._changed:
            self._changed.wait_for(lambda: bool(self._jobs))
            while self._jobs and room > 0:
                job = self._jobs.popleft()
                if job.answer.done():
                    continue
                batch.append((job, job.waiting.popleft()))
                room -= batch[-1][1].size
                if job.waiting:
                    self._jobs.append(job)
        return batch

    def _annotate(
        self, batch: Sequence[tuple[_Job, Piece]]
    ) -> Iterator[tuple[_Job, Exception | None]]:
        """The requests that end, with the error of those that fail."""
        found = attempt_sources(
            self.nlp,
            batch,
            lambda source: source[1].prepare(self.nlp),
            batch_size=max(1, len(batch)),
        )
        for (job, piece), doc in found:
            try:
                if isinstance(doc, Exception):
                    raise doc
                job.found.append(piece.read(doc))
            except UserError as error:
                # Its traceback has all that was computed.
                yield job, error.with_traceback(None)
            except Exception as error:  # of any kind
                yield job, error
            else:
                if len(job.found) == job.n_pieces:
                    yield job, None
