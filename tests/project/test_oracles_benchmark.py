"""The comparison of oracles, as a user runs it, with a tiny model and a few training steps."""

import subprocess
import sys

import pytest
from test_project import ROOT, SAMPLE, project  # noqa: F401

pytestmark = pytest.mark.slow


def test_means_over_seeds_and_no_run_twice(project):  # noqa: F811
    train, dev = (project / SAMPLE / f"sample-ud-{part}.conllu" for part in ("train", "dev"))
    script = [sys.executable, ROOT / "benchmarks" / "oracles.py", train, dev, project / "runs"]
    script += ["--config", project / "configs" / "tiny.cfg", "--oracles", "static", "--seeds"]

    def table(*seeds):
        command = list(map(str, script + list(seeds)))
        result = subprocess.run(command, capture_output=True, text=True)
        assert result.returncode == 0, result.stdout + result.stderr
        return result.stdout

    first = table(0).splitlines()
    assert first[-1].startswith("| static | ") and "±" not in first[-1]
    row = table(0, 1).splitlines()[-1]
    assert row.count("|") == 7 and row.count("±") >= 3
    assert table(0, 1).splitlines() == [
        "| oracle (2 seeds) | UAS | LAS | LAS, non-projective sentences | "
        "non-projective arcs P | non-projective arcs R |",
        "|---|---|---|---|---|---|",
        row,
    ]
