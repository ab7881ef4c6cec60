"""Tests of the option `--treebank` of the commands that run a pipeline."""

import json

import pytest
import spacy
from small_corpora import InlineWorkers
from spacy.util import fix_random_seed
from tiny import write_part

from spacy_npparse.cli import annotate as command
from spacy_npparse.scaling.manifest import read_manifest
from spacy_npparse.treebank import ConlluCorpus, read_conllu

ENCODER = {
    "@architectures": "spacy_npparse.CharBiLSTM.v1",
    "width": 16,
    "depth": 1,
    "word_width": 8,
    "char_width": 4,
    "treebank_embedding": True,
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("treebanks")
    return [write_part("dev", folder / f"{name}-ud-dev.conllu", 12) for name in ("aa", "bb")]


@pytest.fixture(scope="module")
def joint(files, tmp_path_factory):
    """Return a pipeline with random weights; with this seed, its trees depend on the treebank."""
    fix_random_seed(0)
    nlp = spacy.blank("xx")
    model = {"@architectures": "spacy_npparse.Parser.v1", "tok2vec": ENCODER}
    nlp.add_pipe("arc_hybrid_swap_parser", config={"model": model})
    examples = list(ConlluCorpus([str(path) for path in files])(nlp))
    nlp.initialize(lambda: examples)
    encoder = nlp.get_pipe("arc_hybrid_swap_parser").model.get_ref("tok2vec")
    encoder.shims[0].net.treebank_embedding.data *= 10
    folder = tmp_path_factory.mktemp("pipeline") / "model"
    nlp.to_disk(folder)
    return folder


def trees(path):
    return [[word.head for word in sentence.words] for sentence in read_conllu(path)]


@pytest.fixture
def parsed(run, joint, files, tmp_path):
    """Return a function that runs a command, and returns the trees and the printed output."""

    def parse(*options, name="parse", source=files[0]):
        target = tmp_path / "parsed.conllu"
        arguments = (source, target) if name == "parse" else (source, "--output", target)
        result = run(name, joint, *arguments, *options)
        assert result.exit_code == 0, result.output
        return trees(target), result.output

    return parse


def test_parse(parsed, caplog):
    first, _ = parsed("--treebank", "aa")
    second, _ = parsed("--treebank", "bb")
    assert first != second
    assert parsed("--treebank", "aa=0,bb=1")[0] == second
    assert not caplog.messages
    mean, _ = parsed()
    assert mean == parsed("--treebank", "aa=0.5,bb=0.5")[0]
    assert "mean of the embeddings of aa, bb" in caplog.text


def test_evaluate_takes_the_treebank_of_the_file(parsed, files, tmp_path):
    first, second = (parsed("--treebank", name)[0] for name in ("aa", "bb"))
    found, output = parsed(name="evaluate")
    assert found == first and "gold tokens and sentences, treebank aa: " in output
    assert parsed(name="evaluate", source=files[1])[0] == second
    found, output = parsed("--treebank", "bb", name="evaluate")
    assert found == second and "treebank bb: " in output
    # The name of this file matches no treebank that the pipeline knows.
    unknown = tmp_path / "other.conllu"
    unknown.write_bytes(files[0].read_bytes())
    assert "treebank" not in parsed(name="evaluate", source=unknown)[1].split("words/s")[0]


def test_derivations_depend_on_the_treebank(run, joint, files):
    shown = [
        run("derive", files[0], "--model", joint, "--treebank", name).stdout
        for name in ("aa", "bb", "aa=0,bb=1")
    ]
    assert "" != shown[0] != shown[1] == shown[2]


def test_evaluate_keeps_a_saved_setting(run, joint, files, tmp_path, parsed):
    setting = "components.arc_hybrid_swap_parser.model.tok2vec.treebank"
    spacy.load(joint, config={setting: "bb"}).to_disk(tmp_path / "saved")
    result = run("evaluate", tmp_path / "saved", files[0], "--output", tmp_path / "p.conllu")
    assert result.exit_code == 0, result.output
    assert trees(tmp_path / "p.conllu") == parsed("--treebank", "bb")[0]


def test_annotate(run, joint, files, parsed, tmp_path, monkeypatch):
    monkeypatch.setattr(command, "Workers", lambda number, begin, job: InlineWorkers(job))
    for name in ("aa", "bb"):
        out = tmp_path / name
        result = run("annotate", joint, files[0], out, "--treebank", name)
        assert result.exit_code == 0, result.output
        [shard] = (out / "shards").iterdir()
        assert trees(shard) == parsed("--treebank", name)[0]
        assert read_manifest(out).settings["treebank"] == name
    result = run("annotate", joint, files[0], tmp_path / "aa", "--treebank", "bb")
    assert result.exit_code == 1 and "treebank: aa before, bb now" in result.output


@pytest.mark.parametrize("treebank", ["cc", "aa=0.5", "aa=0.5,cc=0.5", "aa=x"])
def test_unknown_treebanks_are_refused(run, joint, files, tmp_path, treebank):
    for name, *arguments in (
        ("parse", files[0], tmp_path / "out.conllu"),
        ("evaluate", files[0]),
        ("annotate", files[0], tmp_path / "out"),
    ):
        result = run(name, joint, *arguments, "--treebank", treebank)
        assert result.exit_code == 1 and f"The treebank is '{treebank}'" in result.output
        assert "Traceback" not in result.output
    assert not list(tmp_path.iterdir())


def test_pipelines_without_treebank_embeddings_refuse_the_option(run, model, dev, tmp_path):
    result = run("parse", model, dev, tmp_path / "out.conllu", "--treebank", "aa")
    assert result.exit_code == 1 and "without treebank embeddings" in result.output
    result = run("evaluate", model, dev, "--json", tmp_path / "scores.json")
    assert result.exit_code == 0
    assert json.loads((tmp_path / "scores.json").read_text())["official"]
