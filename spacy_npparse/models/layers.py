"""Torch layers that the encoders share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from spacy_npparse.models.padding import PaddedBatch


class BiLSTM(nn.Module):
    """A stack of bidirectional LSTMs over sequences of different lengths.

    Layers above the first one add their input to their output (residual connections, He et al.
    2016).

    In training, variational dropout (Gal and Ghahramani 2016), with one mask for all time steps of
    a sequence, is applied to the inputs and outputs of all layers.

    Groups of sequences are padded together, and each direction is a layer of its own. On CPU, torch
    runs this several times as fast as packed, bidirectional sequences.

    Args:
        n_inputs: The width of the input vectors.
        n_hidden: The width of one direction. The output is twice as wide.
        depth: The number of layers.

    Attributes:
        dropout: The dropout rate, which is an attribute because spaCy passes it to every update.
    """

    def __init__(self, n_inputs: int, n_hidden: int, depth: int):
        super().__init__()
        self.dropout = 0.0
        widths = [n_inputs] + [2 * n_hidden] * (depth - 1)
        self.forwards = nn.ModuleList(_make_lstm(width, n_hidden) for width in widths)
        self.backwards = nn.ModuleList(_make_lstm(width, n_hidden) for width in widths)

    def forward(self, vectors: Tensor, lengths: Sequence[int]) -> Tensor:
        """Encode the vectors of sequences.

        Args:
            vectors: [n_vectors, n_inputs], the sequences one after another.
            lengths: The lengths of the sequences, all positive, with the sum n_vectors.

        Returns:
            [n_vectors, 2 * n_hidden], the outputs of the last layer in the same order.
        """
        batch = PaddedBatch(np.asarray(lengths), vectors.device)
        for layer in range(len(self.forwards)):
            vectors = self._outputs(layer, vectors, batch)
        return self._drop(vectors, batch)

    def last_states(self, vectors: Tensor, lengths: Sequence[int] | NDArray[np.int64]) -> Tensor:
        """Encode whole sequences.

        Args:
            vectors: [n_vectors, n_inputs], the sequences one after another.
            lengths: The lengths of the sequences, all positive, with the sum n_vectors.

        Returns:
            [n_sequences, 2 * n_hidden], the last states of both directions of the last layer,
            without dropout.
        """
        batch = PaddedBatch(np.asarray(lengths), vectors.device)
        last = len(self.forwards) - 1
        for layer in range(last):
            vectors = self._outputs(layer, vectors, batch)
        _, left, right = self._read(last, vectors, batch)
        return torch.cat([batch.left.last(left), batch.right.last(right)], dim=1)

    def _outputs(self, layer: int, vectors: Tensor, batch: PaddedBatch) -> Tensor:
        x, left, right = self._read(layer, vectors, batch)
        outputs = torch.cat([batch.left.unpad(left), batch.right.unpad(right)], dim=1)
        return outputs + x if layer else outputs

    def _read(
        self, layer: int, vectors: Tensor, batch: PaddedBatch
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Compute the input of a layer, and the padded outputs of both directions."""
        x = self._drop(vectors, batch)
        left = batch.left.run(self.forwards[layer], x)
        right = batch.right.run(self.backwards[layer], x)
        return x, left, right

    def _drop(self, x: Tensor, batch: PaddedBatch) -> Tensor:
        if not self.training or not self.dropout:
            return x
        keep = 1.0 - self.dropout
        masks = x.new_empty(batch.n_sequences, x.shape[1]).bernoulli_(keep) / keep
        return x * masks.index_select(0, batch.sequence)


class LSTM(nn.LSTM):
    """An LSTM of one layer and direction, without states at the start.

    The checks of `torch.nn.LSTM` take up to a sixth of the time of a single sentence in a layer.
    """

    def forward(self, x: Tensor) -> Tensor:  # type: ignore[override]
        """Encode sequences of the same length.

        Args:
            x: [n_steps, n_sequences, n_inputs], the sequences.

        Returns:
            [n_steps, n_sequences, n_hidden], the outputs.
        """
        state = x.new_zeros(1, x.shape[1], self.hidden_size)
        weights: list[Any] = self._flat_weights
        training = self.training
        outputs, _, _ = torch.lstm(x, (state, state), weights, True, 1, 0.0, training, False, False)
        return outputs


def _make_lstm(n_inputs: int, n_hidden: int) -> LSTM:
    lstm = LSTM(n_inputs, n_hidden)
    for name, parameter in lstm.named_parameters():
        for gate in parameter.data.chunk(4):
            if name == "weight_ih_l0":
                nn.init.xavier_uniform_(gate)
            elif name == "weight_hh_l0":
                nn.init.orthogonal_(gate)
            else:
                nn.init.zeros_(gate)
        if name == "bias_ih_l0":
            # Forget gates are open at the start.
            parameter.data[n_hidden : 2 * n_hidden] = 1.0
    return lstm
