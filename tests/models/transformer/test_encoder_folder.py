"""Folders that cannot be used are refused, with what is wrong and what to do."""

import json
import shutil

import pytest
import torch
from safetensors.torch import load_file, save_file
from tiny_encoder import DEPTH, FAMILIES, HIDDEN, INNER, POSITIONS, write_encoder

from spacy_npparse.errors import UserError
from spacy_npparse.models.transformer import Transformer
from spacy_npparse.models.transformer.folder import EncoderFolder
from spacy_npparse.models.transformer.weights import EncoderWeights


def refusal(folder):
    """The message, as commands show it."""
    with pytest.raises(UserError) as caught:
        Transformer(str(folder), layers=[DEPTH]).initialize()
    message = str(caught.value)
    assert message.startswith(f"{folder}: ") and message.endswith((".", '"'))
    return message


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.safetensors"])
def test_missing_files(name, tmp_path):
    (write_encoder(tmp_path) / name).unlink()
    message = refusal(tmp_path)
    assert f"there is no {name}" in message
    assert ("save_pretrained" in message) == (name != "config.json")


def test_no_folder(tmp_path):
    assert "Give the folder" in refusal(tmp_path / "nowhere")


def test_pickled_weights_are_not_read(tmp_path):
    weights = write_encoder(tmp_path) / "model.safetensors"
    weights.rename(tmp_path / "pytorch_model.bin")
    message = refusal(tmp_path)
    assert "pickle files are not read" in message and "save_pretrained('NEW')" in message


@pytest.mark.parametrize(
    "changes, named",
    [
        ({"model_type": "deberta-v2"}, "model_type is 'deberta-v2'"),
        ({"model_type": ["bert"]}, "model_type is ['bert']"),
        ({"hidden_size": -1}, "hidden_size is -1"),
        ({"hidden_size": "12"}, "hidden_size is '12'"),
        ({"num_hidden_layers": True}, "num_hidden_layers is True"),
        ({"vocab_size": 2**40}, "vocab_size"),
        ({"vocab_size": 2**29}, "word_embeddings.weight has the shape"),
        ({"intermediate_size": 60000}, "intermediate.dense.weight has the shape"),
        ({"max_position_embeddings": 15}, "15 positions"),
        ({"max_position_embeddings": 40}, "position_embeddings.weight has the shape"),
        ({"hidden_act": "relu"}, "hidden_act is 'relu'"),
        ({"position_embedding_type": "relative_key"}, "position_embedding_type"),
        ({"is_decoder": True}, "is_decoder is True"),
        ({"num_attention_heads": 5}, "not a multiple of num_attention_heads"),
        ({"layer_norm_eps": "x"}, "layer_norm_eps is 'x'"),
        ({"auto_map": {"AutoModel": "code.Model"}, "model_type": "own"}, "model_type is 'own'"),
    ],
)
def test_configurations(changes, named, tmp_path):
    assert named in refusal(write_encoder(tmp_path, **changes))


@pytest.mark.parametrize("contents", ["", "[]", "{", "null", "[" * 10_000, "\0"])
def test_malformed_configurations(contents, tmp_path):
    (write_encoder(tmp_path) / "config.json").write_text(contents)
    assert "config.json" in refusal(tmp_path)


@pytest.mark.parametrize(
    "contents", ["", "{}", "null", "[]", '{"version": "1.0", "model": {"type": "Unigram"}}']
)
def test_malformed_pieces(contents, tmp_path):
    (write_encoder(tmp_path) / "tokenizer.json").write_text(contents)
    assert "tokenizer.json cannot be used" in refusal(tmp_path)


def test_pieces_without_ends(tmp_path):
    path = write_encoder(tmp_path) / "tokenizer.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"post_processor": None}))
    assert "tokenizer.json cannot be used" in refusal(tmp_path)


def test_more_pieces_than_the_encoder_has(tmp_path):
    path = write_encoder(tmp_path) / "tokenizer.json"
    contents = json.loads(path.read_text())
    contents["model"]["vocab"]["new"] = 5000
    path.write_text(json.dumps(contents))
    assert "has 5001 pieces" in refusal(tmp_path)


@pytest.mark.parametrize("n_bytes", [0, 4, 100, 3000])
def test_weights_that_are_cut_off(n_bytes, tmp_path):
    path = write_encoder(tmp_path) / "model.safetensors"
    path.write_bytes(path.read_bytes()[:n_bytes])
    assert "model.safetensors is damaged" in refusal(tmp_path)


def test_weights(tmp_path):
    path = write_encoder(tmp_path) / "model.safetensors"
    weights = load_file(path)
    name = "encoder.layer.1.output.dense.weight"
    for value, expected in [
        (None, f"has no {name}"),
        (torch.zeros(INNER, HIDDEN), f"{name} has the shape ({INNER}, {HIDDEN})"),
        (torch.full((HIDDEN, INNER), torch.nan), f"{name} has values that are not finite"),
    ]:
        others = {key: old for key, old in weights.items() if key != name}
        save_file(others if value is None else {**others, name: value}, path)
        assert expected in refusal(tmp_path)


@pytest.mark.parametrize("family", FAMILIES)
def test_weights_by_other_names(family, tmp_path):
    """Of models for some task, and of the first versions of BERT; in half precision."""
    plain, renamed = (write_encoder(tmp_path / name, family) for name in ("plain", "renamed"))
    weights = load_file(plain / "model.safetensors")
    other = {
        f"{family}.{name}".replace("Norm.weight", "Norm.gamma").replace("Norm.bias", "Norm.beta"): (
            value
        )
        for name, value in weights.items()
    }
    save_file(other | {"cls.bias": torch.zeros(3)}, renamed / "model.safetensors")
    models = [Transformer(str(folder), layers=[1, DEPTH]) for folder in (plain, renamed)]
    for model in models:
        model.initialize()
    nets = [model.shims[0].net.encoder.state_dict() for model in models]
    assert all(torch.equal(value, nets[1][name]) for name, value in nets[0].items())
    save_file({name: value.half() for name, value in weights.items()}, plain / "model.safetensors")
    models[0].initialize()


def test_few_layers_are_read(tmp_path):
    """Those above need not even be there."""
    path = write_encoder(tmp_path) / "model.safetensors"
    weights = load_file(path)
    kept = {name: value for name, value in weights.items() if "layer.3." not in name}
    save_file(kept, path)
    Transformer(str(tmp_path), layers=[1, 3]).initialize()
    assert "encoder.layer.3" in refusal(tmp_path)


def test_longest_sequences(tmp_path):
    shutil.rmtree(write_encoder(tmp_path / "once"))
    for family in FAMILIES:
        folder = EncoderFolder.open(write_encoder(tmp_path / family, family))
        assert folder.n_positions == POSITIONS
        assert EncoderWeights(folder, 1).sizes["n_positions"] == POSITIONS
