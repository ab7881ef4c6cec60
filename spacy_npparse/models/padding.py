"""Padding of sequences of different lengths for recurrent networks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from spacy_npparse.models.grouping import cheapest_groups
from spacy_npparse.models.upload import upload

# The fixed costs of calling an LSTM and of each time step, in numbers of vectors. A GPU computes
# thousands of vectors in the time that it takes the CPU to call it.
_CALL, _CALL_OF_GPU, _STEP = 100, 20_000, 2

Ints = NDArray[np.int64]


class PaddedBatch:
    """Groups of sequences that are padded together and read from either end.

    A cell is a time step of a sequence or of its padding. The cells of a group are numbered by time
    step, one group after another.

    Args:
        lengths: int64 [n_sequences], the lengths of the sequences, all positive.
        device: The device of the vectors.

    Attributes:
        n_sequences: The number of sequences.
        sequence: int64 [n_vectors], the number of each vector's sequence.
        left: The layout for reading sequences forwards.
        right: The layout for reading sequences backwards.
    """

    def __init__(self, lengths: Ints, device: torch.device):
        first_cells, strides = np.empty_like(lengths), np.empty_like(lengths)
        shapes: list[tuple[int, int]] = []
        n_cells = 0
        for group in groups_of_similar_length(lengths, device):
            n_steps, size = int(lengths[group].max()), len(group)
            first_cells[group] = np.arange(n_cells, n_cells + size)
            strides[group] = size
            shapes.append((n_steps, size))
            n_cells += n_steps * size
        last_cells = upload(first_cells + strides * (lengths - 1), device)
        sequence = np.repeat(np.arange(len(lengths)), lengths)
        before = np.arange(len(sequence)) - (np.cumsum(lengths) - lengths)[sequence]
        behind = lengths[sequence] - 1 - before
        first_cells, strides = first_cells[sequence], strides[sequence]
        self.n_sequences = len(lengths)
        self.sequence = upload(sequence, device)
        self.left, self.right = (
            Layout(shapes, first_cells + strides * steps, last_cells, n_cells)
            for steps in (before, behind)
        )


class Layout:
    """The places of the vectors of a batch in padded groups.

    Args:
        shapes: The numbers of time steps and sequences of each group.
        cells: int64 [n_vectors], the cell of each vector.
        last_cells: int64 [n_sequences], the cell of the vector of each sequence that is read last,
            on the device of the vectors.
        n_cells: The number of all cells.
    """

    def __init__(
        self,
        shapes: Sequence[tuple[int, int]],
        cells: Ints,
        last_cells: Tensor,
        n_cells: int,
    ):
        # What padding contains does not matter, because it comes last.
        rows = np.zeros(n_cells, dtype=np.int64)
        rows[cells] = np.arange(len(cells))
        self._shapes = shapes
        self._rows, self._cells = (upload(one, last_cells.device) for one in (rows, cells))
        self._last_cells = last_cells

    def run(self, lstm: nn.Module, vectors: Tensor) -> Tensor:
        """Run an LSTM over all groups.

        Args:
            lstm: An LSTM of one layer and direction, which returns its outputs.
            vectors: [n_vectors, n_inputs], the sequences one after another.

        Returns:
            [n_cells, n_hidden], the outputs.
        """
        padded = _copy(_Pad, vectors, self._rows, self._cells)
        parts = padded.split_with_sizes([steps * size for steps, size in self._shapes])
        outputs = [
            lstm(part.view(*shape, -1)).flatten(0, 1)
            for part, shape in zip(parts, self._shapes, strict=True)
        ]
        return torch.cat(outputs)

    def unpad(self, padded: Tensor) -> Tensor:
        """Arrange outputs in the order of the vectors.

        Args:
            padded: [n_cells, width], the outputs.

        Returns:
            [n_vectors, width], the outputs without padding.
        """
        return _copy(_Unpad, padded, self._cells)

    def last(self, padded: Tensor) -> Tensor:
        """Select the outputs at the last time steps.

        Args:
            padded: [n_cells, width], the outputs.

        Returns:
            [n_sequences, width], the last outputs.
        """
        return _copy(_Unpad, padded, self._last_cells)


class _Pad(torch.autograd.Function):
    """Copying of vectors to cells. Padding has no gradient, so the gradient of a vector is that of
    one cell, without sums, which are slow on CPU."""

    @staticmethod
    def forward(ctx: Any, vectors: Tensor, rows: Tensor, cells: Tensor) -> Tensor:
        ctx.save_for_backward(cells)
        return vectors.index_select(0, rows)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        (cells,) = ctx.saved_tensors
        return gradients[0].index_select(0, cells), None, None


class _Unpad(torch.autograd.Function):
    """Copying of different cells to vectors."""

    @staticmethod
    def forward(ctx: Any, padded: Tensor, cells: Tensor) -> Tensor:
        ctx.save_for_backward(cells)
        ctx.n_cells = len(padded)
        return padded.index_select(0, cells)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        (cells,) = ctx.saved_tensors
        gradient = gradients[0]
        padded = gradient.new_zeros(ctx.n_cells, gradient.shape[1])
        return padded.index_copy_(0, cells, gradient), None


def _copy(function: type[torch.autograd.Function], rows: Tensor, *places: Tensor) -> Tensor:
    """Copy rows to the first of the given places. Without a gradient, the function would only add
    its own overhead, which is large for a single sentence."""
    if rows.requires_grad:
        copied: Tensor = function.apply(rows, *places)
        return copied
    return rows.index_select(0, places[0])


def groups_of_similar_length(lengths: NDArray[np.integer], device: torch.device) -> list[Ints]:
    """Divide sequences into groups that are cheapest to compute together.

    Args:
        lengths: int64 [n_sequences], the lengths of the sequences.
        device: The device that computes them.

    Returns:
        The numbers of the sequences in each group. On the CPU, groups need little padding; a GPU
        computes padding faster than the CPU can call it.
    """
    return cheapest_groups(lengths, _cost_on_cpu if device.type == "cpu" else _cost_on_gpu)


def _cost_on_cpu(n_sequences: Ints, shortest: Ints, longest: Ints) -> NDArray[np.float64]:
    costs = longest * (n_sequences + float(_STEP)) + _CALL
    return np.where(longest <= 1.5 * shortest + 8, costs, np.inf)


def _cost_on_gpu(n_sequences: Ints, _shortest: Ints, longest: Ints) -> NDArray[np.float64]:
    return longest * (n_sequences + float(_STEP)) + _CALL_OF_GPU
