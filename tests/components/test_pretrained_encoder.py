"""Tests of pretrained encoders: sharing, copying, sourcing, several processes and ensembles."""

import shutil

import numpy as np
import pytest
import spacy
import torch
from parser_helpers import TINY_ENCODER, TINY_MODEL, check_trees
from spacy.tokens import Doc
from spacy.training.initialize import init_nlp
from spacy.training.loop import train
from tiny import tiny_config, write_part
from tiny_encoder import write_encoder

from spacy_npparse.models.shim import torch_shim
from spacy_npparse.models.transformer.net import TransformerNet

LISTENER = {"@architectures": "spacy.Tok2VecListener.v1", "width": 16}
TEXTS = ["Wir haben das Haus gesehen. Es ist gut!", "", "So", "Das ist \n\n gut ."]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_encoder(tmp_path_factory.mktemp("encoder"), "xlm-roberta")


def pipeline(folder, *, alone=False):
    transformer = {"@architectures": "spacy_npparse.Transformer.v1", "folder": str(folder)}
    transformer["width"] = 16
    encoder = transformer if alone else {**TINY_ENCODER, "transformer": transformer}
    nlp = spacy.blank("xx")
    nlp.add_pipe("tok2vec", config={"model": encoder})
    tagger = {"@architectures": "spacy.Tagger.v2", "tok2vec": LISTENER}
    nlp.add_pipe("morphologizer", config={"model": tagger})
    model = {**TINY_MODEL, "tok2vec": LISTENER}
    nlp.add_pipe("arc_hybrid_swap_parser", name="parser", config={"model": model})
    return nlp


@pytest.fixture(params=["beside words", "alone"])
def trained(request, folder, sample):
    nlp = pipeline(folder, alone=request.param == "alone")
    optimizer = nlp.initialize(lambda: sample(nlp))
    optimizer.learn_rate = 0.01
    for _ in range(3):
        nlp.update(sample(nlp, limit=4, sentences_per_doc=2), sgd=optimizer)
    return nlp


def annotation(docs):
    return [[(t.head.i, t.dep_, t.pos_, t.is_sent_start) for t in doc] for doc in docs]


def test_the_saved_pipeline_needs_no_folder(sample, tmp_path):
    nlp = pipeline(write_encoder(tmp_path / "encoder"))
    nlp.initialize(lambda: sample(nlp))
    nlp.to_disk(tmp_path / "saved")
    shutil.rmtree(tmp_path / "encoder")
    again = spacy.load(tmp_path / "saved")
    assert annotation(again.pipe(TEXTS)) == annotation(nlp.pipe(TEXTS))
    for doc in again.pipe(TEXTS):
        check_trees(doc)


def test_several_processes(trained, tmp_path):
    expected = annotation(trained.pipe(TEXTS))
    # Other processes do not get the vectors that training has cached.
    assert annotation(trained.pipe(TEXTS, n_process=2, batch_size=1)) == expected
    trained.to_disk(tmp_path)
    again = spacy.load(tmp_path)
    assert annotation(again.pipe(TEXTS, n_process=2, batch_size=1)) == expected


def test_replaced_listeners(trained, tmp_path):
    expected = annotation(trained.pipe(TEXTS))
    trained.replace_listeners("tok2vec", "parser", ["model.tok2vec"])
    assert annotation(trained.pipe(TEXTS)) == expected
    trained.to_disk(tmp_path)
    assert annotation(spacy.load(tmp_path).pipe(TEXTS)) == expected


def test_sourced_components_are_trained_further(trained, sample, tmp_path):
    trained.to_disk(tmp_path)
    nlp = spacy.blank("xx")
    source = spacy.load(tmp_path)
    for name in source.pipe_names:
        nlp.add_pipe(name, source=source)
    assert annotation(nlp.pipe(TEXTS)) == annotation(trained.pipe(TEXTS))
    transformer = find(nlp)
    before = torch_shim(transformer, TransformerNet).net.mix.clone()
    # The sourced components are not initialized.
    optimizer = nlp.resume_training()
    for _ in range(2):
        nlp.update(sample(nlp, limit=4), sgd=optimizer)
    assert not np.array_equal(torch_shim(transformer, TransformerNet).net.mix.data, before.data)


