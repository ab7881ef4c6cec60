"""The step of torch's fused Adam against thinc's own."""

import numpy as np
import pytest
import torch
from thinc.api import Optimizer
from torch import nn

from spacy_npparse.models import adam

SETTINGS = {
    "plain": {},
    "clipping": {"grad_clip": 1.0},
    "weight decay": {"L2": 0.1},
    "averages": {"use_averages": True},
    "all": {"grad_clip": 1.0, "L2": 0.1, "use_averages": True},
}


def make_optimizer(**settings):
    # thinc adds epsilon before the bias correction, torch after it; a tiny one makes them equal.
    defaults = {"eps": 1e-12, "L2_is_weight_decay": True, "grad_clip": 0.0, "use_averages": False}
    return Optimizer(0.05, **{**defaults, **settings})


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_weights_and_averages_are_those_of_thinc(settings):
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    net = nn.Linear(4, 3)
    ours, theirs = make_optimizer(**settings), make_optimizer(**settings)
    expected = {name: p.detach().numpy().copy() for name, p in net.named_parameters()}
    for scale in (0.01, 1.0, 30.0, 0.1, 5.0):  # below and above the norm that is clipped
        for name, parameter in net.named_parameters():
            gradient = rng.normal(scale=scale, size=parameter.shape).astype("f")
            parameter.grad = torch.from_numpy(gradient.copy())
            expected[name], _ = theirs((7, name), expected[name], gradient)
        adam.step(ours, 7, net.named_parameters())
        for name, parameter in net.named_parameters():
            assert parameter.grad is None
            np.testing.assert_allclose(parameter.detach(), expected[name], rtol=1e-5, atol=1e-5)
    if settings.get("use_averages"):
        assert ours.averages.keys() == theirs.averages.keys() == {(7, "weight"), (7, "bias")}
        for key, average in theirs.averages.items():
            np.testing.assert_allclose(ours.averages[key], average, rtol=1e-5, atol=1e-5)


def test_steps_of_thinc_go_on_where_these_end():
    """`nlp.rehearse` calls the optimizer itself."""
    net = nn.Linear(4, 3)
    optimizer = make_optimizer(use_averages=True)
    net.weight.grad = torch.ones(3, 4)
    adam.step(optimizer, 7, net.named_parameters())
    before = net.weight.detach().numpy().copy()
    after, _ = optimizer((7, "weight"), before.copy(), np.ones((3, 4), dtype="f"))
    np.testing.assert_allclose(after, before - 0.05, rtol=1e-5)


def test_parameters_without_a_gradient_stay():
    net = nn.Linear(4, 3)
    before = net.bias.detach().clone()
    net.weight.grad = torch.ones(3, 4)
    optimizer = make_optimizer(L2=0.1, use_averages=True)
    adam.step(optimizer, 0, net.named_parameters())
    assert torch.equal(net.bias, before)
    assert set(optimizer.averages) == {(0, "weight")}


@pytest.mark.parametrize(
    "settings, plain",
    [
        ({}, True),
        ({"L2": 0.1}, True),
        ({"L2": 0.1, "L2_is_weight_decay": False}, False),
        ({"use_radam": True}, False),
        ({"beta1": 0.0}, False),
    ],
)
def test_other_optimizers_are_left_to_thinc(settings, plain):
    assert adam.is_plain_adam(make_optimizer(**settings)) == plain
