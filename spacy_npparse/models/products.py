"""Matrix products on the CPU with the fastest library.

Torch multiplies matrices with MKL, which does not use the widest vectors of AMD processors. With
AVX-512, oneDNN, which torch uses for LSTMs, takes half the time.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import torch
from torch import Tensor, nn

# The number of rows that oneDNN multiplies at once. It compiles code for each number of rows, which
# pays only if the number is always the same.
BLOCK = 256
# The signature of the operator with which torch's compiler replaces linear layers. It is private.
_SCHEMA = (
    "mkldnn::_linear_pointwise(Tensor X, Tensor W, Tensor? B, str attr, Scalar?[] scalars, "
    "str? algorithm) -> Tensor Y"
)


@cache
def find_onednn() -> Callable[..., Tensor] | None:
    """Find the product of oneDNN.

    Returns:
        An operator with the signature `_SCHEMA`; None if this build or version of torch has no such
        operator.
    """
    if not (torch.backends.mkl.is_available() and torch.backends.mkldnn.is_available()):
        return None
    try:
        operator = torch.ops.mkldnn._linear_pointwise
        return operator if str(operator.default._schema) == _SCHEMA else None
    except AttributeError:
        return None


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Compute `torch.nn.functional.linear`, in prediction with oneDNN.

    Args:
        x: [..., n_inputs], the inputs.
        weight: [n_outputs, n_inputs], the weights.
        bias: [n_outputs], the bias; None if there is none.

    Returns:
        [..., n_outputs], the outputs.
    """
    n_outputs, n_inputs = weight.shape
    n_rows = x.numel() // n_inputs // BLOCK * BLOCK
    if (
        not n_rows
        or n_outputs == 1
        or (torch.is_grad_enabled() and (x.requires_grad or weight.requires_grad))
        or x.device.type != "cpu"
        or x.dtype != torch.float32
        or (onednn := find_onednn()) is None
    ):
        return nn.functional.linear(x, weight, bias)
    rows = x.reshape(-1, n_inputs)
    parts = [onednn(block, weight, bias, "none", [], "") for block in rows[:n_rows].split(BLOCK)]
    parts.append(nn.functional.linear(rows[n_rows:], weight, bias))
    return torch.cat(parts).unflatten(0, x.shape[:-1])


class Linear(nn.Linear):
    """A linear layer that computes with `linear`."""

    def forward(self, x: Tensor) -> Tensor:
        return linear(x, self.weight, self.bias)
