"""Shared encoders: which one a component listens to, and whether the vectors of Docs are its."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from typing import Any

from spacy.language import Language
from spacy.pipeline.tok2vec import Tok2Vec, Tok2VecListener
from spacy.tokens import Doc
from spacy.ty import ListenedToComponent
from thinc.api import Model

logger = logging.getLogger(__name__)

# Of vectors, relative to their length. Those of another encoder, which are unrelated, differ by
# more than 1; with a boundary at every fourth word, or every fifth one merged with the next, the
# same encoder has given 0.6 at most.
_LARGEST_DIFFERENCE = 0.75

REMEDY = (
    "Before a parser that listens is sourced, give it the encoder as its own: "
    'source_nlp.replace_listeners("tok2vec", "parser", ["model.tok2vec"]), or in a config '
    'replace_listeners = ["model.tok2vec"]. Or source the encoder, too.'
)


class SharedEncoders:
    """The encoders that a component listens to in the pipeline that it was made in.

    A component that is sourced into another pipeline is the same object there, and listens to
    whatever encoder comes before it. It is not told of the other pipeline; but it can compare the
    vectors that it gets with those that it should get.

    Args:
        nlp: The pipeline that the component was made in; None if that does not matter any more.
    """

    def __init__(self, nlp: Language | None = None):
        self._nlp = nlp

    def __reduce__(self) -> tuple[Any, ...]:
        # A worker process has the pipeline of its parent, where this was checked.
        return SharedEncoders, ()

    def forget(self) -> None:
        """Accept any encoder, because the component has learnt from the vectors that it gets."""
        self._nlp = None

    def find(self, model: Model) -> list[Any]:
        """Find the components that a model listens to, in the order of its layers.

        Args:
            model: Of the component.

        Returns:
            The components, None for each that is missing; nothing if the pipeline is unknown.
        """
        if self._nlp is None:
            return []
        return [encoder_of(layer, self._nlp) for layer in listeners(model)]

    def check(self, name: str, model: Model, docs: Sequence[Doc]) -> None:
        """Check the vectors of Docs.

        Args:
            name: Of the component.
            model: Of the component.
            docs: That it gets. The first time, one of them is encoded again: a warning tells if
                its vectors are those of another encoder.

        Raises:
            ValueError: If a Doc has no vectors.
        """
        layers = list(listeners(model))
        if not layers:
            return self.forget()
        with_words = [doc for doc in docs if len(doc)]
        for layer in layers:
            if not all(_has_vectors(layer, doc) for doc in with_words):
                raise ValueError(
                    f"{name} listens to {layer.upstream_name!r}, but Docs come without its "
                    "vectors: the pipeline has no such encoder before it, or it is disabled, or "
                    "training.annotating_components names the parser without it. "
                    f"{REMEDY}"
                )
        if with_words:
            encoders = [encoder for encoder in self.find(model) if encoder is not None]
            self.forget()
            doc = min(with_words, key=len)
            if encoders and not _same_vectors(model, doc, encoders):
                logger.warning(
                    "%s was trained with another encoder than that whose vectors it gets, and its "
                    "trees will make no sense. %s",
                    name,
                    REMEDY,
                )


def listeners(model: Model) -> Iterable[Any]:
    """The layers of a model that listen to a shared encoder."""
    return (layer for layer in model.walk() if hasattr(layer, "upstream_name"))


def encoder_of(listener: Any, nlp: Language) -> Any:
    """Find the component that a listener gets its vectors from.

    Args:
        listener: A layer of some component.
        nlp: The pipeline, whose components may be disabled.

    Returns:
        The last component of that kind and name, whose vectors Docs have; None if there is none.
    """
    found = None
    for name, component in nlp.components:
        if isinstance(component, ListenedToComponent) and (
            isinstance(component, Tok2Vec) == isinstance(listener, Tok2VecListener)
        ):
            if listener.upstream_name in ("*", name):
                found = component
    return found


def _has_vectors(listener: Any, doc: Doc) -> bool:
    if isinstance(listener, Tok2VecListener):
        return bool(doc.tensor.size)
    return doc.has_extension("trf_data") and doc._.trf_data is not None


def _same_vectors(model: Model, doc: Doc, encoders: Iterable[Any]) -> bool:
    """Whether some encoders give a Doc about the vectors that it has. Components in between may
    have set sentence boundaries, which end the context, or have merged tokens."""
    again = doc.copy()
    for encoder in encoders:
        encoder(again)
    found, expected = model.predict([doc]), model.predict([again])
    if found.shape != expected.shape:
        return False
    differences = (found - expected).norm(dim=1) / expected.norm(dim=1)
    return bool(differences.median() <= _LARGEST_DIFFERENCE)
