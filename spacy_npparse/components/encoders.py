"""Shared encoders: which encoder a component listens to, and whether Docs have its vectors."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Any

import torch
from spacy.language import Language
from spacy.pipeline.tok2vec import Tok2Vec, Tok2VecListener
from spacy.tokens import Doc
from spacy.ty import ListenedToComponent
from thinc.api import Model, PyTorchShim, to_numpy

logger = logging.getLogger(__name__)

REMEDY = (
    "Before a parser that listens is sourced, give it the encoder as its own: "
    'source_nlp.replace_listeners("tok2vec", "parser", ["model.tok2vec"]), or in a config '
    'replace_listeners = ["model.tok2vec"]. Or source the encoder, too.'
)


class SharedEncoders:
    """The encoders that a component listens to, and the checksum of their weights.

    A component that is sourced into another pipeline remains the same object, and listens to the
    encoder of that pipeline without being told. Therefore a component is saved with a checksum of
    its encoders, which is compared when it is loaded.

    Args:
        nlp: The pipeline that the component was made in; None if it does not matter any more.

    Attributes:
        checksum: The checksum of the encoders that the component was trained with; empty if
            unknown.
        has_learnt: Whether the component has been trained since it was made or loaded.
    """

    def __init__(self, nlp: Language | None = None):
        self._nlp = nlp
        self.has_learnt = False
        self.checksum = ""

    def __getstate__(self) -> dict[str, Any]:
        # A copy of the component may be in another pipeline.
        return {**self.__dict__, "_nlp": None}

    def belong_to(self, nlp: Language) -> None:
        """Note the pipeline in which the component is initialized.

        Args:
            nlp: The pipeline.
        """
        self._nlp = nlp
        self.checksum = ""

    def find(self, model: Model) -> list[Any]:
        """Find the components that a model listens to, in the order of its layers.

        Args:
            model: The model of the component.

        Returns:
            The components, with None for each missing one. Empty if the pipeline is unknown.
        """
        if self._nlp is None:
            return []
        return [encoder_of(layer, self._nlp) for layer in listeners(model)]

    def trained_with(self, model: Model) -> list[Any]:
        """Find the encoders that the component was trained with.

        Args:
            model: The model of the component.

        Returns:
            The encoders. Empty if the component has been trained further, possibly in another
            pipeline.
        """
        return [] if self.has_learnt else self.find(model)

    def checksum_to_save(self, model: Model) -> str:
        """Compute the checksum of the encoders that the component was trained with.

        Args:
            model: The model of the component.

        Returns:
            The checksum; empty if there are no such encoders, or if they are unknown.
        """
        known = self.checksum
        if known and not self.has_learnt:
            return known
        found = _checksum(self.find(model))
        # If a component was trained further and the encoder of its pipeline did not change, the
        # component may have been in another pipeline.
        return "" if found == known else found

    def compare(self, name: str, model: Model) -> None:
        """Warn if the encoders of the pipeline differ from those that the component was saved with.

        Args:
            name: The name of the component.
            model: The model of the component.
        """
        found = _checksum(self.find(model))
        if found and self.checksum and found != self.checksum:
            logger.warning(
                "%s was trained with another encoder than the one whose vectors it gets. Its "
                "trees will be wrong. %s",
                name,
                REMEDY,
            )
        self.checksum = self.checksum or found

    def check(self, name: str, model: Model, docs: Iterable[Doc]) -> None:
        """Check that Docs have the vectors of shared encoders.

        Args:
            name: The name of the component.
            model: The model of the component.
            docs: The Docs that the component gets.

        Raises:
            ValueError: A Doc has no vectors of the encoder.
        """
        for layer in listeners(model):
            last = self._last_before(model)
            if last and isinstance(layer, Tok2VecListener) and layer.upstream_name not in last:
                raise ValueError(
                    f"{name} listens to {layer.upstream_name!r}, but gets the vectors of "
                    f"{last[1]!r}, because a Doc holds the vectors of one tok2vec only. {REMEDY}"
                )
            if not all(_has_vectors(layer, doc) for doc in docs if len(doc)):
                raise ValueError(
                    f"{name} listens to {layer.upstream_name!r}, but the Docs do not have its "
                    "vectors: the pipeline has no such encoder before it, or the encoder is "
                    "disabled, or a component after it has split tokens, or "
                    "training.annotating_components names the parser without the encoder. "
                    f"{REMEDY}"
                )

    def _last_before(self, model: Model) -> tuple[str, ...]:
        """Find the names by which a component can listen to the tok2vec whose vectors it gets.
        Empty if there is none, or if the component is not in the pipeline itself, such as a member
        of an ensemble."""
        last: tuple[str, ...] = ()
        for name, component in self._nlp.pipeline if self._nlp else ():
            if getattr(component, "model", None) is model:
                return last
            if isinstance(component, Tok2Vec):
                last = ("*", name, component.name)
        return ()


def listeners(model: Model) -> Iterable[Any]:
    """Find the layers of a model that listen to a shared encoder."""
    return (layer for layer in model.walk() if hasattr(layer, "upstream_name"))


def encoder_of(listener: Any, nlp: Language) -> Any:
    """Find the component that a listener gets its vectors from.

    Args:
        listener: A layer of a component.
        nlp: The pipeline, whose components may be disabled.

    Returns:
        The last component of that kind and name, whose vectors the Docs have; None if there is
        none.
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
        return len(doc.tensor) == len(doc)
    return doc.has_extension("trf_data") and doc._.trf_data is not None


def _checksum(encoders: Sequence[Any]) -> str:
    """Compute the checksum of the weights of encoders; empty if there are none."""
    if not encoders or None in encoders:
        return ""
    found = sha256()
    for encoder in encoders:
        for layer in encoder.model.walk():
            for name in layer.param_names:
                if layer.has_param(name):
                    found.update(to_numpy(layer.get_param(name)).tobytes())
            for shim in layer.shims:
                if isinstance(shim, PyTorchShim) and shim._model is not None:
                    # A checksum of its bytes would change when a transformer is loaded and saved.
                    for value in shim._model.state_dict().values():
                        flat = value.detach().cpu().contiguous().flatten()
                        found.update(flat.view(torch.uint8).numpy())
    return found.hexdigest()
