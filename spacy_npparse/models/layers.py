"""Torch layers that the encoders and scorers share."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import PackedSequence, pack_sequence


class SharedDropout(nn.Module):
    """Dropout with one mask for all time steps of a sequence (Gal and Ghahramani 2016).

    The rate is set from outside (`rate`), because spaCy passes it to every update.
    """

    def __init__(self) -> None:
        super().__init__()
        self.rate = 0.0

    def masks(self, like: Tensor, n_sequences: int) -> Tensor | None:
        """[n_sequences, width] multipliers, or None when nothing is dropped."""
        if not self.training or self.rate <= 0.0:
            return None
        mask = torch.empty(n_sequences, like.shape[-1], device=like.device)
        return mask.bernoulli_(1.0 - self.rate) / (1.0 - self.rate)


class BiLSTM(nn.Module):
    """A stack of bidirectional LSTMs over sequences of different lengths.

    Args:
        n_inputs: width of the input vectors.
        n_hidden: width of one direction; the output has twice as much.
        depth: number of layers.
    """

    def __init__(self, n_inputs: int, n_hidden: int, depth: int):
        super().__init__()
        self.dropout = SharedDropout()
        self.layers = nn.ModuleList(
            nn.LSTM(n_inputs if i == 0 else 2 * n_hidden, n_hidden, bidirectional=True)
            for i in range(depth)
        )
        for layer in self.layers:
            for name, parameter in layer.named_parameters():
                if name.startswith("weight"):
                    for gate in parameter.chunk(4):
                        nn.init.xavier_uniform_(gate)
                else:
                    nn.init.zeros_(parameter)
            for suffix in ("", "_reverse"):
                with torch.no_grad():
                    getattr(layer, "bias_ih_l0" + suffix)[n_hidden : 2 * n_hidden] = 1.0

    def forward(self, sequences: Sequence[Tensor]) -> tuple[PackedSequence, Tensor]:
        """Encode sequences (each [length >= 1, n_inputs]).

        Returns the packed outputs of the last layer (width 2 * n_hidden) and its final states
        [n_sequences, 2 * n_hidden], in the order of the input.
        """
        packed = pack_sequence(list(sequences), enforce_sorted=False)
        order = packed.sorted_indices
        sequence_of_row = torch.cat(
            [order[: int(size)] for size in packed.batch_sizes]
        )
        final = packed.data
        for layer in self.layers:
            mask = self.dropout.masks(packed.data, len(sequences))
            if mask is not None:
                packed = packed._replace(data=packed.data * mask[sequence_of_row])
            packed, (hidden, _) = layer(packed)
            final = torch.cat([hidden[0], hidden[1]], dim=-1)
        mask = self.dropout.masks(packed.data, len(sequences))
        if mask is not None:
            packed = packed._replace(data=packed.data * mask[sequence_of_row])
        return packed, final
