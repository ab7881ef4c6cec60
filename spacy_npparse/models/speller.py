"""The model `spacy_npparse.Speller.v1`, which spells lemmas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from thinc.api import Model, torch2xp, xp2torch
from thinc.types import Floats1d

from spacy_npparse.checks import check_arguments, check_dropout, check_range
from spacy_npparse.models.shim import TorchShim, torch_shim
from spacy_npparse.models.speller_net import SpellerNet, SpellingBatch

_NAME = "spacy_npparse.Speller.v1"


class SpelledBatch(NamedTuple):
    """Words and the edits that spell their lemmas.

    Attributes:
        words: The words.
        edits: int64 [n_cells], the correct edit of each cell.
    """

    words: SpellingBatch
    edits: NDArray[np.int64]


def SpellerModel(
    char_width: int = 32,
    tag_width: int = 32,
    hidden_size: int = 32,
    dropout: float = 0.1,
    tag_dropout: float = 0.2,
    char_dropout: float = 0.01,
) -> Model[SpelledBatch, Floats1d]:
    """Build the network of `character_lemmatizer`.

    Args:
        char_width: The width of the character embeddings.
        tag_width: The width of the embeddings of tags, which are summed.
        hidden_size: The width of one direction of the BiLSTM over characters, and of the hidden
            layer.
        dropout: The dropout rate at the inputs and outputs of the BiLSTM, and of the hidden layer.
        tag_dropout: The rate at which single tags are hidden in training.
        char_dropout: The rate at which characters are replaced by an unknown one in training.

    Returns:
        A thinc model, whose forward pass returns the log-probability of each correct edit. The
        method that predicts edits belongs to the network in its shim.

    Raises:
        ValueError: A setting has the wrong type or is out of range.
    """
    sizes = dict(char_width=char_width, tag_width=tag_width, hidden_size=hidden_size)
    rates = dict(dropout=dropout, tag_dropout=tag_dropout, char_dropout=char_dropout)
    check_arguments(_NAME, SpellerModel, {**sizes, **rates})
    for name, size in sizes.items():
        check_range(f"{_NAME}: {name}", size)
    for name, rate in rates.items():
        check_dropout(f"{_NAME}: {name}", rate)
    return Model(
        "speller",
        forward,
        init=init,
        attrs={"sizes": sizes, **rates},
        shims=[TorchShim(SpellerNet)],
    )


def init(model: Model, X: Any = None, Y: dict[str, int] | None = None) -> None:
    """Build the network.

    Args:
        model: The model that `SpellerModel` returned.
        X: Ignored.
        Y: The numbers of characters, tags and edits: n_chars, n_tags, n_edits.
    """
    if Y is not None:
        torch_shim(model, SpellerNet).initialize(**model.attrs["sizes"], **Y)


def forward(
    model: Model, batch: SpelledBatch, is_train: bool
) -> tuple[Floats1d, Callable[[Floats1d], SpelledBatch]]:
    """Score the correct edits of words.

    Args:
        model: The model that `SpellerModel` returned.
        batch: The words and their edits.
        is_train: Whether a backward pass may follow.

    Returns:
        [n_cells], the log-probabilities of the edits; and the backward pass.
    """
    net = torch_shim(model, SpellerNet).net_in_mode(is_train)
    for rate in ("dropout", "tag_dropout", "char_dropout"):
        setattr(net, rate, model.attrs[rate])
    scores = net(batch.words, batch.edits)

    def backprop(d_scores: Floats1d) -> SpelledBatch:
        scores.backward(xp2torch(d_scores, device=scores.device))
        return batch

    return cast(Floats1d, torch2xp(scores.detach(), ops=model.ops)), backprop
