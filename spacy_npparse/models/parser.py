"""The model `spacy_npparse.Parser.v1`: an encoder and the scorers of trees and labels."""

from collections.abc import Callable
from typing import Any, cast

from spacy.tokens import Doc
from thinc.api import Model, NumpyOps, torch2xp, xp2torch
from thinc.types import Floats2d
from torch import Tensor

from spacy_npparse.checks import check_arguments, check_dropout, check_range
from spacy_npparse.models.parser_net import ParserNet
from spacy_npparse.models.shim import TorchShim, torch_shim

_NAME = "spacy_npparse.Parser.v1"
# Attributes that are saved with the weights because they change with them: the number of updates,
# whether transitions are normalised to probabilities, and the checksum of the settings that the
# component is saved with.
_UNTRAINED = {"n_updates": 0, "normalised": True, "settings": ""}


def ParserModel(
    tok2vec: Model[list[Doc], list[Floats2d]],
    hidden_size: int = 128,
    arc_size: int = 128,
    label_size: int = 128,
    dropout: float = 0.3,
) -> Model[list[Doc], Tensor]:
    """Build the model of a parser. The component determines the class of its network.

    Args:
        tok2vec: A layer that returns a vector for each token, either an encoder or a listener.
        hidden_size: The width of the hidden layers that score trees or transitions.
        arc_size: The width of the layers that score arcs, for the head selection of every word.
        label_size: The width of the hidden layer that scores labels.
        dropout: The dropout rate of the hidden layers.

    Returns:
        A thinc model. Its forward pass returns the vectors of all tokens as a torch tensor
        [n_tokens, width]. Its backward pass takes the loss, a torch scalar, and continues into
        `tok2vec`. The scorers are methods of the network in its shim.

    Raises:
        ValueError: A setting has the wrong type or is out of range.
    """
    sizes = dict(hidden_size=hidden_size, arc_size=arc_size, label_size=label_size)
    check_arguments(_NAME, ParserModel, {"tok2vec": tok2vec, **sizes, "dropout": dropout})
    for name, size in sizes.items():
        check_range(f"{_NAME}: {name}", size)
    check_dropout(f"{_NAME}: dropout", dropout)
    return Model(
        "parser",
        forward,
        init=init,
        layers=[tok2vec],
        refs={"tok2vec": tok2vec},
        attrs={"sizes": {**sizes, "dropout": dropout}, **_UNTRAINED},
        shims=[TorchShim[ParserNet]()],
    )


def init(model: Model, X: list[Doc] | None = None, Y: dict[str, float] | None = None) -> None:
    """Build the encoder and the scorers.

    Args:
        model: The model that `ParserModel` returned.
        X: Sample Docs.
        Y: The sizes of the network by name, among them n_labels.
    """
    tok2vec = model.get_ref("tok2vec")
    tok2vec.initialize(X=X)
    if Y is not None:
        width = tok2vec.maybe_get_dim("nO")
        if width is None:  # a transformer listener knows its width only from its output
            width = tok2vec.predict(X)[0].shape[1]
        sizes = {"n_inputs": int(width), **Y, **model.attrs["sizes"]}
        torch_shim(model, ParserNet).initialize(**sizes)


def forward(
    model: Model, docs: list[Doc], is_train: bool
) -> tuple[Tensor, Callable[[Tensor], Any]]:
    """Encode Docs.

    Returns:
        [n_tokens, width], the vectors of all tokens, which are a leaf of the loss's graph in
        training; and the backward pass, which takes the loss.
    """
    encoded, backprop_tok2vec = model.get_ref("tok2vec")(docs, is_train)
    torch_shim(model, ParserNet).net_in_mode(is_train)
    vectors = xp2torch(model.ops.flatten(encoded), requires_grad=is_train)
    # Thinc would wait for a GPU to read lengths from it.
    lengths = NumpyOps().asarray1i([len(v) for v in encoded])

    def backprop(loss: Tensor) -> Any:
        if loss.requires_grad:
            loss.backward()
        if vectors.grad is None:
            d_encoded = [model.ops.alloc2f(*v.shape) for v in encoded]
        else:
            gradient = torch2xp(vectors.grad, ops=model.ops)
            d_encoded = cast(list[Floats2d], model.ops.unflatten(gradient, lengths))
        return backprop_tok2vec(d_encoded)

    return vectors, backprop
