"""Torch networks inside thinc models."""

import subprocess
import sys

import pytest
import srsly
import torch
from thinc.api import Adam
from torch import nn

from spacy_npparse.models.shim import TorchShim


class Net(nn.Linear):
    """As small as a network can be."""

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


def test_networks_of_version_0_1_are_loaded(shim):
    """Their kind was saved among their sizes."""
    message = srsly.msgpack_loads(shim.to_bytes())
    message["sizes"]["scorer"] = "transitions"
    loaded = TorchShim(Net).from_bytes(srsly.msgpack_dumps(message))
    assert torch.equal(loaded.net.weight, shim.net.weight)


def test_the_class_of_the_network_can_be_named_later(shim):
    later = TorchShim()
    for build in (lambda: later.initialize(n=3), lambda: later.from_bytes(shim.to_bytes())):
        with pytest.raises(ValueError, match="the component that it is part of decides"):
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


def test_empty_shim_is_saved_and_loaded():
    assert not TorchShim(Net).from_bytes(TorchShim(Net).to_bytes()).is_initialized


def test_network_that_is_missing_is_asked_for():
    with pytest.raises(ValueError, match=r"nlp\.initialize\(\)"):
        _ = TorchShim(Net).net


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
