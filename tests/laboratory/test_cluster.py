"""Tests of runs on a Ray cluster."""

import os
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from cheap_contestant import CheapContestant as Contestant

from spacy_npparse.laboratory import Experiment, Run, Task, complete_runs
from spacy_npparse.scaling import RayTasks

ray = pytest.importorskip("ray")

pytestmark = pytest.mark.slow

DEV = Path(__file__).parents[2] / "assets" / "sample_treebank" / "sample-ud-dev.conllu"


@pytest.fixture(scope="module")
def cluster():
    """Start Ray on this machine, with processes that can import the contestants of tests."""
    path = {"PYTHONPATH": os.pathsep.join(sys.path)}
    ray.init("local", num_cpus=2, runtime_env={"env_vars": path}, include_dashboard=False)
    yield
    ray.shutdown()


@pytest.fixture
def experiment(tmp_path, monkeypatch):
    """Return an experiment with relative paths; Ray's processes have another working directory."""
    (tmp_path / "config.cfg").write_text("")
    (tmp_path / "dev.conllu").write_bytes(DEV.read_bytes())
    monkeypatch.chdir(tmp_path)
    dev = Path("dev.conllu")
    return Experiment(Task(dev, dev, Path("config.cfg"), 5), dev, Path("results"))


def complete(experiment, contestants):
    missing = experiment.missing(contestants, [0])
    ends = list(complete_runs(missing, partial(RayTasks, None)))
    assert {run for run, _ in ends} == set(missing)
    return {run.contestant.name: reason for run, reason in ends}


def test_a_run_that_dies_is_tried_again(experiment, cluster):
    fates = {"a": "", "b": "killed once", "c": "bad luck"}
    contestants = [Contestant(name, name, fate=fate) for name, fate in fates.items()]
    # This contestant shares the model of a.
    contestants.append(Contestant("e", "a"))
    assert complete(experiment, contestants) == {"a": "", "b": "", "c": "bad luck", "e": ""}
    assert (experiment.folder / "b was killed").exists()
    assert set(experiment.results(contestants, [0])) == {"a", "b", "e"}
    # Nothing is left of the killed attempt, but the log of the failed training is.
    models = {path.name for path in (experiment.folder / "models").iterdir()}
    assert models == {"a-0", "b-0", "c-0.unfinished"}
    assert (experiment.folder / "models/a-0/trained").read_text() == "a\n"
    # If the same contestants are given again, only the failed training is repeated.
    assert complete(experiment, [Contestant(name, name) for name in fates]) == {"c": ""}


def test_a_folder_that_is_another_one_elsewhere(experiment, cluster, monkeypatch):
    """A result that does not arrive is a failure, not a gap in the report."""
    absolute = Run.with_absolute_paths

    def elsewhere(run):
        return replace(absolute(run), folder=Path("elsewhere").absolute())

    monkeypatch.setattr(Run, "with_absolute_paths", elsewhere)
    [reason] = complete(experiment, [Contestant("a")]).values()
    assert "results has to be the same folder on all machines" in reason
    assert Path("elsewhere/models/model-0").exists()
