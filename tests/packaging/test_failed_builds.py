"""Packages that are built in other processes."""

from functools import partial
from pathlib import Path

import pytest

from spacy_npparse.laboratory import Experiment, Task, config_path, contestant
from spacy_npparse.packaging import Package, build_packages, read_source
from spacy_npparse.scaling import Workers

SAMPLE = Path(__file__).parents[2] / "assets" / "sample_treebank"

pytestmark = pytest.mark.slow


def test_why_a_build_has_failed_comes_back(tmp_path):
    dev = SAMPLE / "sample-ud-dev.conllu"
    experiment = Experiment(Task(dev, dev, config_path("fast"), 1), dev, tmp_path / "not trained")
    [run] = experiment.runs([contestant("mh4")], [0])
    package = Package(run, dev, read_source(SAMPLE, dev), "fast", tmp_path)
    [(built, reason)] = build_packages([package], partial(Workers, 1))
    assert built == package and not package.is_finished()
    assert "No such file or directory" in reason and "not trained/package" in reason
