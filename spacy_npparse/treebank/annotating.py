"""Running a pipeline over inputs of a command, in batches of similar length.

The inputs are sorted within a window at a time, so that memory does not depend on their number. All
commands that annotate use this module.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from spacy.language import Language
from spacy.tokens import Doc

from spacy_npparse.treebank.plain_text import Paragraph

# A window ends with this number of batches or of words, which are in memory at once.
WINDOW_BATCHES = 32
WINDOW_WORDS = 100_000
S = TypeVar("S")
R = TypeVar("R")
Prepared = Doc | Paragraph


class _Window(NamedTuple):
    """Consecutive inputs.

    Attributes:
        begin: The number of inputs before the window.
        sources: The sources of the inputs.
        inputs: The inputs, or the exceptions that were raised when they were made.
        order: The indices of the inputs, sorted by length.
    """

    begin: int
    sources: list[Any]
    inputs: list[Prepared | Exception]
    order: list[int]


def annotate(
    nlp: Language, inputs: Iterable[Prepared], *, batch_size: int = 128, n_process: int = 1
) -> Iterator[Doc]:
    """Run a pipeline over inputs.

    Args:
        nlp: The pipeline.
        inputs: Paragraphs, or Docs whose tokens are kept.
        batch_size: The number of Docs in a batch.
        n_process: The number of processes.

    Returns:
        The annotated Docs in the order of the inputs. Docs of paragraphs are marked, see
        `Paragraph.mark`.

    Raises:
        ValueError: The pipeline has dropped some Docs. Raised at the end.
    """
    pairs = ((None, one) for one in inputs)
    found = annotate_sources(nlp, pairs, batch_size=batch_size, n_process=n_process)
    return (doc for _, doc in found)


def annotate_sources(
    nlp: Language,
    pairs: Iterable[tuple[S, Prepared]],
    *,
    batch_size: int = 128,
    n_process: int = 1,
) -> Iterator[tuple[S, Doc]]:
    """Run a pipeline over inputs, each of which has a source.

    Args:
        nlp: The pipeline.
        pairs: Pairs of a source and an input; see `annotate`.
        batch_size: The number of Docs in a batch.
        n_process: The number of processes.

    Yields:
        Pairs of a source and the annotated Doc, in order; see `annotate`.

    Raises:
        ValueError: The pipeline has dropped some Docs. Raised at the end.
    """

    def run(begun: Iterable[_Window]) -> Iterator[Doc]:
        given = (_given(window.inputs[i]) for window in begun for i in window.order)
        if n_process == 1:
            return nlp.pipe(given, batch_size=batch_size)
        return _in_processes(nlp, given, batch_size, n_process)

    for source, one, doc in _in_order(_windows(pairs, batch_size), run):
        yield source, one.mark(doc) if isinstance(one, Paragraph) else doc


def attempt_sources(
    nlp: Language,
    sources: Iterable[S],
    prepare: Callable[[S], Prepared],
    *,
    batch_size: int,
    watching: Callable[[Sequence[int]], AbstractContextManager[object]] = nullcontext,
) -> Iterator[tuple[S, Doc | Exception]]:
    """Run a pipeline over sources, some of which may make it fail. If a batch fails, its sources
    are tried again one by one.

    Args:
        nlp: The pipeline.
        sources: The sources.
        prepare: A function that makes the pipeline's input from a source; see `annotate`. It makes
            a new Doc each time, because an earlier attempt may have changed the Doc. Sources for
            which it raises an exception fail.
        batch_size: The number of Docs in a batch.
        watching: A function that makes the context in which the sources with these indices are
            annotated. If it raises an error, they fail.

    Returns:
        Pairs of a source and the annotated Doc or the error, in order. The Docs are not marked yet.
    """

    def attempt(window: _Window, batch: Sequence[int]) -> Sequence[Doc | Exception]:
        with suppress(Exception), watching([window.begin + i for i in batch]):
            given = [_given(window.inputs[i]) for i in batch]
            docs = list(nlp.pipe(given, batch_size=batch_size))
            if len(docs) == len(batch):
                return docs
        return [alone(window, i) for i in batch]

    def alone(window: _Window, i: int) -> Doc | Exception:
        try:
            with watching([window.begin + i]):
                [doc] = nlp.pipe([_given(prepare(window.sources[i]))])
        except Exception as error:  # of every kind that a pipeline may raise
            return error
        return doc

    def run(begun: Iterable[_Window]) -> Iterator[Doc | Exception]:
        for window in begun:
            for start in range(0, len(window.order), batch_size):
                yield from attempt(window, window.order[start : start + batch_size])

    def prepared(source: S) -> Prepared | Exception:
        try:
            return prepare(source)
        except Exception as error:  # of every kind that a function may raise
            return error

    pairs = ((source, prepared(source)) for source in sources)
    found = _in_order(_windows(pairs, batch_size), run)
    return ((source, result) for source, _, result in found)


class _FirstError:
    """An error handler that keeps the first error of a run in several processes. It replaces the
    default one of a pipeline, which also handles errors in the processes.

    Args:
        handler: The handler that it replaces.
    """

    def __init__(self, handler: Callable[..., None]) -> None:
        self.handler = handler
        self.error: Exception | None = None

    def __call__(self, name: object, pipe: object, docs: object, error: Exception) -> None:
        if docs is not None:  # in one of the processes
            self.handler(name, pipe, docs, error)
            return
        with self.keeping():
            self.handler(name, pipe, docs, error)

    @contextmanager
    def keeping(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            self.error = self.error or error


def _in_processes(
    nlp: Language, given: Iterable[Doc | str], batch_size: int, n_process: int
) -> Iterator[Doc]:
    """Run a pipeline in several processes. If the run ends early, they get no more inputs, and
    their results are read, because spaCy waits for processes that wait for a reader."""
    first = _FirstError(nlp.default_error_handler)
    has_ended = False

    def remaining() -> Iterator[Doc | str]:
        with first.keeping():
            for one in given:
                if has_ended or first.error:
                    return
                yield one

    nlp.default_error_handler = first
    docs = nlp.pipe(remaining(), batch_size=batch_size, n_process=n_process)
    try:
        for doc in docs:
            if first.error:
                break
            yield doc
    finally:
        has_ended = True
        # Terminated processes end in the middle of a message.
        with suppress(EOFError, OSError):
            deque(docs, maxlen=0)
        nlp.default_error_handler = first.handler
    if first.error:
        raise first.error


def _windows(pairs: Iterable[tuple[S, Prepared | Exception]], batch_size: int) -> Iterator[_Window]:
    """Divide inputs into windows of a bounded size."""
    remaining = iter(pairs)
    begin = 0
    while True:
        sources: list[S] = []
        inputs: list[Prepared | Exception] = []
        lengths: list[int] = []
        n_words = 0
        for source, one in islice(remaining, WINDOW_BATCHES * batch_size):
            sources.append(source)
            inputs.append(one)
            lengths.append(_n_words(one))
            n_words += lengths[-1]
            if n_words >= WINDOW_WORDS:
                break
        if not inputs:
            return
        yield _Window(begin, sources, inputs, sorted(range(len(inputs)), key=lengths.__getitem__))
        begin += len(inputs)


def _in_order(
    windows: Iterable[_Window], run: Callable[[Iterable[_Window]], Iterator[R]]
) -> Iterator[tuple[Any, Prepared | Exception, R]]:
    """Run a function over the inputs of windows, shorter ones first, and return its results in the
    order of the inputs."""
    begun: deque[_Window] = deque()

    def noted() -> Iterator[_Window]:
        for window in windows:
            begun.append(window)
            yield window

    results = run(noted())
    for first in results:
        window = begun.popleft()
        found = [first, *islice(results, len(window.inputs) - 1)]
        if len(found) < len(window.inputs):
            begun.append(window)
            break
        ordered = (result for _, result in sorted(zip(window.order, found, strict=True)))
        yield from zip(window.sources, window.inputs, ordered, strict=True)
    if begun:
        raise ValueError(
            "the pipeline has left out some texts, so its results cannot be assigned to the "
            "texts. Let its error handler raise exceptions, as the default one of spaCy does."
        )


def _n_words(prepared: Prepared | Exception) -> int:
    if isinstance(prepared, Exception):
        return 0
    return prepared.n_words if isinstance(prepared, Paragraph) else len(prepared)


def _given(prepared: Prepared | Exception) -> Doc | str:
    if isinstance(prepared, Exception):
        raise prepared
    return prepared.text if isinstance(prepared, Paragraph) else prepared
