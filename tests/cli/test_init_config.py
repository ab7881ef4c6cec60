"""Tests of the command `init-config`, and of training with the configs that it writes."""

import shutil

import pytest
import spacy
from spacy.cli.train import train
from spacy.util import load_config, load_model_from_config
from thinc.api import Config
from tiny import tiny_config, write_part
from tiny_encoder import write_encoder

import spacy_npparse
from spacy_npparse.laboratory import config_path, trainable_parsers


@pytest.fixture
def written(run, tmp_path):
    """Return a function that runs the command and reads the config that it wrote."""

    def write(*options):
        path = tmp_path / "new" / "config.cfg"
        result = run("init-config", path, "--force", *options)
        assert result.exit_code == 0, result.output
        return load_config(path)

    return write


@pytest.mark.parametrize(("optimize", "base"), [("accuracy", "accuracy"), ("speed", "fast")])
def test_complete_config_of_the_chosen_parser(written, optimize, base):
    config = written("--parser", "mh4", "--optimize", optimize, "--lang", "hu")
    assert config["nlp"]["lang"] == "hu"
    assert config["components"]["parser"]["factory"] == "mh4_parser"
    # The config omits the parser's default settings, which its factory adds, and no others.
    parser = config["components"]["parser"]
    assert set(parser) == {"factory", "model", "decoder"} and parser["decoder"] == {}
    original = load_config(config_path(base))
    for section in ("tok2vec", "morphologizer"):
        expected = original["components"][section]["model"]
        found = config["components"][section]["model"]
        assert {name: found[name] for name in expected if name != "tok2vec"} == {
            name: value for name, value in expected.items() if name != "tok2vec"
        }
    filled = load_model_from_config(config, auto_fill=True).config
    assert filled["components"]["parser"].pop("search") == "exact"
    filled["components"]["parser"] = config["components"]["parser"]
    assert filled == config
    assert "${components.tok2vec.model.width}" in config.to_str(interpolate=False)


@pytest.mark.parametrize(
    ("optimize", "parser"), [("accuracy", "mh4"), ("speed", "arc_hybrid_swap")]
)
def test_the_default_parser_is_that_of_the_config(written, optimize, parser):
    config = written("--optimize", optimize)
    assert config["components"]["parser"]["factory"] == f"{parser}_parser"


def test_transformer(written):
    pytest.importorskip("spacy_transformers")
    config = written("--optimize", "transformer", "--parser", "mst")
    assert config["nlp"]["pipeline"][0] == "transformer" and config["nlp"]["lang"] == "xx"
    assert config["components"]["transformer"]["model"]["name"] == "xlm-roberta-base"
    assert config["components"]["parser"]["factory"] == "mst_parser"


def test_the_factory_can_be_that_of_any_parser(written, tmp_path):
    """The documentation tells users to override the factory in `spacy train`."""
    written("--parser", "mh4_parser")
    path = tmp_path / "tiny.cfg"
    tiny_config(tmp_path / "new" / "config.cfg").to_disk(path)
    for system in trainable_parsers():
        settings = {"components.parser.factory": f"{system}_parser"}
        settings["components.parser.decoder.confidence"] = True
        nlp = load_model_from_config(load_config(path, overrides=settings), auto_fill=True)
        section = nlp.config["components"]["parser"]
        defaults = nlp.get_factory_meta(f"{system}_parser").default_config
        assert section["model"]["hidden_size"] == 16 and section["decoder"]["confidence"]
        for name in set(defaults) - {"model", "decoder"}:
            assert section[name] == defaults[name]


def test_a_parser_is_named_as_its_factory_or_its_system(run):
    texts = [run("init-config", "-", "--parser", name).stdout for name in ("mst", "mst_parser")]
    assert texts[0] == texts[1] and "mst_parser" in texts[0]


@pytest.mark.parametrize("lang", ["hu", "zh"])
def test_it_trains(written, tmp_path, lang):
    written("--parser", "mh4", "--lang", lang)
    path = tmp_path / "tiny.cfg"
    tiny_config(tmp_path / "new" / "config.cfg").to_disk(path)
    parts = {part: str(write_part(part, tmp_path / part, 10)) for part in ("train", "dev")}
    train(path, tmp_path / "model", overrides={f"paths.{part}": parts[part] for part in parts})
    meta = load_config(tmp_path / "model" / "model-best" / "config.cfg")
    assert meta["nlp"]["lang"] == lang and meta["components"]["parser"]["factory"] == "mh4_parser"


def test_standard_output(run, written):
    options = ("--parser", "covington", "--lang", "de")
    result = run("init-config", "-", *options)
    assert result.exit_code == 0 and result.stderr == ""
    assert Config().from_str(result.stdout, interpolate=False) == written(*options)


def test_files_are_overwritten_on_request_only(run, tmp_path):
    path = tmp_path / "config.cfg"
    path.write_text("mine")
    result = run("init-config", path)
    assert result.exit_code == 1 and f"{path} exists already. Give --force" in result.output
    assert path.read_text() == "mine"
    result = run("init-config", path, "--force")
    assert result.exit_code == 0 and path.read_text().startswith("[paths]")
    assert f"python -m spacy train {path}" in result.output


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--parser", "mh5"), "there is no parser 'mh5'; choose one of: arc_eager"),
        (("--lang", "zz"), "spaCy has no language 'zz'"),
        (("--code", "none.py"), "none.py: cannot be imported (FileNotFoundError"),
    ],
)
def test_errors(run, tmp_path, options, message):
    result = run("init-config", tmp_path / "config.cfg", *options)
    assert result.exit_code == 1 and message in result.output
    assert "Traceback" not in result.output and not list(tmp_path.iterdir())


def test_unknown_config():
    with pytest.raises(ValueError, match="choose one of: accuracy, ensemble, fast, transformer"):
        config_path("quick")


def test_version(run):
    assert run("--version").output == f"spacy_npparse {spacy_npparse.__version__}\n"


def test_a_pretrained_encoder(written, tmp_path):
    encoder = write_encoder(tmp_path / "encoder")
    config = written("--parser", "mh4", "--optimize", "transformer", "--encoder", encoder)
    transformer = config["components"]["tok2vec"]["model"]["transformer"]
    assert transformer["folder"] == str(encoder) and transformer["dropout"] == 0.3
    assert config["nlp"]["pipeline"][0] == "tok2vec"
    path = tmp_path / "tiny.cfg"
    tiny_config(tmp_path / "new" / "config.cfg").to_disk(path)
    overrides = {
        f"paths.{part}": str(write_part(part, tmp_path / f"{part}.conllu", 3))
        for part in ("train", "dev")
    }
    train(path, tmp_path / "trained", overrides=overrides)
    shutil.rmtree(encoder)
    doc = spacy.load(tmp_path / "trained" / "model-last")("So ein Haus. Und noch eins.")
    assert doc.has_annotation("DEP")


def test_no_pretrained_encoder(run, tmp_path):
    result = run("init-config", "-", "--optimize", "transformer", "--encoder", tmp_path)
    assert result.exit_code == 1 and "there is no config.json" in result.output
    result = run("init-config", "-", "--encoder", tmp_path)
    assert result.exit_code == 1 and "--encoder needs --optimize transformer" in result.output
