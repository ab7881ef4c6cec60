"""The network of a component, and the parts of it that are saved with the weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Generic

from spacy.language import Language
from spacy.tokens import Doc
from thinc.api import Model

from spacy_npparse.components.encoders import REMEDY, SharedEncoders
from spacy_npparse.errors import REMEDY_FOR_FILES, MismatchError
from spacy_npparse.models.parser_net import Progress
from spacy_npparse.models.shim import TorchShim, torch_shim
from spacy_npparse.parsing import EncodedTokens, Temperatures
from spacy_npparse.parsing.batch import NetT


class Network(Generic[NetT]):
    """The network of a component, which encodes Docs and scores sentences.

    Args:
        name: The name of the component.
        model: The model of the component, a `spacy_npparse.Parser.v1`.
        net_class: The class of the torch network in the model.
        nlp: The pipeline that the component is made in; None if it does not matter.

    Attributes:
        encoders: The shared encoders that the model listens to.
        shim: The shim that contains the torch network, once the component is initialized or loaded.
        temperatures: The temperatures by which scores are divided before they become probabilities.
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
            The encoded tokens.

        Raises:
            ValueError: The parser has no weights yet; or Docs lack the vectors of a shared encoder,
                or have those of another one.
        """
        try:
            net = self.shim.net
        except ValueError as error:
            raise ValueError(f"{self.name}: {error}") from error
        if not any(map(len, docs)):
            # Some encoders fail if there are no tokens.
            return EncodedTokens(net, net.root[None])
        self.encoders.check(self.name, self.model, docs)
        vectors = self.model.predict(docs)
        if vectors.shape[1] != len(net.root):
            raise ValueError(
                f"{self.name}: the vectors have a width of {vectors.shape[1]}, but the parser "
                f"was trained with {len(net.root)}: they are from another encoder. {REMEDY}"
            )
        return EncodedTokens(net, *net.project_tokens(vectors))

    def grow(self, places: Sequence[int], n_labels: int, bias: float = 0.0) -> None:
        """Make room for more labels if the network is initialized; see `ParserNet.add_labels`.

        Args:
            places: The new numbers of the old labels, ascending.
            n_labels: The new number of labels.
            bias: The bias of the new labels.
        """
        if self.shim.is_initialized:
            self.shim.net.add_labels(places, n_labels, bias=bias)
            self.shim.cfg["n_labels"] = n_labels

    def write_progress(self, checksum: str) -> None:
        """Write the training progress, which is saved with the weights, to the attributes of the
        model.

        Args:
            checksum: The checksum of the settings that the weights depend on.
        """
        self.model.attrs["settings"] = checksum
        if self.shim.is_initialized:
            self.model.attrs.update(asdict(self.shim.net.progress))

    def read_progress(self) -> None:
        """Read the training progress from the attributes that were loaded with the weights."""
        if self.shim.is_initialized:
            attributes = self.model.attrs
            self.shim.net.progress = Progress(attributes["n_updates"], attributes["normalised"])

    def check_loaded(
        self, sizes: Mapping[str, int], checksum: str | None, system_name: str
    ) -> None:
        """Check that the loaded weights belong to this component.

        Args:
            sizes: The sizes of the component's network.
            checksum: The checksum of the settings that were loaded with the weights; None if only
                settings or only weights were loaded.
            system_name: The name of the component's factory, without `_parser`.

        Raises:
            MismatchError: The weights belong to another component.
        """
        if not self.shim.is_initialized:
            return
        for size, value in sizes.items():
            if self.shim.cfg.get(size, value) != value:
                raise MismatchError(
                    f"its cfg and the factory {system_name}_parser ask for a network with {size} "
                    f"= {value}, but its model has {self.shim.cfg[size]}: the files are not from "
                    f"the same training. {REMEDY_FOR_FILES}"
                )
        if checksum not in (None, self.model.attrs["settings"]):
            raise MismatchError(
                "its cfg has other labels or settings than its model was saved with, or the "
                f"checksum of these is missing. {REMEDY_FOR_FILES}"
            )
        self.encoders.compare(self.name, self.model)
