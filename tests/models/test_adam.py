"""The step of torch's fused Adam, compared with thinc's optimizer."""

import numpy as np
import pytest
import torch
from thinc.api import Optimizer
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

from spacy_npparse.models import adam

SETTINGS = {
    "plain": {},
    "clipping": {"grad_clip": 1.0},
    "weight decay": {"L2": 0.1},
    "averages": {"use_averages": True},
    "all": {"grad_clip": 1.0, "L2": 0.1, "use_averages": True},
}


def make_optimizer(**settings):
    # thinc adds epsilon before the bias correction, torch after it, so it is tiny here.
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
    np.testing.assert_allclose(after, before - 0.05, rtol=1e-5, atol=1e-6)


def test_parameters_without_a_gradient_stay():
    net = nn.Linear(4, 3)
    before = net.bias.detach().clone()
    net.weight.grad = torch.ones(3, 4)
    optimizer = make_optimizer(L2=0.1, use_averages=True)
    adam.step(optimizer, 0, net.named_parameters())
    assert torch.equal(net.bias, before)
    assert set(optimizer.averages) == {(0, "weight")}


def test_updates_are_exactly_those_of_each_parameter_by_itself():
    torch.manual_seed(0)
    net, alone = nn.Linear(40, 30), nn.Linear(40, 30)
    alone.load_state_dict(net.state_dict())
    optimizer = make_optimizer(grad_clip=0.3, eps=1e-8)
    theirs = [torch.optim.Adam([p], lr=0.05, fused=True) for p in alone.parameters()]
    for step in range(5):
        for parameter, own in zip(net.parameters(), alone.parameters(), strict=True):
            parameter.grad = torch.randn_like(parameter) * 10.0 ** (step - 3)
            own.grad = parameter.grad.clone()
            norm = float(own.grad.norm())
            if norm >= 0.3:
                own.grad *= 0.3 / norm
        adam.step(optimizer, 0, net.named_parameters())
        for one in theirs:
            one.step()
        for parameter, own in zip(net.parameters(), alone.parameters(), strict=True):
            assert torch.equal(parameter, own)


def test_counters_are_where_the_weights_are(monkeypatch):
    given = []
    monkeypatch.setattr(adam, "adam", lambda *lists, **_: given.extend(lists))
    net = nn.Linear(4, 3, device="meta")
    for parameter in net.parameters():
        parameter.grad = torch.empty_like(parameter)
    optimizer = make_optimizer()
    optimizer.nr_update[0, "weight"] = 6
    with monkeypatch.context() as patch:
        # Tensors on this device have no values.
        patch.setattr(torch.Tensor, "tolist", lambda self: [1.0 for _ in self])
        adam.step(optimizer, 0, net.named_parameters())
    assert {tensor.device.type for tensors in given for tensor in tensors} == {"meta"}
    monkeypatch.setattr(adam, "adam", lambda *lists, **_: counters.extend(lists[5]))
    counters = []
    net = nn.Linear(4, 3)
    net.weight.grad, net.bias.grad = torch.ones(3, 4), torch.ones(3)
    adam.step(optimizer, 0, net.named_parameters())
    assert [counter.item() for counter in counters] == [7.0, 1.0]


class Reads(TorchDispatchMode):
    """Counts how often Python reads a single value of a tensor, which waits for the GPU."""

    n = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        self.n += function is torch.ops.aten._local_scalar_dense.default
        return function(*args, **(kwargs or {}))


@pytest.mark.parametrize("settings, n_reads", [({}, 1), (SETTINGS["all"], 1)])
def test_the_gpu_is_waited_for_once_at_most(settings, n_reads, monkeypatch):
    lists = []
    to_list = torch.Tensor.tolist
    monkeypatch.setattr(torch.Tensor, "tolist", lambda self: lists.append(self) or to_list(self))
    net = nn.Sequential(*(nn.Linear(4, 4) for _ in range(5)))
    optimizer = make_optimizer(**settings)
    for update in range(1, 3):
        for parameter in net.parameters():
            parameter.grad = torch.ones_like(parameter)
        with Reads() as reads:
            adam.step(optimizer, 0, net.named_parameters())
        assert reads.n == 0 and len(lists) == n_reads * update


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
    optimizer = make_optimizer(**settings)
    assert adam.is_plain_adam(optimizer, torch.device("cpu")) == plain
    assert not adam.is_plain_adam(optimizer, torch.device("mps"))


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_gradients_that_are_not_finite_change_nothing(value):
    net = nn.Linear(2, 1)
    before = {name: p.detach().clone() for name, p in net.named_parameters()}
    net.weight.grad, net.bias.grad = torch.tensor([[0.1, value]]), torch.ones(1)
    optimizer = make_optimizer(use_averages=True)
    with pytest.raises(ValueError, match="gradient of weight is (nan|inf).*learn_rate"):
        adam.step(optimizer, 7, net.named_parameters())
    assert all(torch.equal(p, before[name]) for name, p in net.named_parameters())
    assert not optimizer.averages and not optimizer.nr_update
    # The gradients of the next batch are added to those that remain.
    net(torch.ones(1, 2)).sum().backward()
    adam.step(optimizer, 7, net.named_parameters())
    assert (net.weight < before["weight"]).all()
