"""`spacy_npparse.ScaledGradient.v1`: the weight of an objective in multi-task learning."""

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
    """Scale the gradient between a component and its encoder, to weigh the component's objective.

    The component itself learns as before; only its influence on the encoder changes. Tagging, for
    instance, needs little of an encoder's capacity, which parsing can use.

    Args:
        tok2vec: The encoder, or a listener to one.
        factor: What gradients are multiplied by on their way to it.

    Returns:
        A thinc model with the same output.

    Raises:
        ValueError: If a setting is of another type, or the factor is negative or not finite.

    Source: the weights of the tagging objectives in the released parser of Gómez-Rodríguez, Shi
        and Lee (2018).
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
    """Initialize the encoder, which may not know its width before.

    Args:
        model: What `ScaledGradient` returns.
        X: Sample Docs.
        Y: Not looked at.
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
        model: What `ScaledGradient` returns.
        docs: The Docs.
        is_train: Whether a backward pass may follow.

    Returns:
        The encoder's vectors, and the backward pass.
    """
    vectors, backprop_tok2vec = model.layers[0](docs, is_train)

    def backprop(d_vectors: list[Floats2d]) -> Any:
        return backprop_tok2vec([model.attrs["factor"] * d for d in d_vectors])

    return vectors, backprop
