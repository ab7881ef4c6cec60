"""The network of a component: what it makes of Docs, and how probable it takes trees to be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Generic

from spacy.language import Language
from spacy.tokens import Doc
from thinc.api import Model

from spacy_npparse.components.encoders import REMEDY, SharedEncoders
from spacy_npparse.components.saved_state import REMEDY_FOR_FILES, MismatchError
from spacy_npparse.models.parser import UNTRAINED
from spacy_npparse.models.parser_net import Progress
from spacy_npparse.models.shim import TorchShim, torch_shim
from spacy_npparse.parsing import EncodedTokens, Temperatures
from spacy_npparse.parsing.batch import NetT


class Network(Generic[NetT]):
    """Scores the sentences of Docs.

    Args:
        name: Of the component.
        model: See `spacy_npparse.Parser.v1`.
        net_class: The class of the network in it.
        nlp: The pipeline that the component is made in; None if it does not matter.

    Attributes:
        encoders: The shared ones that the model listens to.
        shim: Holds the network itself, once the component is initialized or loaded.
        temperatures: What scores are divided by before they become probabilities.
    """

    def __init__(self, name: str, model: Model, net_class: type[NetT], nlp: Language | None):
        self.name = name
        self.model = model
        self.encoders = SharedEncoders(nlp)
        self.temperatures = Temperatures()
        self.shim: TorchShim[NetT] = torch_shim(model, net_class)
        self.shim.use_net(net_class)

    def encode(self, docs: Sequence[Doc]) -> EncodedTokens[NetT]:
        """Encode Docs.

        Args:
            docs: The Docs.

        Returns:
            Their tokens.

        Raises:
            ValueError: If Docs lack the vectors of a shared encoder, or have those of another one.
        """
        net = self.shim.net
        if not any(map(len, docs)):
            # Not all encoders can encode nothing.
            return EncodedTokens(net, net.root[None])
        self.encoders.check(self.name, self.model, docs)
        vectors = self.model.predict(docs)
        if vectors.shape[1] != len(net.root):
            raise ValueError(
                f"{self.name}: vectors have a width of {vectors.shape[1]}, but it was trained with "
                f"one of {len(net.root)}: they are of another encoder. {REMEDY}"
            )
        return EncodedTokens(net, *net.project_tokens(vectors))

    def grow(self, places: Sequence[int], n_labels: int, bias: float = 0.0) -> None:
        """Make room for more labels, if the network is initialized; see `ParserNet.add_labels`.

        Args:
            places: The new numbers of the old labels, ascending.
            n_labels: Labels from now on.
            bias: Of the new labels.
        """
        if self.shim.is_initialized:
            self.shim.net.add_labels(places, n_labels, bias=bias)
            self.shim.cfg["n_labels"] = n_labels

    def write_progress(self, checksum: str) -> None:
        """Write what is saved with the weights to the attributes of the model.

        Args:
            checksum: Of the settings that the weights depend on.
        """
        self.model.attrs["settings"] = checksum
        if self.shim.is_initialized:
            self.model.attrs.update(asdict(self.shim.net.progress))

    def forget_progress(self) -> None:
        """Remove the attributes of the model that are saved with the weights, before others are
        loaded."""
        for name in UNTRAINED:
            self.model.attrs.pop(name, None)

    def read_progress(self, *, normalised: bool) -> None:
        """Take over the attributes of the model that were loaded with the weights.

        Args:
            normalised: See `Progress`; of weights that were saved without, by version 0.1.
        """
        attributes = self.model.attrs
        attributes.update({**UNTRAINED, "normalised": normalised, **attributes})
        if self.shim.is_initialized:
            self.shim.net.progress = Progress(attributes["n_updates"], attributes["normalised"])

    def check_loaded(
        self, sizes: Mapping[str, int], checksum: str | None, system_name: str
    ) -> None:
        """Check that the weights that were loaded are those of this component.

        Args:
            sizes: Of the network that the component has.
            checksum: Of the settings that were loaded with the weights, None if only one of both
                was loaded.
            system_name: Of the component's factory, without `_parser`.

        Raises:
            MismatchError: If they are not.
        """
        if not self.shim.is_initialized:
            return
        for size, value in sizes.items():
            if self.shim.cfg.get(size, value) != value:
                raise MismatchError(
                    f"its cfg and the factory {system_name}_parser ask for a network with "
                    f"{size} = {value}, but that of its model has {self.shim.cfg[size]}: the files "
                    f"are not of the same training. {REMEDY_FOR_FILES}"
                )
        # Version 0.1 saved no checksum, and nothing else of the progress.
        saves_progress = not UNTRAINED.keys().isdisjoint(self.model.attrs)
        if saves_progress and checksum not in (None, self.model.attrs.get("settings")):
            raise MismatchError(
                "its cfg has other labels or settings than its model was saved with, or the "
                f"checksum of these is missing. {REMEDY_FOR_FILES}"
            )
        self.encoders.compare(self.name, self.model)
