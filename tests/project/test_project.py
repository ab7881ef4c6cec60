"""The project workflows, as a user runs them, with a tiny model and a few training steps."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from thinc.api import Config

ROOT = Path(__file__).parents[2]
SAMPLE = "assets/sample_treebank"

pytestmark = pytest.mark.slow


@pytest.fixture
def project(tmp_path):
    """A copy of the project, with a configuration that trains fast."""
    folder = tmp_path / "project"
    for name in (SAMPLE, "configs"):
        shutil.copytree(ROOT / name, folder / name)
    shutil.copy(ROOT / "project.yml", folder)
    config = Config().from_disk(ROOT / "configs" / "accuracy.cfg", interpolate=False)
    config["components"]["tok2vec"]["model"]["width"] = 16
    config["components"]["parser"]["model"]["hidden_size"] = 16
    config["training"]["max_steps"] = 5
    config.to_disk(folder / "configs" / "tiny.cfg")
    return folder


def run(folder, *arguments):
    command = [sys.executable, "-m", "spacy", "project", *map(str, arguments)]
    # In the order of a terminal, where there is no buffer.
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_sample(project):
    options = ("--vars.config", "configs/tiny.cfg", "--vars.sample_steps", 5)
    output = run(project, "run", "sample", ".", *options)
    assert "Skipping" not in output
    # The table of scores comes last.
    assert output.rstrip().splitlines()[-1].startswith("Non-projective sentences predicted")
    scores = json.loads((project / "metrics/sample/arc_hybrid_swap_parser.json").read_text())
    assert scores["official"]["Words"]["f1"] == 1 and scores["official"]["LAS"]["gold"] == 1490
    assert (project / "metrics/sample/arc_hybrid_swap_parser.raw.json").is_file()
    assert (project / "demo/crossing.html").read_text().count("<figure") >= 7
    again = run(project, "run", "sample", ".", *options)
    for name in ("convert-sample", "train-sample", "parse-sample"):
        assert f"Skipping '{name}': nothing changed" in again
    assert "LAS " in again


def test_treebank_from_a_folder(project, tmp_path):
    # A path with a space, as people have them.
    ud = tmp_path / "my treebanks"
    shutil.copytree(ROOT / SAMPLE, ud / "UD_German-Test")
    options = ("--vars.treebank", "UD_German-Test", "--vars.folder", ud)
    options += ("--vars.config", "configs/tiny.cfg")
    options += ("--vars.parser", "arc_standard_swap_parser")
    output = run(project, "run", "all", ".", *options)
    assert "LAS " in output
    assert (project / "training/UD_German-Test/arc_standard_swap_parser/model-best").is_dir()
    assert (project / "metrics/UD_German-Test/arc_standard_swap_parser.json").is_file()
    assert run(project, "run", "all", ".", *options).count("nothing changed") == 3


def test_treebank_from_a_repository(project, tmp_path):
    repository = shutil.copytree(ROOT / SAMPLE, tmp_path / "ud" / "UD_German-Test")
    for command in (
        "init --quiet",
        "add .",
        "-c user.name=x -c user.email=x@example.org commit --quiet -m x",
        "tag r9.9",
    ):
        subprocess.run(["git", "-C", repository, *command.split()], check=True)
    options = ("--vars.treebank", "UD_German-Test")
    fetched = ("--vars.ud_url", tmp_path / "ud", "--vars.release", "r9.9")
    run(project, "assets", ".", *options, *fetched)
    run(project, "run", "convert", ".", *options)
    for part in ("train", "dev", "test"):
        original = ROOT / SAMPLE / f"sample-ud-{part}.conllu"
        copied = project / "corpus" / "UD_German-Test" / f"{part}.conllu"
        assert copied.read_bytes() == original.read_bytes()


def test_leaderboard(project):
    options = ("--vars.sample_config", "configs/tiny.cfg", "--vars.sample_updates", 3)
    options += ("--vars.parsers", "attardi attardi,decoder.beam_width=2", "--vars.seeds", "0 1")
    output = run(project, "run", "leaderboard-sample", ".", *options)
    folder = project / "training/sample/leaderboard"
    assert "attardi,decoder.beam_width=2       |     2 | " in output
    assert (folder / "leaderboard-dev.html").is_file()
    models = {
        path: path.stat().st_mtime_ns for path in folder.glob("models/*/model-best/meta.json")
    }
    assert len(models) == 2
    again = run(project, "run", "leaderboard-sample", ".", *options)
    assert again.splitlines()[-2:] == output.splitlines()[-2:]
    assert all(path.stat().st_mtime_ns == time for path, time in models.items())
    # What searching costs is measured on the same models.
    benchmark = subprocess.run(
        [
            sys.executable,
            ROOT / "benchmarks/systems.py",
            folder,
            project / "corpus/sample/dev.conllu",
        ],
        capture_output=True,
        text=True,
    )
    header, _, row = benchmark.stdout.splitlines()
    assert header == "| parser | seeds | decoder, words/s | transitions/word |"
    assert row.startswith("| attardi | 2 | ") and row.endswith(" | 2.00 |")
