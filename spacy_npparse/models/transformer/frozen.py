"""Weights that are not trained, rounded to 8 bits."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

_INSTRUCTIONS = ("avx512_bf16", "amx_tile")
_MOST = 127


def fast_dtype(device: torch.device) -> torch.dtype:
    """The type of numbers in which matrices are multiplied.

    Args:
        device: Where.

    Returns:
        bfloat16 on a processor that has instructions for it, which then take less than half the
        time; float32 elsewhere.
    """
    # Older versions of torch cannot tell.
    tests = [getattr(torch.cpu, f"_is_{name}_supported", None) for name in _INSTRUCTIONS]
    is_fast = device.type == "cpu" and any(test() for test in tests if test is not None)
    return torch.bfloat16 if is_fast else torch.float32


class FrozenTable(nn.Module):
    """A matrix whose rows are whole numbers from -127 to 127, and a scale for each.

    It is rounded when weights are set, before anything is trained upon them, and so the same
    before and after it is saved.

    Args:
        n_rows: Number of rows.
        width: Of a row.
    """

    codes: Tensor
    scale: Tensor

    def __init__(self, n_rows: int, width: int):
        super().__init__()
        self.register_buffer("codes", torch.zeros(n_rows, width, dtype=torch.int8))
        self.register_buffer("scale", torch.zeros(n_rows))

    def set_weight(self, weight: Tensor) -> None:
        """Round weights.

        Args:
            weight: float32 [n_rows, width].
        """
        scale = weight.abs().amax(dim=1) / _MOST
        self.scale.copy_(scale)
        # A row of zeros has a scale of zero.
        self.codes.copy_((weight / scale.clamp_min(1e-30)[:, None]).round())

    def forward(self, numbers: Tensor) -> Tensor:
        """Look rows up.

        Args:
            numbers: int64 [...].

        Returns:
            Their weights: float32 [..., width].
        """
        return self.codes[numbers] * self.scale[numbers][..., None]


class FrozenLinear(FrozenTable):
    """A linear layer.

    Args:
        n_inputs: Width of the input.
        n_outputs: Width of the output.
    """

    bias: Tensor

    def __init__(self, n_inputs: int, n_outputs: int):
        super().__init__(n_outputs, n_inputs)
        self.register_buffer("bias", torch.zeros(n_outputs))
        self._fast: tuple[Tensor, Tensor] | None = None

    def set_weight(self, weight: Tensor) -> None:
        super().set_weight(weight)
        self._fast = None

    def forward(self, inputs: Tensor) -> Tensor:
        """Multiply.

        Args:
            inputs: [..., n_inputs].

        Returns:
            [..., n_outputs].
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
