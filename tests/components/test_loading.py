"""Loading a parser refuses files that are damaged or do not belong together."""

import shutil

import pytest
import spacy
import srsly
from parser_helpers import TINY_ENCODER

REMEDY = "Copy the whole folder of the pipeline again .* or train it again"


@pytest.fixture
def saved(shared, tmp_path):
    """Save a pipeline, and one with another system beside it; return the folder of the first."""
    for name in ("arc_hybrid_swap", "arc_hybrid"):
        shared(name).to_disk(tmp_path / name)
    return tmp_path / "arc_hybrid_swap"


def change_cfg(folder, change):
    cfg = srsly.read_json(folder / "parser" / "cfg")
    change(cfg)
    srsly.write_json(folder / "parser" / "cfg", cfg)


def refusal(folder, message, **settings):
    place = rf"Cannot load component 'parser' from .*{folder.name}.parser: "
    with pytest.raises(ValueError, match=place + message) as error:
        spacy.load(folder, **settings)
    return str(error.value)


@pytest.mark.parametrize(
    "files, message",
    [(["cfg"], "no cfg"), (["model"], "no model"), (["cfg", "model"], "no cfg and no model")],
)
def test_missing_files(saved, files, message):
    for file in files:
        (saved / "parser" / file).unlink()
    refusal(saved, rf"there is {message}\. {REMEDY}")


def test_missing_folder(saved):
    shutil.rmtree(saved / "parser")
    refusal(saved, f"there is no cfg and no model.*{REMEDY}")


@pytest.mark.parametrize("file", ["cfg", "model"])
@pytest.mark.parametrize("share", [0.0, 0.5, 0.95])
def test_truncated_files(saved, file, share):
    path = saved / "parser" / file
    data = path.read_bytes()
    path.write_bytes(data[: int(share * len(data))])
    refusal(saved, f".*{REMEDY}")


@pytest.mark.parametrize("content", [[], {}, {"labels": "obj"}, {"labels": [], "system": None}])
def test_settings_without_content(saved, content):
    srsly.write_json(saved / "parser" / "cfg", content)
    refusal(saved, f"its cfg has no '(labels|system)'.*{REMEDY}")


def one_less(cfg):
    cfg["labels"].pop(0)


def one_more(cfg):
    cfg["labels"].insert(0, "acl:new")


def other_order(cfg):
    cfg["labels"].reverse()


def one_renamed(cfg):
    cfg["labels"][0] = "acl:new"


@pytest.mark.parametrize("change", [one_less, one_more])
def test_a_wrong_number_of_labels(saved, change):
    change_cfg(saved, change)
    refusal(saved, rf".*n_labels = \d+, but .* has \d+.*{REMEDY}")


@pytest.mark.parametrize("change", [other_order, one_renamed])
def test_labels_of_another_training(saved, change):
    change_cfg(saved, change)
    refusal(saved, f"its cfg has other labels or settings than its model.*{REMEDY}")


def change_model(folder, change):
    """Change the nodes of the saved model, the first of which is the parser's own."""
    path = folder / "parser" / "model"
    model = srsly.read_msgpack(path)
    change(model)
    srsly.write_msgpack(path, model)


def empty_checksum(model):
    model["attrs"][0]["settings"] = srsly.msgpack_dumps("")


def no_checksum(model):
    del model["attrs"][0]["settings"]


@pytest.mark.parametrize("change", [empty_checksum, no_checksum])
def test_models_without_their_checksum(saved, change):
    change_model(saved, change)
    change_cfg(saved, other_order)
    refusal(saved, f"its cfg has other labels .*or the checksum of these is missing.*{REMEDY}")


@pytest.mark.parametrize("value", [0, -1, "32", 10**9, True])
def test_lengths_that_no_encoder_has(saved, value):
    def change(model):
        [attributes] = [one for one in model["attrs"] if "max_chars" in one]
        attributes["max_chars"] = srsly.msgpack_dumps(value)

    change_model(saved, change)
    refusal(saved, f"Cannot load char_bilstm: its max_chars is {value!r}, but must be .*{REMEDY}")


@pytest.mark.parametrize("node", ["parser", "char_bilstm"])
def test_models_without_their_weights(saved, node):
    def change(model):
        [number] = [i for i, one in enumerate(model["nodes"]) if one["name"] == node]
        shim = srsly.msgpack_loads(model["shims"][number][0])
        shim["weights"] = {}
        model["shims"][number] = [srsly.msgpack_dumps(shim)]

    change_model(saved, change)
    refusal(saved, f"Cannot load the weights of .*: they are missing.*{REMEDY}")


