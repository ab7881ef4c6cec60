"""Half precision, which halves the size of the saved weights."""

from __future__ import annotations

from spacy.language import Language
from thinc.api import Model

from spacy_npparse.components.network import Network
from spacy_npparse.models.shim import TorchShim


def round_to_half(nlp: Language) -> None:
    """Round the weights of this package's networks in place, to save them in half precision.

    Args:
        nlp: A trained pipeline. The weights of thinc's own layers, those of taggers, are few and
            remain as they are.
    """
    for _, component in nlp.components:
        if isinstance(model := getattr(component, "model", None), Model):
            for layer in model.walk():
                for shim in layer.shims:
                    if isinstance(shim, TorchShim):
                        shim.round_to_half()
        if isinstance(network := getattr(component, "network", None), Network):
            # Saving computes it again, because rounding has changed the shared encoder.
            network.encoders.checksum = ""
