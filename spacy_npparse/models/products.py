"""Matrix products on the CPU with the library that computes them fastest.

Torch multiplies matrices with MKL, which does not use the widest vectors of AMD's processors. With
AVX-512, oneDNN, which torch runs LSTMs with, takes half the time.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import torch
from torch import Tensor, nn

# Rows that oneDNN multiplies at once. It compiles code for each number of rows, which takes longer
# than it saves unless the number is always the same.
BLOCK = 256
# The arguments of what torch's compiler replaces linear layers with, which is private in torch.
_SCHEMA = (
    "mkldnn::_linear_pointwise(Tensor X, Tensor W, Tensor? B, str attr, Scalar?[] scalars, "
    "str? algorithm) -> Tensor Y"
)


@cache
def find_onednn() -> Callable[..., Tensor] | None:
    """Find the product of oneDNN.

    Returns:
        An operator with the arguments of `_SCHEMA`; None if this build or version of torch has
        none, or one with other arguments.
    """
    if not (torch.backends.mkl.is_available() and torch.backends.mkldnn.is_available()):
        return None
    try:
        operator = torch.ops.mkldnn._linear_pointwise
        return operator if str(operator.default._schema) == _SCHEMA else None
    except AttributeError:
        return None


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Compute what `torch.nn.functional.linear` does, in prediction by oneDNN.

    Args:
        x: [..., n_inputs].
        weight: [n_outputs, n_inputs].
        bias: [n_outputs], if any.

    Returns:
        [..., n_outputs].
    """
    rows = x.reshape(-1, x.shape[-1])
    n_rows = len(rows) // BLOCK * BLOCK
    onednn = find_onednn()
    if (
        onednn is None
        or not n_rows
        or len(weight) == 1
        or torch.is_grad_enabled()
        or x.device.type != "cpu"
        or x.dtype != torch.float32
    ):
        return nn.functional.linear(x, weight, bias)
    parts = [onednn(block, weight, bias, "none", [], "") for block in rows[:n_rows].split(BLOCK)]
    parts.append(nn.functional.linear(rows[n_rows:], weight, bias))
    return torch.cat(parts).unflatten(0, x.shape[:-1])


class Linear(nn.Linear):
    """A layer of `torch.nn` that computes with `linear`."""

    def forward(self, x: Tensor) -> Tensor:
        return linear(x, self.weight, self.bias)
