"""The padded BiLSTM, compared with torch's packed bidirectional LSTM plus residual connections."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.nn.utils.rnn import PackedSequence, pack_sequence, pad_packed_sequence

from spacy_npparse.models.layers import BiLSTM
from spacy_npparse.models.padding import groups_of_similar_length

LENGTHS = st.lists(st.integers(1, 60), min_size=1, max_size=12)


def reference_lstms(ours):
    for forwards, backwards in zip(ours.forwards, ours.backwards, strict=True):
        theirs = nn.LSTM(forwards.input_size, forwards.hidden_size, bidirectional=True)
        for suffix, source in (("", forwards), ("_reverse", backwards)):
            for name, parameter in source.named_parameters():
                getattr(theirs, name + suffix).data.copy_(parameter.data)
        yield theirs


@settings(max_examples=25, deadline=None)
@given(lengths=LENGTHS, depth=st.integers(1, 3))
def test_outputs_and_gradients_equal_packed_lstms(lengths, depth):
    torch.manual_seed(0)
    ours = BiLSTM(5, 3, depth)
    vectors = torch.randn(sum(lengths), 5, requires_grad=True)
    outputs, finals = ours(vectors, lengths), ours.last_states(vectors, lengths)
    with torch.no_grad():
        torch.testing.assert_close(ours(vectors.detach(), lengths), outputs)
        torch.testing.assert_close(ours.last_states(vectors.detach(), lengths), finals)
    outputs.square().sum().backward()
    gradient = vectors.grad.clone()
    vectors.grad = None
    packed = pack_sequence(list(vectors.split(lengths)), enforce_sorted=False)
    for layer, theirs in enumerate(reference_lstms(ours)):
        read, (hidden, _) = theirs(packed)
        data = read.data + packed.data if layer else read.data
        packed = PackedSequence(data, *read[1:])
    padded, _ = pad_packed_sequence(packed, batch_first=True)
    expected = torch.cat([padded[i, :n] for i, n in enumerate(lengths)])
    expected.square().sum().backward()
    assert torch.allclose(outputs, expected, atol=1e-6)
    assert torch.allclose(finals, torch.cat([hidden[0], hidden[1]], dim=1), atol=1e-6)
    assert torch.allclose(gradient, vectors.grad, atol=1e-5)


@given(lengths=LENGTHS)
def test_groups_hold_every_sequence_once_and_waste_little(lengths):
    lengths = np.array(lengths)
    groups = list(groups_of_similar_length(lengths, torch.device("cpu")))
    assert sorted(np.concatenate(groups).tolist()) == list(range(len(lengths)))
    for group in groups:
        assert lengths[group].max() <= 1.5 * lengths[group].min() + 8


@pytest.mark.parametrize(
    ("lengths", "n_groups"), [([1, 40, 80], 1), ([9] * 900 + [30], 1), ([5] * 500 + [2000], 2)]
)
def test_a_gpu_prefers_padding_to_calls(lengths, n_groups):
    groups = groups_of_similar_length(np.array(lengths), torch.device("cuda"))
    assert sorted(np.concatenate(groups).tolist()) == list(range(len(lengths)))
    assert len(groups) == n_groups


def test_dropout_uses_one_mask_for_all_steps_and_only_in_training():
    torch.manual_seed(0)
    lstm = BiLSTM(400, 200, 1)
    lstm.dropout = 0.25
    read = []
    lstm.forwards[0].register_forward_pre_hook(lambda module, inputs: read.append(inputs[0]))
    vectors = torch.ones(12, 400)
    in_training = lstm(vectors, [12])
    lstm.eval()
    in_prediction = lstm(vectors, [12])
    assert (read[1] == 1.0).all() and (in_prediction != 0.0).all()
    for dropped in (read[0][:, 0] == 0.0, in_training == 0.0):
        assert (dropped.all(dim=0) | ~dropped.any(dim=0)).all()
        assert 0.15 < dropped.float().mean() < 0.35
    # The remaining values are scaled up, so that their mean is the same as in prediction.
    kept = read[0][read[0] != 0.0]
    torch.testing.assert_close(kept, torch.full_like(kept, 1 / 0.75))


def test_forget_gates_start_open():
    lstm = BiLSTM(2, 3, 1).forwards[0]
    assert lstm.bias_ih_l0[3:6].tolist() == pytest.approx([1.0, 1.0, 1.0])
