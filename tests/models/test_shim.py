"""Torch networks inside thinc models."""

import math
import subprocess
import sys

import pytest
import srsly
import torch
from thinc.api import SGD, Adam, RAdam
from torch import nn

from spacy_npparse.models.shim import TorchShim


class Net(nn.Linear):
    """A minimal network."""

    def __init__(self, n: int):
        super().__init__(n, 2)


@pytest.fixture
def shim():
    shim = TorchShim(Net)
    shim.initialize(n=3)
    return shim


def test_network_is_rebuilt_from_bytes(shim):
    loaded = TorchShim(Net).from_bytes(shim.to_bytes())
    assert torch.equal(loaded.net.weight, shim.net.weight)


@pytest.mark.parametrize(
    ("number", "saved_as"),
    [
        (0.5, "float16"),
        (0.1, "float32"),
        (1e-9, "float32"),
        (70000.0, "float32"),
        (math.inf, "float16"),
        (math.nan, "float32"),
    ],
)
def test_half_precision_only_where_it_is_exact(shim, number, saved_as):
    shim.net.weight.data.fill_(1.0)[0, 0] = number
    saved = srsly.msgpack_loads(shim.to_bytes())["weights"]["weight"]
    assert saved.dtype == saved_as
    weights = TorchShim(Net).from_bytes(shim.to_bytes()).net.weight
    assert weights.dtype == torch.float32
    assert torch.equal(weights.nan_to_num(), shim.net.weight.nan_to_num())


def test_rounding_to_half_precision(shim):
    numbers = torch.tensor([[0.1, -1e-9, 70000.0], [1.0, math.inf, 2.5]])
    shim.net.weight.data.copy_(numbers)
    shim.round_to_half()
    rounded = shim.net.weight
    assert rounded.dtype == torch.float32
    # Half precision cannot represent the largest numbers, which stay the same.
    assert rounded.tolist() == [[0.0999755859375, 0.0, 70000.0], [1.0, math.inf, 2.5]]
    TorchShim(Net).round_to_half()


def test_layers_change_their_mode(shim):
    shim.net.layer = nn.Dropout()
    for is_train in (True, False, False, True, True):
        assert shim.net_in_mode(is_train) is shim.net
        assert shim.net.training == shim.net.layer.training == is_train


def test_the_class_of_the_network_can_be_named_later(shim):
    later = TorchShim()
    for build in (lambda: later.initialize(n=3), lambda: later.from_bytes(shim.to_bytes())):
        with pytest.raises(ValueError, match="because its component creates it"):
            build()
    later.use_net(Net)
    later.from_bytes(shim.to_bytes())
    assert torch.equal(later.copy().net.weight, shim.net.weight)


def test_weights_of_another_network_are_refused(shim):
    with pytest.raises(ValueError, match="Cannot load the weights of Bilinear.*retrain"):
        TorchShim(nn.Bilinear).from_bytes(shim.to_bytes())


def test_copies_learn_and_are_averaged_by_themselves(shim):
    optimizer = Adam(0.1, use_averages=True)
    copied = shim.copy()
    assert torch.equal(copied.net.weight, shim.net.weight)
    for one, factor in ((shim, 1.0), (copied, -1.0)):
        (factor * one.net.weight.sum()).backward()
        one.finish_update(optimizer)
    with shim.use_params(optimizer.averages), copied.use_params(optimizer.averages):
        assert (copied.net.weight > shim.net.weight).all()


class ScaledNet(Net):
    """A network with a scalar parameter, as in the networks that score arcs."""

    def __init__(self, n: int):
        super().__init__(n)
        self.scale = nn.Parameter(torch.tensor(1.0))


