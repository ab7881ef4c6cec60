"""A word has a vector that depends neither on what else is encoded nor on where its sentence is."""

import numpy as np
import pytest
import torch
from tiny_encoder import DEPTH, FAMILIES, HIDDEN, POSITIONS, write_encoder

from spacy_npparse.models.transformer.encoder_net import EncoderNet
from spacy_npparse.models.transformer.folder import EncoderFolder
from spacy_npparse.models.transformer.passage_vectors import passage_batches, passage_vectors
from spacy_npparse.models.transformer.weights import EncoderWeights

ATOL = 1e-5


@pytest.fixture(scope="module", params=FAMILIES)
def encoder(request, tmp_path_factory):
    folder = EncoderFolder.open(write_encoder(tmp_path_factory.mktemp("encoder"), request.param))
    weights = EncoderWeights(folder, DEPTH)
    pieces = folder.pieces()
    net = EncoderNet(n_pieces=pieces.n_pieces, **weights.sizes)
    weights.load(net, np.arange(pieces.n_pieces))
    return net, pieces


def encode(encoder, *passages, layers=(1, 3)):
    return [vectors.numpy() for vectors in passage_vectors(*encoder, layers, passages)]


def test_the_mean_of_the_pieces_of_a_word(encoder):
    net, pieces = encoder
    passage = ("haus ", "der ", "hausen")
    cut = pieces.cut(passage)
    first, last = pieces.ends
    sequence = torch.tensor([[first, *cut.pieces.tolist(), last]])
    layers = net(sequence, torch.tensor([sequence.shape[1]]), [1, 3])[0, 1:-1]
    (found,) = encode(encoder, passage)
    assert found.shape == (3, 2, HIDDEN)
    for word in range(3):
        expected = layers[cut.places[cut.words == word]].mean(dim=0)
        np.testing.assert_allclose(found[word], expected.numpy(), atol=ATOL)


def test_other_passages_have_no_influence(encoder):
    rng = np.random.default_rng(0)
    words = ["haus ", "en ", "x", "der ", "\n", "aeiou " * 2]
    passages = [tuple(rng.choice(words, size=n)) for n in rng.integers(1, 40, size=50)]
    passages[7] = ("\n",)
    for passage, found in zip(passages, encode(encoder, *passages), strict=True):
        assert len(found) == len(passage)
        np.testing.assert_allclose(found, encode(encoder, passage)[0], atol=ATOL)


def test_words_without_a_piece_have_zeros(encoder):
    (found,) = encode(encoder, ("haus ", "\n", "der"))
    assert found[[0, 2]].all(axis=(1, 2)).all()
    (alone,) = encode(encoder, ("",))
    assert not alone.any() and alone.shape == (1, 2, HIDDEN)


def test_long_passages_are_read_in_windows(encoder):
    """A word in the middle has the vector that it has in a window."""
    net, pieces = encoder
    words = [f"{letter} " for letter in "abcdefghijklmnopqrstuvwxyz" * 12]
    (found,) = encode(encoder, tuple(words))
    assert len(found) == len(words) and np.isfinite(found).all()
    per_word = len(pieces.cut(tuple(words)).pieces) / len(words)
    size, context = (POSITIONS - 2) // 2, (POSITIONS - 2) // 4
    if per_word == 1:
        middle = slice(size - context, 2 * size + context)
        (alone,) = encode(encoder, tuple(words[middle]))
        np.testing.assert_allclose(found[size : 2 * size], alone[context:-context], atol=ATOL)


@pytest.mark.parametrize("length", [POSITIONS - 2, POSITIONS - 1, 1000])
def test_a_word_of_many_pieces(encoder, length):
    (found,) = encode(encoder, ("haus ", "z" * length + " ", "der"))
    assert found.shape == (3, 2, HIDDEN) and np.isfinite(found).all()


def test_nothing(encoder):
    assert encode(encoder) == []


@pytest.mark.parametrize(
    ("lengths", "on_cpu", "on_gpu"), [([40, 0, 12, 41, 13], 3, 1), ([8] * 60 + [500], 2, 2)]
)
def test_a_gpu_encodes_passages_of_different_lengths_together(lengths, on_cpu, on_gpu):
    for device, n_batches in ("cpu", on_cpu), ("cuda", on_gpu):
        batches = list(passage_batches(np.array(lengths), torch.device(device)))
        assert sorted(sum(batches, [])) == list(range(len(lengths)))
        assert len(batches) == n_batches
