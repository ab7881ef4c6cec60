"""A thinc shim for torch networks that spaCy can build late, average and save without pickle."""

import contextlib
import copy
import os
from collections.abc import Callable, Iterator
from typing import Any, cast

import numpy as np
import srsly
import torch
from thinc.api import Model, get_torch_default_device, xp2torch
from thinc.shims import PyTorchShim
from torch import nn

from spacy_npparse.models import adam

# A forked worker inherits the parent's OpenMP pool without its threads and would wait for them
# for ever; one thread needs no pool. This is what makes `nlp.pipe(n_process=2)` safe.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: torch.set_num_threads(1))


class TorchShim(PyTorchShim):
    """Holds a torch network whose sizes are known only at `initialize` or when it is loaded.

    Differs from thinc's `PyTorchShim` in four ways:

    * the network is built from `sizes`, which are saved with the weights, so that an empty shim
      can load any saved network;
    * the optimizer's parameter averages reach the network in `use_params` (thinc looks them up
      under keys that its own optimizer never writes);
    * what an optimizer keeps of the network is not mixed up with what it keeps of copies (thinc
      gives them the same id);
    * weights are saved as plain arrays (msgpack), never pickled.
    """

    def __init__(self, build: Callable[..., nn.Module]):
        """build: makes the network from the keyword arguments of `initialize`; module-level, so
        that the component can be sent to another process."""
        super().__init__(None)
        self._build = build

    @property
    def net(self) -> Any:
        """The network. Raises ValueError while there is none."""
        if self._model is None:
            raise ValueError(
                "The model has no weights yet: call nlp.initialize() or load a trained pipeline."
            )
        return self._model

    @property
    def is_initialized(self) -> bool:
        """Whether the network has been built."""
        return self._model is not None

    def initialize(self, **sizes: Any) -> None:
        """Build the network on the active device. sizes: JSON-safe arguments of `build`."""
        self.cfg = dict(sizes)
        self._model = self._build(**sizes).to(get_torch_default_device())

    def copy(self) -> "TorchShim":
        """A shim with a network of its own, which has the same weights."""
        other = TorchShim(self._build)
        other.cfg, other._model = dict(self.cfg), copy.deepcopy(self._model)
        return other

    def finish_update(self, optimizer: Any) -> None:
        if self._model is None:
            return
        if adam.is_plain_adam(optimizer):
            adam.step(optimizer, self.id, self._model.named_parameters())
        else:
            super().finish_update(optimizer)

    @contextlib.contextmanager
    def use_params(self, params: dict[Any, Any]) -> Iterator[None]:
        backup = {}
        if self._model is not None:
            for name, parameter in self._model.named_parameters():
                if (self.id, name) in params:
                    backup[name] = parameter.data
                    average = params[(self.id, name)]
                    parameter.data = xp2torch(average, device=parameter.device)
        try:
            yield
        finally:
            for name, parameter in self._model.named_parameters() if backup else ():
                if name in backup:
                    parameter.data = backup[name]

    def to_device(self, device_type: str, device_id: int) -> None:
        if self._model is not None:
            super().to_device(device_type, device_id)

    def to_bytes(self) -> bytes:
        weights: dict[str, np.ndarray] = {}
        if self._model is not None:
            state = self._model.state_dict()
            weights = {name: value.cpu().numpy() for name, value in state.items()}
        return srsly.msgpack_dumps({"sizes": self.cfg, "weights": weights})

    def from_bytes(self, bytes_data: bytes) -> "TorchShim":
        """Raises ValueError if the bytes are damaged or belong to another network."""
        try:
            message = srsly.msgpack_loads(bytes_data)
            sizes, weights = message["sizes"], message["weights"]
            if weights:
                self.initialize(**sizes)
                self._model.load_state_dict(
                    {name: torch.from_numpy(np.array(value)) for name, value in weights.items()}
                )
        except Exception as error:
            raise ValueError(
                f"Cannot load the weights of {self._build.__name__}: {error}. The model file is "
                "damaged or was written by another version; copy it again or retrain."
            ) from error
        return self


def torch_shim(model: Model) -> TorchShim:
    """The shim of a thinc model that has one `TorchShim`."""
    return cast(TorchShim, model.shims[0])
