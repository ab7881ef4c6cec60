"""Tests of saving and loading."""

import pickle

import pytest
import spacy
import torch
from parser_helpers import TINY_MODEL
from spacy.tokens import Doc

from spacy_npparse.systems import get_transition_system


def trees(nlp, words=("Wir", "haben", "das", "Haus", "gesehen", ".")):
    doc = nlp(Doc(nlp.vocab, words=list(words)))
    return [(t.head.i, t.dep_) for t in doc]


def assert_same_weights(one, two):
    state = one.get_pipe("parser").model.shims[0].net.state_dict()
    other = two.get_pipe("parser").model.shims[0].net.state_dict()
    assert all(torch.equal(state[key], other[key]) for key in state)


def test_to_disk_and_back(trained, tmp_path):
    trained.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    assert loaded.get_pipe("parser").labels == trained.get_pipe("parser").labels
    assert_same_weights(trained, loaded)
    assert trees(loaded) == trees(trained)
    assert (tmp_path / "parser" / "model").read_bytes()


def test_to_bytes_and_back(trained, make_nlp):
    loaded = make_nlp().from_bytes(trained.to_bytes())
    assert loaded.get_pipe("parser").labels == trained.get_pipe("parser").labels
    assert_same_weights(trained, loaded)
    assert trees(loaded) == trees(trained)


def test_sizes_come_from_the_file(trained, make_nlp, tmp_path):
    trained.to_disk(tmp_path)
    nlp = make_nlp(model={**TINY_MODEL, "hidden_size": 24})
    nlp.get_pipe("parser").from_disk(tmp_path / "parser", exclude=["vocab"])
    assert trees(nlp) == trees(trained)


def test_training_goes_on_after_loading(trained, sample, tmp_path):
    trained.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    optimizer = loaded.resume_training()
    optimizer.learn_rate = 0.01
    losses = [loaded.update(sample(loaded), sgd=optimizer)["parser"] for _ in range(6)]
    assert min(losses[3:]) < losses[0]


def test_warm_up_does_not_begin_again(make_nlp, sample):
    nlp = make_nlp(exploration={"warm_up": 2})
    optimizer = nlp.initialize(lambda: sample(nlp, limit=2))
    for _ in range(2):
        nlp.update(sample(nlp, limit=2), sgd=optimizer)
    loaded = make_nlp(exploration={"warm_up": 2}).from_bytes(nlp.to_bytes())
    parser = loaded.get_pipe("parser")
    assert parser.settings.exploration_at(parser.network.shim.net.progress.n_updates) is not None
    loaded.initialize(lambda: sample(loaded, limit=2))
    assert parser.settings.exploration_at(parser.network.shim.net.progress.n_updates) is None


def test_what_is_no_setting_is_not_among_the_settings(trained):
    settings = {
        "labels",
        "decorated",
        "system",
        "temperatures",
        "pseudo_projective",
        "positions",
        "encoder",
        "label_rules",
    }
    assert set(trained.get_pipe("parser").cfg) == settings


def test_component_is_sourced_into_another_pipeline(trained):
    nlp = spacy.blank("xx", vocab=trained.vocab)
    nlp.add_pipe("parser", source=trained)
    assert trees(nlp) == trees(trained)


def test_uninitialized_component_is_saved_and_loaded(make_nlp, tmp_path):
    make_nlp().to_disk(tmp_path)
    with pytest.raises(ValueError, match=r"nlp\.initialize\(\)"):
        spacy.load(tmp_path)("Hallo")


def test_an_uninitialized_component_is_loaded_into_a_trained_one(trained, make_nlp):
    trained.from_bytes(make_nlp().to_bytes())
    with pytest.raises(ValueError, match=r"nlp\.initialize\(\)"):
        trained("Hallo")


def test_nothing_is_pickled(trained, tmp_path, monkeypatch):
    def forbidden(*args, **kwargs):
        raise AssertionError("pickled")

    for module, name in [(torch, "save"), (torch, "load"), (pickle, "dumps"), (pickle, "loads")]:
        monkeypatch.setattr(module, name, forbidden)
    trained.to_disk(tmp_path)
    spacy.load(tmp_path)
    model = (tmp_path / "parser" / "model").read_bytes()
    assert b"PK\x03\x04" not in model  # a zip, as torch.save writes it
    assert b"torch._utils" not in model and b"collections\nOrderedDict" not in model


@pytest.mark.parametrize("damage", ["truncated", "garbled", "empty", "inside"])
def test_damaged_model_file_is_named(trained, tmp_path, damage):
    trained.to_disk(tmp_path)
    file = tmp_path / "parser" / "model"
    data = file.read_bytes()
    file.write_bytes(
        {
            "truncated": data[: len(data) // 2],
            "garbled": b"\xff\x00" + data[2:],
            "empty": b"",
            "inside": data.replace(b"hidden_bias", b"hidden_biaz"),
        }[damage]
    )
    with pytest.raises(ValueError, match="Cannot load component 'parser' from .*parser"):
        spacy.load(tmp_path)


def test_damaged_settings_file_is_named(trained, tmp_path):
    trained.to_disk(tmp_path)
    (tmp_path / "parser" / "cfg").write_text("{", encoding="utf8")
    with pytest.raises(ValueError, match="Cannot load component 'parser' from .*parser"):
        spacy.load(tmp_path)


def test_weights_of_another_system_are_refused(trained, make_nlp, tmp_path):
    trained.to_disk(tmp_path)
    other = make_nlp("arc_hybrid").get_pipe("parser")
    with pytest.raises(ValueError, match="arc_hybrid_swap.*'arc_hybrid'.*arc_hybrid_swap_parser"):
        other.from_disk(tmp_path / "parser", exclude=["vocab"])
    with pytest.raises(ValueError, match="arc_hybrid_swap.*'arc_hybrid'.*arc_hybrid_swap_parser"):
        other.from_bytes(trained.get_pipe("parser").to_bytes())


@pytest.mark.parametrize("system", ["arc_hybrid_swap", "covington", "mh4"])
def test_positions_are_those_that_were_trained(make_nlp, sample, system, tmp_path):
    nlp = make_nlp(system, positions="s0+b0")
    nlp.initialize(lambda: sample(nlp))
    net = nlp.get_pipe("parser").model.shims[0].net
    assert net.padding.shape[0] == 2
    assert net.arc_weights.shape[0] == 2  # s0 → b0 and b0 → s0
    nlp.update(sample(nlp), sgd=nlp.create_optimizer())
    nlp.to_disk(tmp_path)
    assert trees(spacy.load(tmp_path)) == trees(nlp)
    for other in (None, "s1+s0+b0"):
        with pytest.raises(ValueError, match=r"positions = 's0\+b0' and cannot be used with 's"):
            spacy.load(tmp_path, config={"components.parser.positions": other})


def test_the_positions_of_a_system_may_be_named(trained, tmp_path):
    trained.to_disk(tmp_path)
    names = "+".join(get_transition_system("arc_hybrid_swap").position_names)
    loaded = spacy.load(tmp_path, config={"components.parser.positions": names})
    assert trees(loaded) == trees(trained)


def test_exact_search_is_not_greedy_search(make_nlp, sample, tmp_path):
    """The networks for the two searches differ, but the error names the setting."""
    nlp = make_nlp("mh4, exact")
    nlp.initialize(lambda: sample(nlp))
    nlp.to_disk(tmp_path)
    with pytest.raises(ValueError, match="trained with search = 'exact' and cannot .* 'greedy'"):
        spacy.load(tmp_path, config={"components.parser.search": "greedy"})
