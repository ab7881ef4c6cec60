"""The layer that joins a pretrained encoder to the others."""

import random

import numpy as np
import pytest
import spacy
import torch
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import fix_random_seed
from thinc.api import Adam
from tiny_encoder import DEPTH, HIDDEN, write_encoder

from spacy_npparse.models.char_bilstm import CharBiLSTM
from spacy_npparse.models.shim import torch_shim
from spacy_npparse.models.transformer import Transformer
from spacy_npparse.models.transformer.architecture import training_vectors
from spacy_npparse.models.transformer.net import TransformerNet
from spacy_npparse.models.transformer.passage_vectors import passage_vectors
from spacy_npparse.passages import AS_GIVEN, AS_TEXT, doc_passages
from spacy_npparse.treebank.augmentation import NonceAugmenter

SIZES = dict(width=8, depth=1, word_width=6, word_rows=50, char_width=4, affix_width=2)
VOCAB = spacy.blank("xx").vocab


@pytest.fixture(autouse=True)
def same_numbers():
    fix_random_seed(0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return str(write_encoder(tmp_path_factory.mktemp("encoder")))


def layer(folder, **settings):
    model = Transformer(folder, width=5, **settings)
    model.initialize()
    return model


def docs():
    return [
        Doc(VOCAB, words=["haus", "der", ".", "x"], sent_starts=[1, -1, -1, 1]),
        Doc(VOCAB),
        Doc(VOCAB, words=["hausen", ".", "so"]),
    ]


def net_of(model):
    return torch_shim(model, TransformerNet).net


def test_a_mean_of_layers_is_projected(folder):
    model = layer(folder, layers=[0, 2, 3])
    net = net_of(model)
    with torch.no_grad():
        net.mix.copy_(torch.tensor([0.0, 1.0, -1.0]))
    found = model.predict(docs())
    assert [one.shape for one in found] == [(4, 5), (0, 5), (3, 5)]
    passages = [("haus ", "der ", "."), ("x",), ("hausen ", "."), ("so",)]
    stacked = torch.cat(passage_vectors(net.encoder, model.attrs["pieces"], [0, 2, 3], passages))
    weights = torch.tensor([0.0, 1.0, -1.0]).softmax(dim=0)
    mixed = torch.einsum("wlh,l->wh", stacked.half().float(), weights)
    expected = net.norm(net.projection(mixed)).detach().numpy()
    np.testing.assert_allclose(np.concatenate(found), expected, atol=1e-4)


@pytest.mark.parametrize("depth, layers", [(12, [4, 5, 6, 7]), (24, [8, 10, 12, 14]), (4, [1, 2])])
def test_layers_in_the_middle(depth, layers, tmp_path):
    net = net_of(layer(str(write_encoder(tmp_path, depth=depth))))
    assert net.layers.tolist() == layers and len(net.encoder.layers) == layers[-1]


def test_gradients(folder):
    model = layer(folder, dropout=0.0)
    net = net_of(model)
    weights = [np.random.default_rng(i).normal(size=(len(d), 5)) for i, d in enumerate(docs())]

    def loss(is_train):
        # Which reading is drawn does not matter to a Doc of one passage.
        one = [Doc(VOCAB, words=["haus", "der"]), Doc(VOCAB, words=["x", "en", "er"])]
        outputs, backprop = model(one, is_train)
        factors = [weights[0][:2].astype("f"), weights[2][:3].astype("f")]
        return sum((w * o).sum() for w, o in zip(factors, outputs, strict=True)), backprop, factors

    _, backprop, factors = loss(True)
    backprop(factors)
    for name, place in [("mix", (1,)), ("projection.weight", (2, 3)), ("norm.bias", (0,))]:
        parameter = net.get_parameter(name)
        values = []
        for step in (1e-2, -1e-2):
            with torch.no_grad():
                parameter[place] += step
                values.append(loss(False)[0])
                parameter[place] -= step
        expected = (values[0] - values[1]) / 2e-2
        assert float(parameter.grad[place]) == pytest.approx(expected, rel=0.05, abs=2e-3)
    trained = {name for name, one in net.named_parameters() if one.requires_grad}
    assert trained == {"mix", "projection.weight", "projection.bias", "norm.weight", "norm.bias"}


def test_training_sees_single_sentences_and_texts(folder):
    model = layer(folder)
    net = net_of(model)
    doc = Doc(VOCAB, words=["a", "b", ".", "c", "d"], sent_starts=[1, 1, -1, -1, -1])

    def expected(reading):
        passages = doc_passages(doc, reading)
        return torch.cat(
            passage_vectors(net.encoder, model.attrs["pieces"], net.layers.tolist(), passages)
        )

    readings = [expected(AS_GIVEN), expected(AS_TEXT)]
    assert not np.allclose(*readings, atol=1e-2)
    found = [training_vectors(model, [one]) for one in (doc, doc[:1].as_doc(), doc[1:].as_doc())]
    np.testing.assert_allclose(found[0], readings[1], atol=2e-3)
    np.testing.assert_allclose(np.concatenate(found[1:]), readings[0], atol=2e-3)


def test_augmented_words_have_the_vectors_that_they_had(folder):
    model = layer(folder)
    random.seed(0)
    nonce = NonceAugmenter(probability=0.5)
    vectors = {}
    moved = 0
    for i in [*range(20)] * 2:
        words = [f"x{i}", f"y{i}", "."]
        gold = dict(words=words, heads=[0, 0, 0], deps=["ROOT", "obj", "punct"])
        gold["pos"] = ["NOUN", "NOUN", "PUNCT"]
        example = Example.from_dict(Doc(VOCAB, words=words), gold)
        before = training_vectors(model, [Doc(VOCAB, words=words)])
        vectors.update({(word, i): row for word, row in zip(words, before, strict=True)})
        (new,) = nonce(None, example)
        for token, row in zip(new.predicted, training_vectors(model, [new.predicted]), strict=True):
            number = int(token.text[1:] or i)
            np.testing.assert_array_equal(row, vectors[token.text, number])
            moved += number != i
    assert moved > 5
    assert len(model.attrs["memory"]) == 20


def test_only_training_is_remembered(folder, monkeypatch):
    model = layer(folder)
    before = np.concatenate(model.predict(docs()))
    assert len(model.attrs["memory"]) == 0
    model(docs()[:1], is_train=True)
    np.testing.assert_allclose(np.concatenate(model.predict(docs())), before, atol=5e-3)
    n_passages = len(model.attrs["memory"])
    assert n_passages >= 4
    # Without the encoder.
    monkeypatch.setattr(net_of(model).encoder, "forward", None)
    np.testing.assert_allclose(np.concatenate(model.predict(docs())), before, atol=5e-3)
    copy = model.copy()
    assert len(copy.attrs["memory"]) == 0
    model.from_bytes(model.to_bytes())
    assert len(model.attrs["memory"]) == 0


def test_many_words_are_encoded_in_parts(folder):
    model = layer(folder)
    many = [Doc(VOCAB, words=["haus", "x", "."] * n) for n in (3, 1500, 400, 2)]
    found = model.predict(many)
    for doc, vectors in zip(many, found, strict=True):
        np.testing.assert_allclose(vectors[:3], model.predict([doc[:3].as_doc()])[0], atol=5e-3)


def test_saved_without_the_folder(folder):
    model = layer(folder)
    again = Transformer("nowhere", width=5).from_bytes(model.to_bytes())
    for found, expected in zip(again.predict(docs()), model.predict(docs()), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_beside_words_and_characters(folder):
    transformer = Transformer(folder, width=5)
    model = CharBiLSTM(**SIZES, transformer=transformer)
    model.initialize()
    before = model.predict(docs())
    assert [one.shape for one in before] == [(4, 8), (0, 8), (3, 8)]
    net = net_of(transformer)
    optimizer = Adam(0.01, use_averages=True)
    weights = {name: value.clone() for name, value in net.state_dict().items()}
    for _ in range(2):
        outputs, backprop = model(docs(), is_train=True)
        backprop([np.ones_like(one) for one in outputs])
        model.finish_update(optimizer)
    changed = {n for n, v in net.state_dict().items() if not torch.equal(v, weights[n])}
    assert changed == {"mix", "projection.weight", "projection.bias", "norm.weight", "norm.bias"}
    again = CharBiLSTM(**SIZES, transformer=Transformer(width=5)).from_bytes(model.to_bytes())
    for found, expected in zip(again.predict(docs()), model.predict(docs()), strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-3)
    with torch.no_grad():
        net.norm.weight.zero_()
    assert not np.allclose(model.predict(docs())[0], again.predict(docs())[0], atol=1e-3)


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"layers": []}, "ascending"),
        ({"layers": [3, 2]}, "ascending"),
        ({"layers": [-1]}, "ascending"),
        ({"layers": [1, DEPTH + 1]}, f"has {DEPTH}"),
        ({"dropout": 1.0}, "dropout"),
        ({"width": 0}, "width"),
        ({"folder": None}, "folder is not set"),
    ],
)
def test_wrong_settings(settings, message, folder):
    with pytest.raises(ValueError, match=message):
        Transformer(**{"folder": folder, **settings}).initialize()


