"""The layer `spacy_npparse.ScaledGradient.v1`, which weighs an objective in multi-task learning."""

from collections.abc import Callable
from typing import Any

from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats2d

from spacy_npparse.checks import check_arguments, check_range

_NAME = "spacy_npparse.ScaledGradient.v1"


def ScaledGradient(
    tok2vec: Model[list[Doc], list[Floats2d]], factor: float
) -> Model[list[Doc], list[Floats2d]]:
    """Build a layer that scales the gradient from a component to its encoder.

    The component itself learns as before. Only its influence on the encoder changes. For example,
    tagging needs only a little of an encoder's capacity, and parsing can use the rest.

    Args:
        tok2vec: The encoder, or a listener to it.
        factor: The factor by which gradients are multiplied.

    Returns:
        A thinc model with the same output.

    Raises:
        ValueError: A setting has the wrong type, or the factor is negative or not finite.

    Source: the released parser of Gómez-Rodríguez, Shi and Lee (2018), which weighs the objectives
    of tagging.
    """
    check_arguments(_NAME, ScaledGradient, {"tok2vec": tok2vec, "factor": factor})
    check_range(f"{_NAME}: factor", factor, least=0.0)
    return Model(
        "scaled_gradient",
        forward,
        init=init,
        layers=[tok2vec],
        dims={"nO": tok2vec.maybe_get_dim("nO")},
        attrs={"factor": factor},
    )


def init(model: Model, X: list[Doc] | None = None, Y: Any = None) -> None:
    """Initialize the encoder, whose width may be unknown before.

    Args:
        model: The model that `ScaledGradient` returned.
        X: Sample Docs.
        Y: Ignored.
    """
    tok2vec = model.layers[0]
    tok2vec.initialize(X=X)
    if tok2vec.has_dim("nO"):
        model.set_dim("nO", tok2vec.get_dim("nO"))


def forward(
    model: Model, docs: list[Doc], is_train: bool
) -> tuple[list[Floats2d], Callable[[list[Floats2d]], Any]]:
    """Encode Docs.

    Args:
        model: The model that `ScaledGradient` returned.
        docs: The Docs.
        is_train: Whether a backward pass may follow.

    Returns:
        The vectors of the encoder, and the backward pass.
    """
    vectors, backprop_tok2vec = model.layers[0](docs, is_train)

    def backprop(d_vectors: list[Floats2d]) -> Any:
        return backprop_tok2vec([model.attrs["factor"] * d for d in d_vectors])

    return vectors, backprop
