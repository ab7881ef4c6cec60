"""Tests of the contestants of a leaderboard, and of their settings."""

from dataclasses import replace
from pathlib import Path

import pytest
from spacy.util import load_config, load_model_from_config
from thinc.api import Config
from tiny import write_part

from spacy_npparse.laboratory import Task, contestant, pipeline, trainable_parsers, udpipe
from spacy_npparse.laboratory.component import ComponentPipeline
from spacy_npparse.laboratory.spacy_parser import SpacyPipeline
from spacy_npparse.systems import transition_systems

CONFIG = Path(__file__).parents[2] / "configs" / "accuracy.cfg"
TASK = Task(Path("train.conllu"), Path("dev.conllu"), CONFIG, 10)


def test_names_may_be_those_of_factories():
    found = contestant("mh4_parser,label_rules=off")
    assert found == contestant("mh4,label_rules=off") and found.name == "mh4,label_rules=off"
    assert contestant("mst_parser") == contestant("mst")


def test_every_parser_with_a_model_is_found():
    parsers = trainable_parsers()
    assert set(transition_systems.get_all()) < set(parsers)
    assert {"mst", "mh3", "one_endpoint_crossing"} < set(parsers)
    assert "ensemble" not in parsers and parsers == sorted(parsers)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("arc_hybird", "there is no parser 'arc_hybird'. There are: arc_eager, .*, spacy, udpipe"),
        ("ensemble", "there is no parser"),
        ("mh4,greedy", "'greedy' should be NAME=VALUE"),
        ("mh4,=greedy", "'=greedy' should be NAME=VALUE"),
        ("mh4,search=a/b", "'search=a/b' must not contain '/'"),
    ],
)
def test_wrong_names(name, message):
    with pytest.raises(ValueError, match=message):
        contestant(name)


def test_udpipe_is_trained_on_all_treebanks(tmp_path, monkeypatch):
    files = [write_part("dev", tmp_path / f"{name}.conllu", 3) for name in ("a", "b")]
    # UDPipe does not know byte order marks.
    files[1].write_bytes(b"\xef\xbb\xbf" + files[1].read_bytes())
    task = Task(files[0], files[0], CONFIG, None, others=(files[1],))
    commands = []
    monkeypatch.setattr(udpipe, "run_module", lambda command, log: commands.append(command))
    contestant("udpipe").train(task, 0, tmp_path)
    assert commands[0][-2:] == files
    assert len(udpipe.read_files(commands[0][-2:])) == 6


@pytest.mark.parametrize("name", ["mst", "spacy"])
def test_the_dev_file_stops_no_training(name, tmp_path, monkeypatch):
    config = load_config(CONFIG)
    config["training"]["patience"] = 5
    config.to_disk(tmp_path / "patient.cfg")
    (tmp_path / "model-best").mkdir()
    monkeypatch.setattr(pipeline, "run_module", lambda command, log: None)
    contestant(name).train(replace(TASK, config=tmp_path / "patient.cfg"), 0, tmp_path)
    assert load_config(tmp_path / "config.cfg")["training"]["patience"] == 0


def test_settings_are_put_into_the_config():
    found = contestant("arc_standard,oracle=static,exploration.warm_up=7,pseudo_projective=path")
    assert isinstance(found, ComponentPipeline)
    config = found.config(TASK)
    original = Config().from_disk(CONFIG, interpolate=False)
    component = config["components"].pop("parser")
    model = original["components"].pop("parser")["model"]
    assert component == {
        "factory": "arc_standard_parser",
        "oracle": "static",
        "exploration": {"warm_up": 7},
        "pseudo_projective": "path",
        "model": model,
    }
    assert config == original


def test_explicit_defaults_of_the_replaced_parser_do_not_carry_over(tmp_path):
    path = tmp_path / "complete.cfg"
    greedy = {"components.parser.factory": "arc_hybrid_swap_parser"}
    config = load_config(TASK.config, overrides=greedy)
    complete = load_model_from_config(config, auto_fill=True).config
    assert complete["components"]["parser"]["oracle"] == "static-dynamic"
    complete["components"]["parser"]["loss"] = "margin"
    complete.to_disk(path)
    task = Task(TASK.train, TASK.dev, path, None)
    component = contestant("mst").config(task)["components"]["parser"]
    # Other values than the defaults carry over.
    assert component.pop("model") == complete["components"]["parser"]["model"]
    assert component == {"factory": "mst_parser", "loss": "margin"}


def test_the_decoder_needs_no_training_of_its_own():
    found = contestant("attardi,decoder.beam_width=4,oracle=static")
    assert found.model_name == "attardi,oracle=static"
    assert found.overrides() == {"components.parser.decoder.beam_width": 4}
    assert "decoder" not in found.config(TASK)["components"]["parser"]


def test_unless_derivations_are_trained_with_the_beam():
    found = contestant("attardi,decoder.beam_width=4,loss=max-violation")
    assert found.model_name == found.name and found.overrides() == {}
    assert found.config(TASK)["components"]["parser"]["decoder"] == {"beam_width": 4}


def test_which_a_config_alone_cannot_ask_for(tmp_path):
    path = tmp_path / "global.cfg"
    path.write_text(
        '[components]\n\n[components.parser]\nfactory = x\nloss = "max-violation"\n\n'
        "[paths]\n\n[system]\n\n[training]\n"
    )
    with pytest.raises(ValueError, match="instead: attardi,loss=max-violation"):
        contestant("attardi").config(Task(TASK.train, TASK.dev, path, None))


@pytest.mark.parametrize(
    "name, message",
    [
        ("mh4,oracel=static", "^'mh4,oracel=static': mh4_parser.oracel: unexpected argument"),
        ("mst,model.hiden_size=12", "unexpected argument: 'hiden_size'"),
        ("attardi,oracle=none", "oracle is 'none', but must be one of: static"),
        ("attardi,decoder.beam=4", "decoder.beam is not a setting; choose from: confidence"),
    ],
)
def test_settings_are_checked_before_training(name, message):
    with pytest.raises(ValueError, match=message):
        contestant(name).check(TASK)


def test_known_settings_are_accepted():
    contestant("attardi,oracle=static,model.hidden_size=12,decoder.beam_width=4").check(TASK)


def test_a_config_without_parser_is_refused(tmp_path):
    path = tmp_path / "none.cfg"
    path.write_text("[components]\n\n[components.tagger]\nfactory = tagger\n")
    with pytest.raises(ValueError, match="none.cfg: there is no component 'parser'"):
        contestant("mh4").config(Task(TASK.train, TASK.dev, path, None))


def test_the_baseline_of_spacy():
    found = contestant("spacy")
    assert isinstance(found, SpacyPipeline) and found.is_peer
    config = found.config(TASK)
    assert config["nlp"]["lang"] == "xx" and "parser" in config["nlp"]["pipeline"]
    assert config["components"]["parser"]["min_action_freq"] == 1
    # The parser learns to find sentence boundaries, because no component presets them.
    assert "senter" not in config["nlp"]["pipeline"]
    train = config["corpora"]["train"]
    assert train["sentences_per_doc"] > 1 and train["gold_sentences"] is False