def test_words_of_many_layers_and_widths(folder):
    model = layer(folder, layers=[1])
    assert training_vectors(model, docs()).shape == (7, 1, HIDDEN)


@pytest.mark.parametrize("texts, message", [([], r"texts is \[\]"), ("no.txt", "no.txt: No such")])
def test_texts_that_cannot_be_read(folder, texts, message):
    with pytest.raises(ValueError, match=f"Transformer.v1: .*{message}"):
        layer(folder, texts=texts)


@pytest.mark.parametrize("as_list", [True, False])
def test_pieces_of_some_texts(as_list, tmp_path):
    folder = str(write_encoder(tmp_path / "encoder", "xlm-roberta"))
    (tmp_path / "texts").mkdir()
    text = tmp_path / "texts" / "a.txt"
    text.write_bytes("1\tder\t_\nhaus \xff".encode("latin-1"))
    whole = layer(folder)
    part = layer(folder, texts=[str(text)] if as_list else str(tmp_path / "texts"))
    sizes = [len(net_of(model).encoder.pieces.codes) for model in (part, whole)]
    assert sizes == [part.attrs["pieces"].n_pieces, whole.attrs["pieces"].n_pieces]
    assert sizes[0] < sizes[1] and len(part.to_bytes()) < len(whole.to_bytes())
    known = [Doc(VOCAB, words=["haus", "der", "x"])]
    found, expected = (training_vectors(model, known) for model in (part, whole))
    np.testing.assert_allclose(found, expected, atol=2e-3)
    again = Transformer(width=5).from_bytes(part.to_bytes())
    np.testing.assert_array_equal(training_vectors(again, known), found)
