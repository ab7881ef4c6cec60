"""A thinc shim for torch networks that are built late, averaged, and saved without pickle."""

import contextlib
import copy
import logging
import math
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any, Generic, TypeVar, cast

import numpy as np
import srsly
import torch
from thinc.api import Model, Optimizer, get_torch_default_device, torch2xp, xp2torch
from thinc.shims import PyTorchShim
from torch import nn

from spacy_npparse.models import adam
from spacy_npparse.models.forks import ForkSafe
from spacy_npparse.models.threads import one_thread

logger = logging.getLogger(__name__)

NetT = TypeVar("NetT", bound=nn.Module)


class TorchShim(ForkSafe, PyTorchShim, Generic[NetT]):
    """A shim of a torch network whose sizes are known only when it is initialized or loaded.

    It differs from thinc's `PyTorchShim` in six ways:

    * the network is built from `sizes`, which are saved with the weights, so that an empty shim
      can load any saved network of its class;
    * the optimizer's parameter averages reach the network in `use_params` (thinc looks them up
      under keys that its own optimizer never writes);
    * a copy has optimizer state of its own (thinc gives it the same id);
    * weights are saved as plain arrays (msgpack), never pickled, in half precision where that is
      exact;
    * parameters may grow between two updates;
    * a method `rate_factor` of the network, if there is one, returns the factor of the learning
      rate of a parameter, given its name and shape.

    Args:
        net_class: The class of the network; None if `use_net` will name it before the network is
            built.
        complete: Called with a network that was loaded, to add what is not saved with it; None if
            everything is saved.
    """

    def __init__(
        self,
        net_class: type[NetT] | None = None,
        complete: Callable[[NetT], None] | None = None,
    ):
        super().__init__(None)
        self._net_class, self._complete = net_class, complete
        self._n_idle = 0

    @property
    def net(self) -> NetT:
        """The network.

        Raises:
            ValueError: The network has not been built.
        """
        if self._model is None:
            raise ValueError(
                "there are no weights yet. Call nlp.initialize(), or load a trained pipeline."
            )
        return cast(NetT, self._model)

    @property
    def net_class(self) -> type[NetT]:
        """The class of the network.

        Raises:
            ValueError: The model is not part of a component that names the class.
        """
        if self._net_class is None:
            raise ValueError(
                "The model has no network yet, because its component creates it. Initialize or "
                "load the component, not the model by itself."
            )
        return self._net_class

    @property
    def is_initialized(self) -> bool:
        """Whether the network has been built."""
        return self._model is not None

    def use_net(self, net_class: type[NetT]) -> None:
        """Name the class of a network before it is built."""
        self._net_class = net_class

    def initialize(self, **sizes: float) -> None:
        """Build the network on the active device.

        Args:
            sizes: The keyword arguments of the network's class, which can be saved as JSON.
        """
        self.cfg = dict(sizes)
        self._model = self.net_class(**sizes).to(get_torch_default_device())

    def net_in_mode(self, is_train: bool) -> NetT:
        """Return the network in training or prediction mode.

        The mode of all layers is set only if it changes: setting it takes a few percent of the time
        of a sentence.

        Args:
            is_train: Whether the network is to learn.
        """
        if self.net.training != is_train:
            self.net.train(is_train)
        return self.net

    def copy(self) -> "TorchShim[NetT]":
        """Make a shim with a copy of the network."""
        other = TorchShim(self._net_class, self._complete)
        other.cfg, other._model = dict(self.cfg), copy.deepcopy(self._model)
        return other

    def finish_update(self, optimizer: Any) -> None:
        if self._model is None:
            return
        # An optimizer may be any function.
        rate = getattr(optimizer, "learn_rate", 1.0)
        if not math.isfinite(rate):
            raise ValueError(
                f"The learning rate is {rate}. Training stops, and the weights remain as they "
                "are: correct training.optimizer.learn_rate."
            )
        self._warn_if_idle(rate)
        device = next(self._model.parameters()).device
        rate_factor = getattr(self._model, "rate_factor", lambda _: 1.0)
        if adam.is_plain_adam(optimizer, device):
            with one_thread():
                adam.step(optimizer, self.id, self._keyed_parameters(), rate_factor)
            return
        for key, parameter in self._keyed_parameters():
            if parameter.grad is None:
                continue
            factor = rate_factor(key)
            # The function of `nlp.rehearse` has one rate for all. It leaves other parameters as
            # they are.
            if factor == 1.0 or isinstance(optimizer, Optimizer):
                # Thinc calls len() on arrays, which scalars do not support.
                weights = torch2xp(torch.atleast_1d(parameter.data))
                gradient = torch2xp(torch.atleast_1d(parameter.grad))
                with _scaled_rate(optimizer, factor):
                    weights, _ = optimizer((self.id, key), weights, gradient)
                parameter.data = xp2torch(weights, device=parameter.device).view_as(parameter)
            # The gradients are not set to zero in place, because `nlp.rehearse` applies them
            # later.
            parameter.grad = None

    def _warn_if_idle(self, rate: float) -> None:
        """Warn if two updates in succession have a learning rate of zero. The rate of the first
        update of a training is zero if there is a warm-up, which only `spacy train` advances."""
        self._n_idle = self._n_idle + 1 if rate == 0.0 else 0
        if self._n_idle == 2:
            logger.warning(
                "The learning rate is 0, so updates change nothing. In your own training loop, "
                "call optimizer.step_schedules() after each update, or give another optimizer, as "
                "in nlp.resume_training(sgd=thinc.api.Adam(0.001))."
            )

    @contextlib.contextmanager
    def use_params(self, params: dict[Any, Any]) -> Iterator[None]:
        backup = {}
        for key, parameter in self._keyed_parameters():
            average = params.get((self.id, key))
            if average is not None:
                backup[key] = parameter.data
                parameter.data = xp2torch(average, device=parameter.device).view_as(parameter)
        try:
            yield
        finally:
            for key, parameter in self._keyed_parameters():
                if key in backup:
                    parameter.data = backup[key]

    def _keyed_parameters(self) -> Iterator[tuple[str, nn.Parameter]]:
        """List all parameters with the keys under which an optimizer keeps their state. A parameter
        that has grown gets a new key, like a grown layer in thinc."""
        if self._model is not None:
            for name, parameter in self._model.named_parameters():
                yield f"{name} {list(parameter.shape)}", parameter

    def to_device(self, device_type: str, device_id: int) -> None:
        if self._model is not None:
            super().to_device(device_type, device_id)

    def round_to_half(self) -> None:
        """Round the parameters to half precision, which takes half the space when they are saved.
        The network goes on computing in single precision."""
        for parameter in () if self._model is None else self._model.parameters():
            rounded = parameter.data.half().float()
            # Half precision has no number beyond 65,504.
            parameter.data.copy_(torch.where(rounded.isfinite(), rounded, parameter.data))

    def to_bytes(self) -> bytes:
        weights: dict[str, np.ndarray] = {}
        if self._model is not None:
            state = self._model.state_dict()
            weights = {name: _compact(value.cpu().numpy()) for name, value in state.items()}
        return srsly.msgpack_dumps({"sizes": self.cfg, "weights": weights})

    def from_bytes(self, bytes_data: bytes) -> "TorchShim[NetT]":
        """Load a network.

        Raises:
            ValueError: The bytes are damaged, or belong to a network of another class.
        """
        try:
            message = srsly.msgpack_loads(bytes_data)
            sizes, weights = message["sizes"], message["weights"]
            self.cfg, self._model = {}, None
            if sizes and not weights:
                raise ValueError("they are missing")
            if weights:
                _check_sizes(sizes, [value.shape for value in weights.values()])
                self.initialize(**sizes)
                self._model.load_state_dict(
                    {name: torch.from_numpy(np.array(value)) for name, value in weights.items()}
                )
        except Exception as error:
            name = self._net_class.__name__ if self._net_class else "a network"
            raise ValueError(
                f"Cannot load the weights of {name}: {error}. The model file is damaged or was "
                "written by another version; copy it again or retrain."
            ) from error
        if self._complete is not None and self._model is not None:
            self._complete(self.net)
        return self


