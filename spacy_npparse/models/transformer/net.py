"""The torch network of `spacy_npparse.Transformer.v1`."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from spacy_npparse.models.transformer.encoder_net import EncoderNet


class TransformerNet(nn.Module):
    """An encoder, with a learnt weighted mean of its layers and a learnt projection.

    Args:
        width: The width of the projection.
        n_mixed: The number of layers in the mean.
        hidden: The width of the encoder's vectors.
        tune_rate: The learning rate of tuned layers, as a factor of the optimizer's.
        encoder: The other sizes of `EncoderNet`.

    Source: Peters, Neumann, Iyyer, Gardner, Clark, Lee and Zettlemoyer (2018) for the mean of
    layers.
    """

    layers: Tensor

    def __init__(
        self, width: int, n_mixed: int, hidden: int, tune_rate: float = 1.0, **encoder: Any
    ):
        super().__init__()
        self.dropout = 0.0
        self.tune_rate = tune_rate
        self.encoder = EncoderNet(hidden, **encoder)
        self.register_buffer("layers", torch.zeros(n_mixed, dtype=torch.int64))
        self.mix = nn.Parameter(torch.zeros(n_mixed))
        self.projection = nn.Linear(hidden, width)
        self.norm = nn.LayerNorm(width)

    def forward(self, vectors: Tensor) -> Tensor:
        """Mix and project the layers of words.

        Args:
            vectors: [n_words, n_mixed, hidden], the layers of each word.

        Returns:
            [n_words, width], the projected means.
        """
        mixed = torch.einsum("wlh,l->wh", vectors, self.mix.softmax(dim=0))
        mixed = nn.functional.dropout(mixed, self.dropout, self.training)
        return self.norm(self.projection(mixed))

    def rate_factor(self, name: str) -> float:
        """Determine the factor of the learning rate of a parameter, as `TorchShim` asks for it.

        Args:
            name: The name of the parameter.

        Returns:
            The factor by which the learning rate of the optimizer is multiplied.
        """
        return self.tune_rate if name.startswith("encoder.") else 1.0
