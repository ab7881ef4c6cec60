import pytest
import torch
from thinc.api import Adam
from torch import nn

from spacy_npparse.models.shim import TorchShim


def build(n: int) -> nn.Module:
    return nn.Linear(n, 2)


def test_network_is_rebuilt_from_bytes():
    shim = TorchShim(build)
    shim.initialize(n=3)
    loaded = TorchShim(build).from_bytes(shim.to_bytes())
    assert torch.equal(loaded.net.weight, shim.net.weight)


def test_copies_learn_and_are_averaged_by_themselves():
    optimizer = Adam(0.1, use_averages=True)
    shim = TorchShim(build)
    shim.initialize(n=3)
    copied = shim.copy()
    assert torch.equal(copied.net.weight, shim.net.weight)
    for one, factor in ((shim, 1.0), (copied, -1.0)):
        (factor * one.net.weight.sum()).backward()
        one.finish_update(optimizer)
    with shim.use_params(optimizer.averages), copied.use_params(optimizer.averages):
        assert (copied.net.weight > shim.net.weight).all()


def test_empty_shim_is_saved_and_loaded():
    assert not TorchShim(build).from_bytes(TorchShim(build).to_bytes()).is_initialized


def test_network_that_is_missing_is_asked_for():
    with pytest.raises(ValueError, match=r"nlp\.initialize\(\)"):
        _ = TorchShim(build).net


@pytest.mark.parametrize("damage", [lambda b: b[:-5], lambda b: b"", lambda b: b"\xc1" + b])
def test_damaged_bytes_are_refused(damage):
    shim = TorchShim(build)
    shim.initialize(n=3)
    with pytest.raises(ValueError, match="damaged"):
        TorchShim(build).from_bytes(damage(shim.to_bytes()))
