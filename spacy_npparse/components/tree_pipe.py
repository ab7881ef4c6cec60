"""Batches of Docs: what all components of this package share as spaCy pipes."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from spacy.tokens import Doc
from spacy.util import minibatch

from spacy_npparse.components.annotation import Parse, write_parse
from spacy_npparse.components.settings import DecoderSettings, Keep


class TreePipe:
    """A component that parses Docs in batches. Subclasses are spaCy pipes too.

    Attributes:
        decoder: What is asked of the search.
        keep: See `ComponentSettings`.
    """

    name: str
    decoder: DecoderSettings
    keep: Keep = "none"
    get_error_handler: Callable[[], Callable[..., Any]]
    set_error_handler: Callable[[Callable[..., Any]], None]

    def predict(self, docs: Iterable[Doc]) -> list[Parse]:
        """Parse Docs without changing them.

        Args:
            docs: With their sentence boundaries.

        Returns:
            Their parses.
        """
        raise NotImplementedError

    def set_annotations(self, docs: Iterable[Doc], parses: Iterable[Parse]) -> None:
        """Write parses to their Docs.

        Args:
            docs: The Docs.
            parses: What `predict` returns.
        """
        for doc, parse in zip(docs, parses, strict=True):
            write_parse(doc, parse)

    def report(self) -> None:
        """Warn of what was not done as asked for, since the last report."""

    def __call__(self, doc: Doc) -> Doc:
        """Parse one Doc.

        Args:
            doc: With its sentence boundaries.

        Returns:
            The same Doc, parsed.
        """
        for _ in self.pipe([doc]):
            pass
        return doc

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Parse a stream of Docs in batches, in order, and report in the end.

        If a batch fails, its Docs are parsed one by one, so that only those that fail themselves
        reach the error handler.

        Args:
            stream: The Docs.
            batch_size: Docs in a batch.

        Yields:
            The parsed Docs.
        """
        try:
            for docs in minibatch(stream, size=batch_size):
                try:
                    self.set_annotations(docs, self.predict(docs))
                except Exception:
                    yield from self._pipe_one_by_one(docs)
                else:
                    yield from docs
        finally:
            self.report()

    def _pipe_one_by_one(self, docs: Iterable[Doc]) -> Iterator[Doc]:
        error_handler = self.get_error_handler()
        for doc in docs:
            try:
                self.set_annotations([doc], self.predict([doc]))
            except Exception as error:
                error_handler(self.name, self, [doc], error)
            else:
                yield doc
