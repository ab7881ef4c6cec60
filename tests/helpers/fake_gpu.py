"""A GPU that is simulated on the CPU, so that tests notice operands on different devices.

Tensors on the device "meta" hold numbers on the CPU. Operations compute with these, but raise an
error if a tensor on the CPU meets one on the simulated GPU, as torch does with a real one.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode, return_and_correct_aliasing
from torch.utils._pytree import tree_leaves, tree_map

from spacy_npparse.models import adam, char_bilstm, parser, shim, speller
from spacy_npparse.models.transformer import architecture
from spacy_npparse.parsing import batch

GPU = torch.device("meta")
CPU = torch.device("cpu")
ATEN = torch.ops.aten
# Copies, and indexing, which copies indices from the CPU.
MAY_MIX = (
    ATEN._to_copy.default,
    ATEN.copy_.default,
    ATEN.index.Tensor,
    ATEN.index_put.default,
    ATEN._index_put_impl_.default,
)


class GpuTensor(torch.Tensor):
    """A tensor on the simulated GPU.

    Attributes:
        numbers: The tensor on the CPU.
    """

    numbers: torch.Tensor

    __torch_function__ = torch._C._disabled_torch_function_impl

    @staticmethod
    def __new__(cls, numbers: torch.Tensor, requires_grad: bool = False) -> GpuTensor:
        made = torch.Tensor._make_wrapper_subclass(
            cls,
            numbers.shape,
            strides=numbers.stride(),
            storage_offset=numbers.storage_offset(),
            dtype=numbers.dtype,
            device=GPU,
            requires_grad=requires_grad,
        )
        made.numbers = numbers
        return made

    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        return _compute(function, args, kwargs or {})

    def __deepcopy__(self, memo: Any) -> torch.Tensor:
        copied = GpuTensor(self.numbers.detach().clone())
        is_parameter = isinstance(self, torch.nn.Parameter)
        return torch.nn.Parameter(copied, self.requires_grad) if is_parameter else copied

    def tolist(self) -> Any:
        return self.numbers.tolist()

    def numpy(self, *, force: bool = False) -> np.ndarray:
        assert force, "a tensor on a GPU has no array"
        return copy.copy(self.numbers.detach().numpy())


class _Mode(TorchDispatchMode):
    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        return _compute(function, args, kwargs or {})


def _numbers(value: Any) -> Any:
    return value.numbers if isinstance(value, GpuTensor) else value


def _on_gpu(value: Any) -> Any:
    is_plain = isinstance(value, torch.Tensor) and not isinstance(value, GpuTensor)
    return GpuTensor(value) if is_plain else value


def _compute(function: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
    """Compute an operation, which may copy tensors between the devices."""
    tensors = [one for one in tree_leaves((args, kwargs)) if isinstance(one, torch.Tensor)]
    on_gpu = [one for one in tensors if isinstance(one, GpuTensor)]
    device = kwargs.get("device")
    target = GPU if on_gpu and device is None else torch.device(device or CPU)
    if on_gpu and function not in MAY_MIX:
        # Scalars may be anywhere.
        assert all(isinstance(one, GpuTensor) or not one.dim() for one in tensors), (
            f"{function} has operands on different devices"
        )
    if function is ATEN._fused_sdp_choice.default:
        return 0
    if device is not None:
        kwargs = {**kwargs, "device": CPU}
    found = function(*tree_map(_numbers, args), **tree_map(_numbers, kwargs))
    if function is ATEN.copy_.default:
        return args[0]
    if target != GPU:
        return found
    found = tree_map(_on_gpu, found)
    return return_and_correct_aliasing(function, args, kwargs, found) if on_gpu else found


def _array(tensor: torch.Tensor, ops: Any = None) -> np.ndarray:
    return _numbers(tensor.detach()).numpy()


def _tensor(array: np.ndarray, requires_grad: bool = False, device: Any = None) -> torch.Tensor:
    return GpuTensor(torch.from_numpy(np.ascontiguousarray(array)), requires_grad)


@contextmanager
def simulated_gpu() -> Iterator[None]:
    """Make the simulated GPU the device of new networks. Arrays of thinc remain on the CPU, because
    CuPy computes with them on a real GPU."""
    with pytest.MonkeyPatch.context() as patch, _Mode():
        for module in (adam, char_bilstm, parser, shim, speller, architecture):
            patch.setattr(module, "torch2xp", _array, raising=False)
            patch.setattr(module, "xp2torch", _tensor, raising=False)
        for module in (shim, batch):
            patch.setattr(module, "get_torch_default_device", lambda: GPU)
        yield
