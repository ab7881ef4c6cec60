"""A pipeline that annotates many requests in a thread of its own."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from itertools import accumulate, groupby
from typing import Any, NamedTuple

from spacy.language import Language
from spacy.tokens import Doc

from spacy_npparse.components.prediction import keep_confidence
from spacy_npparse.errors import UserError
from spacy_npparse.treebank.annotating import Prepared, attempt_sources

# The approximate number of characters that one call annotates.
_BATCH = 20_000
# The maximum number of words in a sentence that a request gives. Memory and time grow with its
# square. In a text, the pipeline itself finds sentences, which are shorter.
MOST_WORDS = 3000


class RequestError(UserError, ValueError):
    """A request that cannot be answered; the message says why."""


class Piece(NamedTuple):
    """A part of a request that the pipeline gets as one Doc.

    Attributes:
        size: The number of characters.
        prepare: Makes the input of the pipeline, anew on each call.
        read: Takes the result from the annotated Doc, which is invalid afterwards.
        is_sentence: Whether the part is one sentence, in which the pipeline finds no boundaries.
    """

    size: int
    prepare: Callable[[Language], Prepared]
    read: Callable[[Doc], Any]
    is_sentence: bool = False


class ServedPipeline:
    """A pipeline that only its own thread calls.

    Args:
        name: The name by which requests select it.
        nlp: The pipeline.
    """

    def __init__(self, name: str, nlp: Language) -> None:
        keep_confidence(nlp)
        self.name = name
        self.nlp = nlp
        self._waiting: deque[tuple[Piece, Future[Any]]] = deque()
        self._thread = ThreadPoolExecutor(1)
        # thinc keeps the device in the context.
        self._context = copy_context()

    def submit(self, piece: Piece) -> Future[Any]:
        """Queue a piece for annotation.

        Args:
            piece: The piece.

        Returns:
            A future of the result of `Piece.read`. Its exception is a RequestError if the piece is
            a sentence of more than `MOST_WORDS`.

        Raises:
            RequestError: The piece is longer than `nlp.max_length`.
        """
        if piece.size > (most := self.nlp.max_length):
            raise RequestError(f"Divide paragraphs of {piece.size:,} characters: {most:,} at most.")
        answer: Future[Any] = Future()
        self._waiting.append((piece, answer))
        self._thread.submit(self._context.run, self._work)
        return answer

    async def annotate(self, pieces: Sequence[Piece]) -> list[Any]:
        """Annotate the pieces of a request, some at a time, so that requests take turns.

        Args:
            pieces: The pieces.

        Returns:
            The result of `Piece.read` for each piece.
        """
        found: list[Any] = []
        ends = accumulate(piece.size for piece in pieces)
        for _, part in groupby(zip(pieces, ends, strict=True), lambda pair: pair[1] // _BATCH):
            answers = [asyncio.wrap_future(self.submit(piece)) for piece, _ in part]
            found += await asyncio.gather(*answers)
        return found

    def _work(self) -> None:
        """Annotate waiting pieces, small ones of several requests together."""
        batch: list[tuple[Piece, Future[Any]]] = []
        room = _BATCH
        while self._waiting and room > 0:
            piece, answer = self._waiting.popleft()
            # Requests that were cancelled are skipped.
            if answer.set_running_or_notify_cancel():
                batch.append((piece, answer))
                room -= piece.size
        try:
            # Without a memory zone, new strings would fill the memory.
            with self.nlp.memory_zone():
                found = list(self._annotate([piece for piece, _ in batch]))
        except Exception as error:  # components raise any kind
            found = [error] * len(batch)
        for (_, answer), one in zip(batch, found, strict=True):
            if isinstance(one, Exception):
                answer.set_exception(one)
            else:
                answer.set_result(one)

    def _annotate(self, pieces: Sequence[Piece]) -> Iterator[Any]:
        """Yield the result of each piece, or the exception."""
        for piece, doc in attempt_sources(self.nlp, pieces, self._prepared, batch_size=len(pieces)):
            try:
                yield doc if isinstance(doc, Exception) else piece.read(doc)
            except Exception as error:  # `Piece.read` raises any kind
                yield error

    def _prepared(self, piece: Piece) -> Prepared:
        found = piece.prepare(self.nlp)
        if piece.is_sentence and isinstance(found, Doc) and len(found) > MOST_WORDS:
            raise RequestError(f"Divide sentences of {len(found):,} words: {MOST_WORDS:,} at most.")
        return found
