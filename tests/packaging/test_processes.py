"""Packages that are built in other processes, on this machine or with Ray."""

import os
import sys
from functools import partial
from pathlib import Path

import pytest

from spacy_npparse.laboratory import Experiment, Task, config_path, contestant
from spacy_npparse.packaging import Package, build_packages, read_source
from spacy_npparse.scaling import RayTasks, Workers

SAMPLE = Path(__file__).parents[2] / "assets" / "sample_treebank"

pytestmark = pytest.mark.slow


@pytest.fixture
def local():
    return partial(Workers, 1)


@pytest.fixture
def cluster():
    ray = pytest.importorskip("ray")
    path = {"PYTHONPATH": os.pathsep.join(sys.path)}
    ray.init("local", num_cpus=1, runtime_env={"env_vars": path}, include_dashboard=False)
    yield partial(RayTasks, None)
    ray.shutdown()


@pytest.mark.parametrize("executor", ["local", "cluster"])
def test_why_a_build_has_failed_comes_back(request, executor, tmp_path):
    dev = SAMPLE / "sample-ud-dev.conllu"
    experiment = Experiment(Task(dev, dev, config_path("fast"), 1), dev, tmp_path / "not trained")
    [run] = experiment.runs([contestant("mh4")], [0])
    package = Package(run, dev, read_source(SAMPLE, dev), "fast", tmp_path)
    [(built, reason)] = build_packages([package], request.getfixturevalue(executor))
    assert built == package and not package.is_finished()
    assert "No such file or directory" in reason and "not trained/package" in reason
