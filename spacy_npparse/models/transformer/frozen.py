"""Frozen weights. Those of matrices are rounded to 8 bits."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

_INSTRUCTIONS = ("avx512_bf16", "amx_tile")
_MOST = 127


def fast_dtype(device: torch.device) -> torch.dtype:
    """Choose the type of numbers for matrix products.

    Args:
        device: The device of the matrices.

    Returns:
        bfloat16 on processors with instructions for it, where products take less than half the
        time; otherwise float32.
    """
    # Older versions of torch do not have all of these tests.
    tests = [getattr(torch.cpu, f"_is_{name}_supported", None) for name in _INSTRUCTIONS]
    is_fast = device.type == "cpu" and any(test() for test in tests if test is not None)
    return torch.bfloat16 if is_fast else torch.float32


class FrozenTable(nn.Module):
    """A matrix of integers from -127 to 127, with a scale for each row.

    Weights are rounded when they are set, before anything is trained on top of them, so they are
    the same before and after saving.

    Args:
        n_rows: The number of rows.
        width: The width of a row.
        is_saved: Whether the weights are part of the state of the network.
    """

    codes: Tensor
    scale: Tensor

    def __init__(self, n_rows: int, width: int, is_saved: bool = True):
        super().__init__()
        codes = torch.zeros(n_rows, width, dtype=torch.int8)
        self.register_buffer("codes", codes, persistent=is_saved)
        self.register_buffer("scale", torch.zeros(n_rows), persistent=is_saved)

    def set_weight(self, weight: Tensor) -> None:
        """Round weights.

        Args:
            weight: float32 [n_rows, width], the weights.
        """
        scale = weight.abs().amax(dim=1) / _MOST
        self.scale.copy_(scale)
        # A row of zeros has a scale of zero.
        self.codes.copy_((weight / scale.clamp_min(1e-30)[:, None]).round())

    def forward(self, numbers: Tensor) -> Tensor:
        """Look rows up.

        Args:
            numbers: int64 [...], the numbers of rows.

        Returns:
            float32 [..., width], the weights of these rows.
        """
        return self.codes[numbers] * self.scale[numbers][..., None]


class FrozenLinear(FrozenTable):
    """A linear layer with frozen weights.

    Args:
        n_inputs: The width of the input.
        n_outputs: The width of the output.
        is_saved: Whether the weights are part of the state of the network.
    """

    bias: Tensor

    def __init__(self, n_inputs: int, n_outputs: int, is_saved: bool = True):
        super().__init__(n_outputs, n_inputs, is_saved)
        self.register_buffer("bias", torch.zeros(n_outputs), persistent=is_saved)
        self._fast: tuple[Tensor, Tensor] | None = None

    def set_weight(self, weight: Tensor) -> None:
        super().set_weight(weight)
        self._fast = None

    def forward(self, inputs: Tensor) -> Tensor:
        """Multiply vectors by the weights.

        Args:
            inputs: [..., n_inputs], the inputs.

        Returns:
            [..., n_outputs], the outputs.
        """
        if self._fast is None:
            weight = self.codes * self.scale[:, None]
            dtype = fast_dtype(weight.device)
            self._fast = weight.to(dtype), self.bias.to(dtype)
        weight, bias = self._fast
        return nn.functional.linear(inputs.to(weight.dtype), weight, bias).to(inputs.dtype)

    def _apply(self, fn: Any, recurse: bool = True) -> FrozenLinear:
        self._fast = None
        return super()._apply(fn, recurse)

    def _load_from_state_dict(self, *args: Any, **kwargs: Any) -> None:
        super()._load_from_state_dict(*args, **kwargs)
        self._fast = None


class FrozenNorm(nn.Module):
    """A layer norm with frozen weights.

    Args:
        width: The width of the vectors.
        epsilon: The number that is added to the variance.
        is_saved: Whether the weights are part of the state of the network.
    """

    weight: Tensor
    bias: Tensor

    def __init__(self, width: int, epsilon: float, is_saved: bool = True):
        super().__init__()
        self.epsilon = epsilon
        self.register_buffer("weight", torch.ones(width), persistent=is_saved)
        self.register_buffer("bias", torch.zeros(width), persistent=is_saved)

    def forward(self, vectors: Tensor) -> Tensor:
        """Normalize vectors.

        Args:
            vectors: [..., width], the vectors.

        Returns:
            [..., width], the normalized vectors.
        """
        shape = self.weight.shape
        return nn.functional.layer_norm(vectors, shape, self.weight, self.bias, self.epsilon)
