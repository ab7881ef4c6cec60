"""The encoder computes what the reference implementation does."""

import numpy as np
import pytest
import torch
from tiny_encoder import DEPTH, FAMILIES, HIDDEN, write_encoder

from spacy_npparse.models.transformer import frozen
from spacy_npparse.models.transformer.encoder_net import EncoderNet
from spacy_npparse.models.transformer.folder import EncoderFolder
from spacy_npparse.models.transformer.weights import EncoderWeights


def load(path, depth=DEPTH):
    folder = EncoderFolder.open(path)
    weights = EncoderWeights(folder, depth)
    n_pieces = folder.config["vocab_size"]
    net = EncoderNet(n_pieces=n_pieces, **weights.sizes)
    weights.load(net, np.arange(n_pieces))
    return net


@pytest.mark.parametrize("family", FAMILIES)
def test_all_layers_are_those_of_transformers(family, tmp_path):
    transformers = pytest.importorskip("transformers")
    net = load(write_encoder(tmp_path, family))
    reference = transformers.AutoModel.from_pretrained(tmp_path, add_pooling_layer=False).eval()
    lengths = [5, 9, 2]
    pieces = torch.randint(4, len(net.pieces.codes), (3, 9))
    mask = torch.arange(9) < torch.tensor(lengths)[:, None]
    pieces[~mask] = reference.config.pad_token_id
    with torch.no_grad():
        found = net(pieces, torch.tensor(lengths), range(DEPTH + 1))
        expected = reference(pieces, attention_mask=mask, output_hidden_states=True).hidden_states
    assert found.shape == (3, 9, DEPTH + 1, HIDDEN)
    for layer, vectors in enumerate(expected):
        torch.testing.assert_close(found[:, :, layer][mask], vectors[mask], atol=1e-5, rtol=0)


def test_padding_has_no_influence(tmp_path):
    net = load(write_encoder(tmp_path))
    pieces = torch.randint(4, 20, (1, 6))
    padded = torch.cat([pieces, torch.randint(4, 20, (1, 5))], dim=1)
    alone, beside = net(pieces, torch.tensor([6]), [2]), net(padded, torch.tensor([6]), [2])
    torch.testing.assert_close(alone, beside[:, :6])


def test_layers_above_the_last_one_that_is_wanted_are_not_needed(tmp_path):
    whole, cut = (load(write_encoder(tmp_path), depth) for depth in (DEPTH, 2))
    pieces = torch.randint(4, 20, (2, 6)), torch.tensor([6, 6])
    torch.testing.assert_close(cut(*pieces, [1, 2]), whole(*pieces, [1, 2]))


def test_weights_are_rounded_once(tmp_path):
    """What is saved and loaded is what was trained with."""
    net = load(write_encoder(tmp_path))
    again = load(tmp_path)
    for value in again.state_dict().values():
        value.zero_()
    again.load_state_dict(net.state_dict())
    table = net.pieces
    rows = table(torch.arange(len(table.codes)))
    table.set_weight(rows)
    torch.testing.assert_close(table(torch.arange(len(table.codes))), rows)
    pieces = torch.randint(4, 20, (2, 6)), torch.tensor([6, 6])
    assert torch.equal(again(*pieces, [DEPTH]), net(*pieces, [DEPTH]))


def test_numbers_of_fast_processors(tmp_path, monkeypatch):
    pieces = torch.randint(4, 20, (2, 6)), torch.tensor([6, 6])
    exact = load(write_encoder(tmp_path))(*pieces, [DEPTH])
    monkeypatch.setattr(frozen, "fast_dtype", lambda device: torch.bfloat16)
    fast = load(tmp_path)(*pieces, [DEPTH])
    assert fast.dtype == torch.float32 and not torch.equal(fast, exact)
    torch.testing.assert_close(fast, exact, atol=0.1, rtol=0)
