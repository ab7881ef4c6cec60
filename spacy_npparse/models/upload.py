"""Copying of arrays to the device of a network."""

from typing import Any

import torch
from numpy.typing import NDArray
from torch import Tensor


def upload(values: NDArray[Any] | Tensor, device: torch.device) -> Tensor:
    """Copy numbers to a device. The CPU does not wait until a GPU has done its earlier work.

    Args:
        values: An array, or a tensor. The memory of a tensor on the CPU must not be pinned.
        device: The device.

    Returns:
        A tensor on the device. If the numbers are there already, it shares their memory.
    """
    tensor = values if isinstance(values, Tensor) else torch.from_numpy(values)
    # CUDA copies pageable memory to a buffer of its own before the call returns.
    return tensor.to(device, non_blocking=device.type == "cuda")
