"""The project workflows with a tiny model and a few training steps."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import in_process
import pytest
import spacy
from spacy.util import load_config
from tiny import tiny_config, write_part
from weasel.cli.assets import project_assets
from weasel.cli.run import project_run

from spacy_npparse.models import known_treebanks
from spacy_npparse.treebank import raw_texts, read_conllu

ROOT = Path(__file__).parents[2]
SAMPLE = "assets/sample_treebank"
TINY = {"vars.config": "configs/tiny.cfg", "vars.sample_config": "configs/tiny.cfg"}

pytestmark = pytest.mark.slow


@pytest.fixture
def project(tmp_path):
    """Copy the project with a smaller treebank and a config that trains fast."""
    folder = tmp_path / "project"
    shutil.copytree(ROOT / "configs", folder / "configs")
    shutil.copytree(ROOT / SAMPLE, folder / SAMPLE)
    for part in ("train", "dev", "test"):
        write_part(part, folder / SAMPLE / f"sample-ud-{part}.conllu", 40)
    shutil.copy(ROOT / "project.yml", folder)
    tiny_config().to_disk(folder / "configs" / "tiny.cfg")
    return folder


@pytest.fixture
def run(project, monkeypatch, capfd):
    """Return a function that runs a workflow or command of the project in this process."""
    monkeypatch.setattr("weasel.cli.run.run_command", in_process.run_command)

    def run_workflow(name, **overrides):
        project_run(project, name, overrides={**TINY, **overrides})
        return capfd.readouterr().out

    return run_workflow


def test_joint(project, run):
    shutil.copytree(project / SAMPLE, project / "assets" / "other")
    treebanks = {
        "vars.treebanks": f"{SAMPLE} assets/other",
        "vars.treebank": "other",
        "vars.joint_steps": 4,
    }
    run("joint", **treebanks)
    path = project / "training" / "joint" / "mh4_parser" / "model-best"
    assert known_treebanks(spacy.load(path)) == ["other", "sample_treebank"]
    # A treebank that has changed is copied again.
    changed = project / "assets" / "other" / "sample-ud-dev.conllu"
    changed.write_text(changed.read_text(encoding="utf-8").replace("Arzt", "Bart"), "utf-8")
    run("convert-joint", **treebanks)
    [copied] = (project / "corpus" / "joint" / "dev").glob("other*")
    assert copied.read_bytes() == changed.read_bytes()
    run("evaluate-joint", **{**treebanks, "vars.treebank": "sample_treebank"})
    for name in ("other", "sample_treebank"):
        metrics = project / "metrics" / "joint" / name / "mh4_parser.dev.json"
        assert json.loads(metrics.read_text())["official"]["Sentences"]["gold"] == 40


def test_self_train(project, run):
    options = {
        "vars.treebank": "sample_treebank",
        "vars.raw_text": f"{SAMPLE}/text.txt",
        "vars.min_confidence": 0.0,
        "vars.student_steps": 4,
    }
    assert "LAS " in run("self-train", **options)
    folder = project / "training" / "sample_treebank" / "self-training"
    student = spacy.load(folder / "student" / "model-best")
    assert known_treebanks(student) == ["sample_treebank", "silver"]
    assert run("self-train", **options).count("nothing changed") == 5


def test_sample(project, run):
    options = [word for name, value in TINY.items() for word in (f"--{name}", value)]
    command = [sys.executable, "-m", "spacy", "project", "run", "sample", ".", *options]
    # Without buffering, the output has the same order as in a terminal.
    result = subprocess.run(
        [*command, "--vars.sample_steps", "3"],
        cwd=project,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert "Skipping" not in result.stdout
    assert "\nNon-projective sentences predicted" in result.stdout
    scores = json.loads((project / "metrics/sample/arc_hybrid_swap_parser.dev.json").read_text())
    assert scores["official"]["Words"]["f1"] == 1 and scores["official"]["Sentences"]["gold"] == 40
    assert (project / "metrics/sample/arc_hybrid_swap_parser.dev.raw.json").is_file()
    text, parsed = project / SAMPLE / "text.txt", project / "demo/text.conllu"
    sentences = list(read_conllu(parsed))
    assert "".join(raw_texts(sentences)).rstrip() == text.read_text(encoding="utf-8").rstrip()
    assert [sentence.begins_paragraph for sentence in sentences].count(True) == 2
    assert (project / "demo/text.html").read_text().count("<figure") == len(sentences)
    if program := shutil.which("udvalidate"):
        valid = subprocess.run(
            [program, "--level", "2", "--lang", "de", parsed], capture_output=True, text=True
        )
        assert valid.returncode == 0, valid.stdout + valid.stderr
    again = run("sample", **{"vars.sample_steps": 3})
    for name in ("convert-sample", "train-sample", "parse-sample"):
        assert f"Skipping '{name}': nothing changed" in again
    assert "LAS " in again


def test_treebank_from_a_folder(project, run, tmp_path):
    # Users may have paths with spaces.
    ud = tmp_path / "my treebanks"
    shutil.copytree(project / SAMPLE, ud / "UD_German-Test")
    options = {
        "vars.treebank": "UD_German-Test",
        "vars.folder": str(ud),
        "vars.parser": "arc_standard_swap_parser",
        "vars.lang": "de",
    }
    assert "LAS " in run("all", **options)
    model = project / "training/UD_German-Test/arc_standard_swap_parser/model-best"
    assert load_config(model / "config.cfg")["nlp"]["lang"] == "de"
    assert (project / "metrics/UD_German-Test/arc_standard_swap_parser.dev.json").is_file()
    assert run("all", **options).count("nothing changed") == 3
    if shutil.which("udvalidate"):
        assert "\nAll " in run("validate", **options)
        metrics = project / "metrics/UD_German-Test/arc_standard_swap_parser.dev.validated.json"
        found = json.loads(metrics.read_text())["validation"]
        assert found["gold"]["errors"] == 0 and found["predicted"]["sentences"] == 40
        assert "nothing changed" in run("validate", **options)


def test_treebank_from_a_repository(project, run, tmp_path):
    repository = shutil.copytree(project / SAMPLE, tmp_path / "ud" / "UD_German-Test")
    for command in (
        "init --quiet",
        "add .",
        "-c user.name=x -c user.email=x@example.org commit --quiet -m x",
        "tag r9.9",
    ):
        subprocess.run(["git", "-C", repository, *command.split()], check=True)
    options = {"vars.treebank": "UD_German-Test"}
    fetched = {"vars.ud_url": str(tmp_path / "ud"), "vars.release": "r9.9"}
    project_assets(project, overrides={**options, **fetched})
    run("convert", **options)
    for part in ("train", "dev", "test"):
        original = project / SAMPLE / f"sample-ud-{part}.conllu"
        copied = project / "corpus" / "UD_German-Test" / f"{part}.conllu"
        assert copied.read_bytes() == original.read_bytes()


def test_leaderboard(project, run, monkeypatch):
    monkeypatch.setattr("spacy_npparse.laboratory.pipeline.run_module", in_process.run_module)
    monkeypatch.setattr(
        "spacy_npparse.scaling.workers.ProcessPoolExecutor", in_process.InlineExecutor
    )
    options = {
        "vars.sample_updates": 3,
        "vars.parsers": "attardi attardi,decoder.beam_width=2",
        "vars.seeds": "0 1",
    }
    output = run("leaderboard-sample", **options)
    folder = project / "training/sample/leaderboard"
    assert re.search(r"^attardi,decoder\.beam_width=2 +\| +2 \| ", output, re.MULTILINE)
    assert (folder / "leaderboard-dev.html").is_file()
    models = {
        path: path.stat().st_mtime_ns for path in folder.glob("models/*/model-last/meta.json")
    }
    assert len(models) == 2
    again = run("leaderboard-sample", **options)
    assert again.splitlines()[-2:] == output.splitlines()[-2:]
    assert all(path.stat().st_mtime_ns == time for path, time in models.items())
