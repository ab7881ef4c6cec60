"""Tests of pipelines that are saved without their pretrained encoder, and share its folder."""

import hashlib
import pickle

import pytest
import spacy
import torch
from parser_helpers import TINY_ENCODER, TINY_MODEL, check_trees
from tiny_encoder import write_encoder
from typer.testing import CliRunner

from spacy_npparse.cli import app
from spacy_npparse.errors import UserError

TEXTS = ["Wir haben das Haus gesehen. Es ist gut!", "So"]
SECTION = "components.parser.model.tok2vec.transformer.folder"


def trained(sample, folder, **settings):
    """Return a pipeline, after some updates, whose parser has its own encoder."""
    transformer = {"@architectures": "spacy_npparse.Transformer.v1", "folder": str(folder)}
    encoder = {**TINY_ENCODER, "transformer": {**transformer, "layers": [2, 3], **settings}}
    nlp = spacy.blank("xx")
    model = {**TINY_MODEL, "tok2vec": encoder}
    nlp.add_pipe("arc_hybrid_swap_parser", name="parser", config={"model": model})
    optimizer = nlp.initialize(lambda: sample(nlp))
    optimizer.learn_rate = 0.01
    for _ in range(3):
        nlp.update(sample(nlp, limit=4, sentences_per_doc=2), sgd=optimizer)
    return nlp


def transformer_of(nlp):
    model = nlp.get_pipe("parser").model
    return next(node for node in model.walk() if node.name == "transformer")


def predictions(nlp):
    """Return the trees, and the vectors of the encoder."""
    docs = list(nlp.pipe(TEXTS))
    for doc in docs:
        check_trees(doc)
    trees = [[(token.head.i, token.dep_) for token in doc] for doc in docs]
    return trees, nlp.get_pipe("parser").model.predict(docs)


def assert_same(nlp, other):
    (trees, vectors), (other_trees, other_vectors) = predictions(nlp), predictions(other)
    assert trees == other_trees and torch.equal(vectors, other_vectors)


@pytest.fixture
def folder(tmp_path):
    return write_encoder(tmp_path / "encoder", "xlm-roberta")


@pytest.mark.parametrize("tune", ["none", 1])
def test_pipelines_share_a_folder(tune, folder, sample, tmp_path):
    pipelines = [trained(sample, folder, save_encoder=False, tune=tune) for _ in range(2)]
    for number, nlp in enumerate(pipelines):
        nlp.to_disk(tmp_path / str(number))
        assert_same(spacy.load(tmp_path / str(number)), nlp)
        assert_same(spacy.util.load_model_from_config(nlp.config).from_bytes(nlp.to_bytes()), nlp)
    saved = transformer_of(pipelines[0]).shims[0].net.state_dict()
    frozen = [name for name in saved if name.startswith("encoder.")]
    assert {name.split(".")[1] for name in frozen} == {"checksum", *["layers"] * (tune == 1)}
    assert all(name.startswith("encoder.layers.2.") for name in frozen[1:])
    assert all(value.dtype != torch.int8 for value in saved.values())


def test_what_is_read_is_what_would_have_been_saved(folder, sample):
    saved, read = (trained(sample, folder, save_encoder=value) for value in (True, False))
    again = spacy.util.load_model_from_config(read.config).from_bytes(read.to_bytes())
    expected = dict(transformer_of(saved).shims[0].net.encoder.named_buffers())
    found = dict(transformer_of(again).shims[0].net.encoder.named_buffers())
    assert found.keys() - expected.keys() == {"checksum"}
    assert all(torch.equal(found[name], value) for name, value in expected.items())
    assert len(read.to_bytes()) < len(saved.to_bytes())


def refusal(path, *named, **overrides):
    with pytest.raises(UserError) as caught:
        spacy.load(path, config=overrides)
    message = str(caught.value)
    assert all(text in message for text in (*named, "config.cfg", "spacy.load(PIPELINE, config="))


def test_another_folder_and_other_weights(folder, sample, tmp_path):
    nlp = trained(sample, folder, save_encoder=False)
    nlp.to_disk(tmp_path / "saved")
    weights = folder / "model.safetensors"
    expected = hashlib.sha256(weights.read_bytes()).hexdigest()
    moved = folder.rename(tmp_path / "moved")
    refusal(tmp_path / "saved", str(weights), expected, "does not exist")
    assert_same(spacy.load(tmp_path / "saved", config={SECTION: str(moved)}), nlp)
    # The new path is saved.
    spacy.load(tmp_path / "saved", config={SECTION: str(moved)}).to_disk(tmp_path / "corrected")
    assert_same(spacy.load(tmp_path / "corrected"), nlp)

    content = bytearray((moved / "model.safetensors").read_bytes())
    content[-1] ^= 1
    (moved / "model.safetensors").write_bytes(content)
    found = hashlib.sha256(content).hexdigest()
    path = str(moved / "model.safetensors")
    refusal(tmp_path / "saved", path, expected, found, **{SECTION: str(moved)})
    other = write_encoder(tmp_path / "other", "bert") / "model.safetensors"
    refusal(tmp_path / "corrected", str(other), expected, **{SECTION: str(other.parent)})


def test_commands_show_the_whole_message(folder, sample, tmp_path):
    trained(sample, folder, save_encoder=False).to_disk(tmp_path / "saved")
    folder.rename(tmp_path / "moved")
    (tmp_path / "text.txt").write_text(TEXTS[0])
    arguments = [str(tmp_path / name) for name in ("saved", "text.txt", "out.conllu")]
    result = CliRunner().invoke(app, ["parse", *arguments])
    assert result.exit_code == 1 and "Traceback" not in result.output
    assert str(folder) in result.output and "spacy.load(PIPELINE, config=" in result.output


def test_copies_read_the_folder_when_they_are_loaded(folder, sample):
    model = transformer_of(trained(sample, folder, save_encoder=False))
    copied = pickle.loads(pickle.dumps(model.copy()))
    copied.shims[0].net.encoder.pieces.codes.zero_()
    copied.from_bytes(model.to_bytes())
    expected = dict(model.shims[0].net.named_buffers())
    found = dict(copied.shims[0].net.named_buffers())
    assert all(torch.equal(found[name], value) for name, value in expected.items())


def test_pieces_of_texts_are_not_for_shared_folders(folder, sample):
    with pytest.raises(ValueError, match="texts is set"):
        trained(sample, folder, save_encoder=False, texts=str(folder / "config.json"))