@pytest.mark.parametrize(
    "optimizer",
    [
        Adam(0.1),
        Adam(0.1, L2=0.1, L2_is_weight_decay=False),
        RAdam(0.1),
        SGD(0.1),
    ],
    ids=["Adam", "L2", "RAdam", "SGD"],
)
def test_any_optimizer_updates_single_numbers(optimizer):
    shim = TorchShim(ScaledNet)
    shim.initialize(n=3)
    for _ in range(2):
        before = shim.net.scale.item()
        (2.0 * shim.net.scale + shim.net.weight.sum()).backward()
        shim.finish_update(optimizer)
        assert shim.net.scale.shape == () and shim.net.scale.item() < before
    last = shim.net.scale.item()
    with shim.use_params(optimizer.averages):
        assert shim.net.scale.shape == () and shim.net.scale.item() != last
    # `nlp.rehearse` collects gradients in this way. Another optimizer has made the updates before.
    gradients = {}
    (2.0 * shim.net.scale).backward()
    shim.finish_update(lambda *call: gradients.update({call[0]: call[1:]}) or call[1:])
    before = shim.net.scale.item()
    for key, (weights, gradient) in gradients.items():
        optimizer(key, weights, gradient)
    assert shim.net.scale.item() < before


@pytest.mark.parametrize("rate", [float("inf"), float("-inf"), float("nan")])
@pytest.mark.parametrize("make", [Adam, RAdam, SGD])
def test_learning_rates_that_are_not_finite_change_nothing(make, rate):
    """Only the second learning rate of the schedule is not finite."""
    shim = TorchShim(Net)
    shim.initialize(n=3)
    optimizer = make(iter([0.1, rate]))
    shim.net.weight.sum().backward()
    shim.finish_update(optimizer)
    optimizer.step_schedules()
    before = shim.net.weight.detach().clone()
    shim.net.weight.sum().backward()
    with pytest.raises(ValueError, match=rf"learning rate is {rate}.*learn_rate"):
        shim.finish_update(optimizer)
    assert torch.equal(shim.net.weight, before)


def test_empty_shim_is_saved_and_loaded():
    assert not TorchShim(Net).from_bytes(TorchShim(Net).to_bytes()).is_initialized


def test_network_that_is_missing_is_asked_for():
    with pytest.raises(ValueError, match=r"nlp\.initialize\(\)"):
        _ = TorchShim(Net).net


@pytest.mark.parametrize("sizes", [{"n": 10**13}, {"n": 3, "depth": 3}])
def test_sizes_without_weights_are_refused_before_there_is_memory_for_them(shim, sizes):
    message = srsly.msgpack_loads(shim.to_bytes())
    message["sizes"] = sizes
    name, size = list(sizes.items())[-1]
    with pytest.raises(ValueError, match=f"weights of Net: .* too small for {name} = {size}"):
        TorchShim(Net).from_bytes(srsly.msgpack_dumps(message))


@pytest.mark.parametrize("damage", [lambda b: b[:-5], lambda b: b"", lambda b: b"\xc1" + b])
def test_damaged_bytes_are_refused(shim, damage):
    with pytest.raises(ValueError, match="damaged"):
        TorchShim(Net).from_bytes(damage(shim.to_bytes()))


CODE = """
import os
import torch
from spacy_npparse.models.shim import TorchShim
torch.set_num_threads(2)
def threads_of_a_child():
    ours, theirs = os.pipe()
    if not os.fork():
        os.write(theirs, str(torch.get_num_threads()).encode())
        os._exit(0)
    os.wait()
    return int(os.read(ours, 10))
found = [threads_of_a_child()]
shim = TorchShim(torch.nn.Linear)
shim.initialize(in_features=1, out_features=1)
copied = shim.copy()
del shim
found.append(threads_of_a_child())
del copied
found.append(threads_of_a_child())
print(found)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
def test_children_keep_their_threads_unless_they_have_a_network():
    command = [sys.executable, "-W", "ignore", "-c", CODE]
    assert subprocess.check_output(command, text=True) == "[2, 1, 2]\n"


def test_updates_that_change_nothing_are_reported_once(shim, caplog):
    """With a warm-up, the learning rate is zero in the first update."""
    optimizer = Adam(iter([0.0, 0.0, 0.0, 0.1]))
    for n_warnings in (0, 1, 1):
        shim.net.weight.sum().backward()
        shim.finish_update(optimizer)
        assert len(caplog.records) == n_warnings
        optimizer.step_schedules()
    assert "learning rate is 0" in caplog.text and "step_schedules" in caplog.text
    shim.net.weight.sum().backward()
    shim.finish_update(optimizer)
    assert len(caplog.records) == 1
