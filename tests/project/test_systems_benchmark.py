"""The comparison of systems, as a user runs it, with a tiny model and a few training steps."""

import shutil
import subprocess
import sys

import pytest
from test_project import ROOT, project, run  # noqa: F401

pytestmark = pytest.mark.slow


def test_means_over_seeds_and_no_run_twice(project):  # noqa: F811
    shutil.copytree(ROOT / "benchmarks", project / "benchmarks")
    run(project, "run", "convert-sample", ".")
    rows = ["arc_standard,pseudo_projective=head", "attardi", "attardi,decoder.beam_width=2"]
    options = ("--vars.treebank", "sample", "--vars.config", "configs/tiny.cfg")
    options += ("--vars.rows", " ".join(rows), "--vars.updates", 6)

    def table(seeds):
        output = run(project, "run", "compare", ".", *options, "--vars.seeds", seeds)
        return [line for line in output.splitlines() if line.startswith("|")]

    one = table("0")[2:]
    assert [line.split(" | ")[0] for line in one] == [f"| {row}" for row in rows]
    assert not any("±" in line for line in one)
    # Every row but the first is compared with it; the beam needs no training of its own.
    assert one[0].endswith("| |") and not one[1].endswith("| |")
    assert len(list((project / "training/sample/systems/models").iterdir())) == 2
    two = table("0 1")
    assert two[:2] == [
        "| parser (2 seeds) | UAS | LAS | LAS, non-projective sentences | non-projective arcs P | "
        "non-projective arcs R | decoder, words/s | transitions/word | p |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    assert all(line.count("±") >= 3 for line in two[2:])
    assert table("0 1") == two
    # A training that was stopped is done again, and other settings need another folder.
    models = project / "training/sample/systems/models"
    (models / "attardi-1").rename(models / "attardi-1.unfinished")
    for result in project.glob("training/sample/systems/results/*/attardi-1.json"):
        result.unlink()
    table("0 1")
    assert (models / "attardi-1").is_dir() and not (models / "attardi-1.unfinished").exists()
    command = [sys.executable, "-m", "spacy", "project", "run", "compare", ".", *options]
    other = subprocess.run(
        list(map(str, [*command, "--vars.updates", 7])), cwd=project, capture_output=True, text=True
    )
    assert other.returncode and "other settings (updates)" in other.stdout + other.stderr
