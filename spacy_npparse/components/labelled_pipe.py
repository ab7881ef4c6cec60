"""The label set of a component, which grows whenever a new label is added or met in training."""

import logging
from collections.abc import Sequence
from typing import Any, Generic

from spacy.training import Example
from spacy.vocab import Vocab
from thinc.api import Model

from spacy_npparse.components.annotation import ROOT_LABEL
from spacy_npparse.components.labels import Labels, new_decorated_labels, new_labels
from spacy_npparse.components.network_pipe import NetT, NetworkPipe
from spacy_npparse.decoding import IMPOSSIBLE
from spacy_npparse.models.shim import TorchShim, torch_shim

logger = logging.getLogger(__name__)


class LabelledPipe(NetworkPipe[NetT], Generic[NetT]):
    """A component that labels arcs.

    Attributes:
        vocab: Of the pipeline.
        cfg: Its saved settings, the labels among them; see `Labels`.
    """

    vocab: Vocab
    cfg: dict[str, Any]
    _labels: Labels
    # A copy of the model from `nlp.resume_training`.
    _rehearsal_model: Model | None = None

    @property
    def labels(self) -> tuple[str, ...]:
        """The arc labels. The root's is the last, once the component knows any."""
        root = [ROOT_LABEL] if self._shim.is_initialized else []
        return tuple(dict.fromkeys([*self.cfg["labels"], *root]))

    @property
    def label_data(self) -> list[str]:
        """The labels as `spacy init labels` saves them for `initialize`."""
        return list(self.cfg["labels"])

    @property
    def is_resizable(self) -> bool:
        """Whether labels can be added to a trained component."""
        return True

    def add_label(self, label: str) -> int:
        """Add an arc label, before or after training.

        A trained component keeps what it knows; the new label has to be learnt.

        Args:
            label: The label.

        Returns:
            1, or 0 if the component has the label already.

        Raises:
            ValueError: If it is no label.
        """
        if not isinstance(label, str) or not label:
            raise ValueError(f"{self.name}: {label!r} is no label: give a text.")
        if label in self.labels:
            return 0
        self._add_labels([label])
        return 1

    def _add_labels_of(self, examples: Sequence[Example]) -> None:
        """Add the labels of gold trees that are new."""
        labels = new_labels(self.cfg, self.vocab.strings, examples)
        if labels:
            logger.info("%s: new labels: %s", self.name, ", ".join(labels))
            self._add_labels(labels)
        if not self._labels.plain:
            decorated = new_decorated_labels(self.cfg, self.vocab.strings, examples)
            if decorated:
                self._add_labels([], decorated)

    def _add_labels(self, labels: Sequence[str], decorated: Sequence[list[int]] = ()) -> None:
        """Add labels that are new. decorated: see `Labels`."""
        n_plain, n_decorated = len(self.cfg["labels"]), len(self.cfg["decorated"])
        self.cfg["labels"] = [*self.cfg["labels"], *labels]
        self.cfg["decorated"] = [*self.cfg["decorated"], *decorated]
        self._labels = Labels(self.cfg, self.vocab.strings)
        # Decorated labels are numbered after the plain ones.
        first = len(self.cfg["labels"])
        places = [*range(n_plain), *range(first, first + n_decorated)]
        n_labels = first + len(self.cfg["decorated"])
        _grow(self._shim, places, n_labels, bias=0.0)
        if self._rehearsal_model is not None:
            # It knows nothing of the new labels, and never predicts them.
            _grow(torch_shim(self._rehearsal_model, self.net_class), places, n_labels, IMPOSSIBLE)


def _grow(shim: TorchShim, places: Sequence[int], n_labels: int, bias: float) -> None:
    """Make room for more labels in a network, if there is one; see `ParserNet.add_labels`."""
    if shim.is_initialized:
        shim.net.add_labels(places, n_labels, bias=bias)
        shim.cfg["n_labels"] = n_labels
