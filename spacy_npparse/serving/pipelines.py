"""A pipeline that answers many requests, in a thread of its own."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, NamedTuple

from spacy.language import Language
from spacy.tokens import Doc

from spacy_npparse.components.docs import register_extensions
from spacy_npparse.components.prediction import keep_confidence
from spacy_npparse.errors import UserError
from spacy_npparse.treebank.annotating import Prepared, attempt_sources

# Characters that are annotated in one call, unless a single piece is longer.
_BATCH = 20_000


class RequestError(UserError, ValueError):
    """A request that cannot be answered; the message says why."""


class Piece(NamedTuple):
    """A part of a request that the pipeline gets as one Doc.

    Attributes:
        size: Number of characters.
        prepare: Makes what the pipeline gets, anew each time. It must not raise.
        read: Takes from the annotated Doc, which is invalid afterwards, what the answer has.
    """

    size: int
    prepare: Callable[[Language], Prepared]
    read: Callable[[Doc], Any]


class ServedPipeline:
    """A pipeline that only its own thread calls.

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
        self._waiting: deque[tuple[Piece, Future[Any]]] = deque()
        self._thread = ThreadPoolExecutor(1)
        # thinc keeps the device in the context.
        self._context = copy_context()

    def submit(self, piece: Piece) -> Future[Any]:
        """Annotate a piece.

        Args:
            piece: The piece.

        Returns:
            What is read of it.

        Raises:
            RequestError: It is longer than the pipeline takes.
        """
        if piece.size > (limit := self.nlp.max_length):
            raise RequestError(
                f"Divide paragraphs of {piece.size:,} characters: {limit:,} at most."
            )
        answer: Future[Any] = Future()
        self._waiting.append((piece, answer))
        self._thread.submit(self._context.run, self._work)
        return answer

    async def annotate(self, pieces: Iterable[Piece]) -> list[Any]:
        """Annotate all of a request, a part at a time, so that requests take turns.

        Args:
            pieces: The pieces.

        Returns:
            What is read of each.
        """
        found: list[Any] = []
        for part in _parts(pieces):
            answers = [asyncio.wrap_future(self.submit(piece)) for piece in part]
            found += await asyncio.gather(*answers)
        return found

    def _work(self) -> None:
        """Annotate what waits, small pieces of many requests together."""
        batch: list[tuple[Piece, Future[Any]]] = []
        room = _BATCH
        while self._waiting and room > 0:
            piece, answer = self._waiting.popleft()
            # Nobody waits for what is cancelled.
            if answer.set_running_or_notify_cancel():
                batch.append((piece, answer))
                room -= piece.size
        try:
            # Strings that nobody has seen before would fill the memory.
            with self.nlp.memory_zone():
                found = list(self._annotate([piece for piece, _ in batch]))
        except Exception as error:  # as many kinds as components have
            found = [error] * len(batch)
        for (_, answer), one in zip(batch, found, strict=True):
            if isinstance(one, Exception):
                answer.set_exception(one)
            else:
                answer.set_result(one)

    def _annotate(self, pieces: Sequence[Piece]) -> Iterator[Any]:
        """What is read of each piece, or the error."""
        for piece, doc in attempt_sources(
            self.nlp, pieces, lambda one: one.prepare(self.nlp), batch_size=_BATCH
        ):
            try:
                yield doc if isinstance(doc, Exception) else piece.read(doc)
            except Exception as error:  # of any kind
                yield error


def _parts(pieces: Iterable[Piece]) -> Iterator[list[Piece]]:
    part: list[Piece] = []
    size = 0
    for piece in pieces:
        part.append(piece)
        size += piece.size
        if size >= _BATCH:
            yield part
            part, size = [], 0
    yield part