@contextlib.contextmanager
def _scaled_rate(optimizer: Any, factor: float) -> Iterator[None]:
    """Multiply the learning rate in a context. The RAdam of thinc ignores its `lr_scale`."""
    if factor == 1.0:
        yield
        return
    rate = optimizer.learn_rate
    optimizer.learn_rate = factor * rate
    try:
        yield
    finally:
        optimizer.learn_rate = rate


def _compact(values: np.ndarray) -> np.ndarray:
    """Convert numbers to half precision if this changes none of them."""
    if values.dtype != np.float32:
        return values
    with np.errstate(over="ignore"):
        half = values.astype(np.float16)
    return half if np.array_equal(half, values) else values


def _check_sizes(sizes: dict[str, float], shapes: list[tuple[int, ...]]) -> None:
    """Reject sizes that do not fit the weights before memory is allocated for them. Weights that
    are not saved have any size."""
    if not sizes.get("is_saved", True):
        return
    for name, size in sizes.items():
        # All sizes except the number of layers are at most the largest dimension of a weight.
        largest = len(shapes) if name == "depth" else max((1, *chain.from_iterable(shapes)))
        if size > largest:
            raise ValueError(f"its weights are too small for {name} = {size}")


def torch_shim(model: Model, net_class: type[NetT]) -> TorchShim[NetT]:
    """Find the only `TorchShim` of a thinc model.

    Args:
        model: The thinc model.
        net_class: The class of the network in the shim, for type checkers.

    Returns:
        The shim.

    Raises:
        ValueError: The model has no such shim.
    """
    shim = next(iter(model.shims), None)
    if not isinstance(shim, TorchShim):
        raise ValueError(
            f"The model {model.name!r} has no network of this package. Give a parser the "
            "architecture spacy_npparse.Parser.v1, and a lemmatizer spacy_npparse.Speller.v1."
        )
    return cast("TorchShim[NetT]", shim)
