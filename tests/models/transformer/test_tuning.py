"""Layers of a pretrained encoder that are tuned."""

from functools import partial

import numpy as np
import pytest
import spacy
import torch
from spacy.tokens import Doc
from spacy.util import fix_random_seed
from thinc.api import SGD, Adam, RAdam
from tiny_encoder import DEPTH, POSITIONS, write_encoder

from spacy_npparse.models.shim import torch_shim
from spacy_npparse.models.transformer import Transformer
from spacy_npparse.models.transformer.net import TransformerNet

VOCAB = spacy.blank("xx").vocab
TUNED = {
    f"encoder.layers.{number}.{part}.{kind}"
    for number in (DEPTH - 2, DEPTH - 1)
    for part in (
        "attention_in", "attention_out", "attention_norm", "inner", "outer", "norm",
    )
    for kind in ("weight", "bias")
}  # fmt: skip
LEARNT = {"mix", "projection.weight", "projection.bias", "norm.weight", "norm.bias"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return str(write_encoder(tmp_path_factory.mktemp("encoder")))


def tuned(folder, **settings):
    fix_random_seed(0)
    model = Transformer(folder, width=5, layers=[1, DEPTH], dropout=0.0, tune=2, **settings)
    model.initialize()
    return model


@pytest.fixture
def model(folder):
    return tuned(folder, tune_rate=0.01)


def net_of(model):
    return torch_shim(model, TransformerNet).net


def docs():
    """Two that share a passage, and one that is read in windows."""
    words = ["haus", "der", "."]
    return [
        Doc(VOCAB, words=words),
        Doc(VOCAB, words=[*words, *"x" * POSITIONS]),
        Doc(VOCAB, words),
    ]


def update(model, optimizer):
    """One step, with the gradient of the same weighted sum of all outputs."""
    outputs, backprop = model(docs(), is_train=True)
    rng = np.random.default_rng(0)
    backprop([rng.normal(size=one.shape).astype("f") for one in outputs])
    if optimizer is not None:
        model.finish_update(optimizer)


def weights(model):
    return {name: value.clone() for name, value in net_of(model).state_dict().items()}


def changed(model, before):
    return {name for name, value in weights(model).items() if not torch.equal(value, before[name])}


def test_tuned_layers_compute_what_frozen_ones_do(model, folder):
    """The weights of the test's encoder are not changed by rounding."""
    frozen = Transformer(folder, width=5, layers=[1, DEPTH])
    frozen.initialize()
    net_of(frozen).projection.load_state_dict(net_of(model).projection.state_dict())
    for found, expected in zip(model.predict(docs()), frozen.predict(docs()), strict=True):
        np.testing.assert_allclose(found, expected, atol=5e-3)
    codes = {name for name, value in weights(model).items() if value.dtype == torch.int8}
    assert len(codes) == 1 + 4 * (DEPTH - 2)


def test_gradients(model):
    net = net_of(model)
    update(model, None)
    rng = np.random.default_rng(0)
    factors = [rng.normal(size=(len(doc), 5)).astype("f") for doc in docs()]

    def loss():
        outputs = model.predict(docs())
        return sum(float((w * o).sum()) for w, o in zip(factors, outputs, strict=True))

    with_gradient = {n for n, p in net.named_parameters() if p.grad is not None}
    assert with_gradient == {n for n, _ in net.named_parameters()} == TUNED | LEARNT
    for name in sorted(TUNED):
        parameter = net.get_parameter(name)
        place = tuple(size // 3 for size in parameter.shape)
        values = []
        for step in (1e-3, -1e-3):
            with torch.no_grad():
                parameter[place] += step
                values.append(loss())
                parameter[place] -= step
        expected = (values[0] - values[1]) / 2e-3
        assert float(parameter.grad[place]) == pytest.approx(expected, rel=0.05, abs=0.02), name


@pytest.mark.parametrize("make", [Adam, RAdam, SGD, partial(Adam, L2=0.1, use_averages=True)])
def test_tuned_layers_have_a_learning_rate_of_their_own(make, folder):
    steps = []
    for rate in (0.01, 1.0):
        model = tuned(folder, tune_rate=rate)
        before = weights(model)
        update(model, make(0.01))
        assert changed(model, before) == TUNED | LEARNT
        steps.append({name: value - before[name] for name, value in weights(model).items()})
    for name in TUNED | LEARNT:
        expected = (0.01 if name in TUNED else 1.0) * steps[1][name]
        torch.testing.assert_close(steps[0][name], expected, rtol=0.01, atol=2e-7, msg=name)


def test_functions_that_know_no_rates_leave_tuned_layers(model):
    """As that of `nlp.rehearse`, which would apply the same rate to all."""
    before = weights(model)
    update(model, lambda key, weights, gradient: (weights + 1.0, gradient))
    assert changed(model, before) == LEARNT
    assert all(p.grad is None for p in net_of(model).parameters())


def test_gradients_are_computed_with_checkpointing(model):
    """The backward pass runs tuned layers again."""
    calls = []
    for number, layer in enumerate(net_of(model).encoder.layers):
        layer.register_forward_pre_hook(lambda *_, number=number: calls.append(number))
    outputs, backprop = model(docs()[:1], is_train=True)
    assert calls == [0, 1, 2, 3]
    backprop(outputs)
    assert calls == [0, 1, 2, 3, 3, 2]
    model.predict(docs()[:1])
    assert calls[6:] == [0, 1, 2, 3]


def test_nothing_is_remembered(model):
    before = model.predict(docs())
    for _ in range(2):
        update(model, Adam(0.1))
    assert len(model.attrs["memory"]) == 0
    assert not np.allclose(model.predict(docs())[0], before[0], atol=1e-3)


def test_they_are_saved_with_their_rate(model):
    update(model, Adam(0.1))
    again = Transformer(width=5).from_bytes(model.to_bytes())
    for found, expected in zip(again.predict(docs()), model.predict(docs()), strict=True):
        np.testing.assert_array_equal(found, expected)
    before = weights(again)
    update(again, Adam(0.001))
    steps = [(weights(again)[name] - before[name]).abs().max().item() for name in TUNED]
    assert changed(again, before) == TUNED | LEARNT and max(steps) < 2e-5


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"tune": "all"}, "tune is 'all'"),
        ({"tune": 0}, "tune is 0"),
        ({"tune": True}, "tune is True"),
        ({"tune": 3, "layers": [1, 2]}, "tune is 3, but the highest .* is 2"),
        ({"tune_rate": -0.1}, "tune_rate is -0.1"),
        ({"tune_rate": 2}, "tune_rate is 2"),
    ],
)
def test_wrong_settings(settings, message, folder):
    with pytest.raises(ValueError, match=message):
        Transformer(folder, **settings).initialize()