def test_tables_are_those_of_the_weights(saved):
    """Version 0.2 saved the sizes of tables as attributes, too, which are now ignored."""

    def change(model):
        [attributes] = [one for one in model["attrs"] if "max_chars" in one]
        assert "char_rows" not in attributes
        attributes.update({name: srsly.msgpack_dumps(0) for name in ("char_rows", "affix_rows")})

    change_model(saved, change)
    assert spacy.load(saved)("Wir haben das Haus gesehen .").has_annotation("DEP")


def test_settings_of_another_system(saved):
    shutil.copy(saved.parent / "arc_hybrid" / "parser" / "cfg", saved / "parser" / "cfg")
    refusal(saved, "it was trained as 'arc_hybrid' .* use the factory arc_hybrid_parser")


def test_a_network_of_another_system(saved):
    shutil.copy(saved.parent / "arc_hybrid" / "parser" / "model", saved / "parser" / "model")
    refusal(saved, f".*n_(transitions|positions|candidate_arcs) = .*{REMEDY}")


def test_a_system_renamed_in_the_settings(saved):
    """The networks of arc_standard and arc_hybrid have the same sizes."""
    folder = saved.parent / "arc_hybrid"
    change_cfg(folder, lambda cfg: cfg.update(system="arc_standard"))
    config = (folder / "config.cfg").read_text(encoding="utf8")
    config = config.replace("arc_hybrid_parser", "arc_standard_parser")
    (folder / "config.cfg").write_text(config, encoding="utf8")
    refusal(folder, f".*{REMEDY}")


CNN = {
    "@architectures": "spacy.HashEmbedCNN.v2", "pretrained_vectors": None, "width": 16, "depth": 1,
    "embed_size": 20, "window_size": 1, "maxout_pieces": 2, "subword_features": False,
}  # fmt: skip


@pytest.mark.parametrize("encoder", [{**TINY_ENCODER, "width": 32}, CNN], ids=["width", "kind"])
def test_another_encoder_in_the_config(saved, encoder):
    config = spacy.util.load_config(saved / "config.cfg")
    config["components"]["parser"]["model"]["tok2vec"] = encoder
    config.to_disk(saved / "config.cfg")
    refusal(saved, f".*{REMEDY}")


def test_sizes_of_the_encoder_come_from_the_file(saved):
    """The sizes belong to the weights, so that the config cannot change them."""
    overrides = {"components.parser.model.tok2vec.affix_rows": 100}
    loaded = spacy.load(saved, config=overrides)
    assert loaded("Wir haben das Haus gesehen .").has_annotation("DEP")


def test_bytes_without_a_part(shared, make_nlp):
    """`from_bytes` keeps what `to_bytes` has left out, but refuses weights without their labels."""
    whole = shared().get_pipe("parser")
    parser = make_nlp().get_pipe("parser").from_bytes(whole.to_bytes(exclude=["vocab", "model"]))
    assert parser.label_data == whole.label_data
    with pytest.raises(ValueError, match=rf"component 'parser' .* n_labels = 0, .*{REMEDY}"):
        make_nlp().get_pipe("parser").from_bytes(whole.to_bytes(exclude=["vocab", "cfg"]))


def damaged(data, damage):
    parts = srsly.msgpack_loads(data)
    if damage == "labels":
        cfg = srsly.json_loads(parts["cfg"])
        one_less(cfg)
        parts["cfg"] = srsly.json_dumps(cfg)
    elif damage == "model":
        parts["model"] = parts["model"][:-100]
    return data[:-1] if damage == "end" else srsly.msgpack_dumps(parts)


@pytest.mark.parametrize("damage", ["labels", "model", "end"])
def test_damaged_bytes(shared, make_nlp, damage):
    data = shared().get_pipe("parser").to_bytes()
    with pytest.raises(ValueError, match=f"Cannot load component 'parser' from .*{REMEDY}"):
        make_nlp().get_pipe("parser").from_bytes(damaged(data, damage))


def test_a_part_can_be_left_out(shared, make_nlp):
    """With spaCy's `nlp.from_disk`, users can leave out parts of every component."""
    whole = shared().get_pipe("parser")
    parser = make_nlp().get_pipe("parser").from_bytes(whole.to_bytes(), exclude=["model"])
    assert parser.label_data == whole.label_data
    parser.from_bytes(whole.to_bytes(), exclude=["cfg"])
    assert parser.model.shims[0].is_initialized
