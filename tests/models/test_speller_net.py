"""The network that spells lemmas."""

from itertools import product

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from spacy_npparse.models.speller import SpelledBatch, SpellerModel
from spacy_npparse.models.speller_net import SpellerNet, SpellingBatch

N_EDITS = 3


def batch(*lengths, seed=0):
    rng = np.random.default_rng(seed)
    n_tags = rng.integers(0, 3, len(lengths))
    return SpellingBatch(
        rng.integers(0, 5, sum(lengths)),
        np.array(lengths),
        rng.integers(0, 4, n_tags.sum()),
        n_tags,
    )


@pytest.fixture(scope="module")
def net():
    torch.manual_seed(0)
    net = SpellerNet(4, 3, 6, n_chars=5, n_tags=4, n_edits=N_EDITS)
    for parameter in net.parameters():
        torch.nn.init.normal_(parameter)
    return net.eval()


def alone(words, number):
    """Return a batch with only one of the words."""
    start, length = words.starts[number], words.lengths[number]
    first = words.n_tags[:number].sum()
    n_tags = words.n_tags[number : number + 1]
    return SpellingBatch(
        words.chars[start : start + length],
        words.lengths[number : number + 1],
        words.tags[first : first + n_tags[0]],
        n_tags,
    )


@torch.no_grad()
@given(st.lists(st.integers(1, 6), min_size=1, max_size=5), st.integers(0, 99))
def test_edits_are_chosen_in_turn(net, lengths, seed):
    """Each edit is the most probable one given the edits before it."""
    words = batch(*lengths, seed=seed)
    edits = net.best(net.encode(words), words.lengths)
    for number, one in enumerate(edits.split(lengths)):
        word = alone(words, number)
        for cell, chosen in enumerate(one.tolist()):
            scores = []
            for edit in range(N_EDITS):
                other = one.numpy().copy()
                other[cell] = edit
                scores.append(float(net(word, other)[cell]))
            assert scores[chosen] == pytest.approx(max(scores), abs=1e-5)


@torch.no_grad()
@given(st.integers(1, 4), st.integers(0, 99))
def test_probabilities_of_all_edits_of_a_word(net, length, seed):
    word = batch(length, seed=seed)
    sequences = product(range(N_EDITS), repeat=length)
    total = sum(float(net(word, np.array(edits)).sum().exp()) for edits in sequences)
    assert total == pytest.approx(1.0, abs=1e-4)


def test_words_do_not_depend_on_the_others(net):
    words = batch(3, 1, 5, 2)
    hidden = net.encode(words).split([3, 1, 5, 2])
    for number, expected in enumerate(hidden):
        assert torch.allclose(net.encode(alone(words, number)), expected, atol=1e-5)


def test_gradients_of_the_thinc_model():
    torch.manual_seed(0)
    model = SpellerModel(4, 3, 6, dropout=0.0, tag_dropout=0.0, char_dropout=0.0)
    model.initialize(Y={"n_chars": 5, "n_tags": 4, "n_edits": N_EDITS})
    net = model.shims[0].net
    words = batch(3, 2, 4)
    gold = np.array([0, 1, 2, 2, 1, 0, 1, 2, 0])
    scores, backprop = model(SpelledBatch(words, gold), True)
    weights = np.arange(9, dtype=np.float32)
    backprop(weights)
    gradient = net.output.weight.grad.clone()
    net.zero_grad()
    (net(words, gold) * torch.from_numpy(weights)).sum().backward()
    assert torch.allclose(gradient, net.output.weight.grad) and gradient.abs().sum() > 0
    assert scores == pytest.approx(model.predict(SpelledBatch(words, gold)))


def test_dropout_of_tags_and_characters_is_for_training():
    torch.manual_seed(0)
    net = SpellerNet(4, 3, 6, n_chars=5, n_tags=4, n_edits=N_EDITS)
    words = batch(8, 8, seed=1)
    for name in ("tag_dropout", "char_dropout"):
        net.tag_dropout = net.char_dropout = 0.0
        setattr(net, name, 0.5)
        net.train()
        encoded = [net.encode(words) for _ in range(8)]
        assert not all(torch.equal(one, encoded[0]) for one in encoded)
        net.eval()
        assert torch.equal(net.encode(words), net.encode(words))