def find(nlp):
    model = nlp.get_pipe("tok2vec").model
    return next(node for node in model.walk() if node.name == "transformer")


def test_what_it_learns_is_averaged_and_saved(trained, sample):
    net = torch_shim(find(trained), TransformerNet).net
    optimizer = trained.resume_training()
    optimizer.averages = {}
    trained.update(sample(trained, limit=4), sgd=optimizer)
    trained.update(sample(trained, limit=4), sgd=optimizer)
    last = net.mix.detach().clone()
    with trained.use_params(optimizer.averages):
        assert not np.array_equal(net.mix.detach(), last)
        saved = trained.to_bytes()
    copy = spacy.util.load_model_from_config(trained.config)
    copy.from_bytes(saved)
    assert not np.array_equal(torch_shim(find(copy), TransformerNet).net.mix.detach(), last)


def test_members_of_an_ensemble(trained, tmp_path):
    for member in "ab":
        trained.to_disk(tmp_path / member)
    nlp = spacy.blank("xx")
    for member in "ab":
        source = spacy.load(tmp_path / member)
        source.replace_listeners("tok2vec", "parser", ["model.tok2vec"])
        nlp.add_pipe("parser", name=member, source=source)
    nlp.add_pipe("ensemble_parser", config={"members": ["a", "b"]})
    (doc,) = nlp.pipe(TEXTS[:1])
    check_trees(doc)


def test_sentences_are_encoded_by_themselves(trained):
    """The vectors of a Doc depend on its given sentence boundaries."""
    words = ["Wir", "sehen", "Haus", "So", "ein", "Haus"]
    given = Doc(trained.vocab, words=words, sent_starts=[1, -1, -1, 1, -1, -1])
    halves = [Doc(trained.vocab, words=words[:3]), Doc(trained.vocab, words=words[3:])]
    whole = Doc(trained.vocab, words=words)
    transformer = find(trained)
    found, unknown, *parts = transformer.predict([given, whole, *halves])
    np.testing.assert_allclose(found, np.concatenate(parts), atol=0.05)
    assert not np.allclose(found, unknown, atol=0.05)


def test_spacy_train_tunes_the_highest_layers(folder, tmp_path):
    config = tiny_config()
    transformer = {"@architectures": "spacy_npparse.Transformer.v1", "folder": str(folder)}
    settings = {"layers": [2, 3], "tune": 1, "tune_rate": 1.0}
    config["components"]["tok2vec"]["model"]["transformer"] = {**transformer, **settings}
    # With averages, the saved weights would differ from the weights in memory.
    config["training"]["optimizer"]["use_averages"] = False
    for part in ("train", "dev"):
        config["paths"][part] = str(write_part(part, tmp_path / f"{part}.conllu", 5))
    nlp = init_nlp(config.interpolate())
    before = find(nlp).shims[0].net.encoder.state_dict()
    before = {name: value.clone() for name, value in before.items()}
    (tmp_path / "trained").mkdir()
    train(nlp, tmp_path / "trained")
    after = find(nlp).shims[0].net.encoder.state_dict()
    changed = {name for name, value in after.items() if not torch.equal(value, before[name])}
    assert changed == {name for name in after if name.startswith("layers.2.")} != set()
    again = spacy.load(tmp_path / "trained" / "model-last")
    assert annotation(again.pipe(TEXTS)) == annotation(nlp.pipe(TEXTS))
    loaded = find(again).shims[0].net.encoder.state_dict()
    assert all(torch.equal(value, after[name]) for name, value in loaded.items())
