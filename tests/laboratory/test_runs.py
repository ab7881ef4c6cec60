"""Runs of an experiment, with contestants that need no time."""

import os
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import spacy
from in_process import InlineExecutor

from spacy_npparse.laboratory import Experiment, ExperimentMismatchError, Task
from spacy_npparse.laboratory.contestants import Parsed
from spacy_npparse.treebank import annotate, read_conllu, sentences_from_doc

DEV = Path(__file__).parents[2] / "assets" / "sample_treebank" / "sample-ud-dev.conllu"


@dataclass(frozen=True)
class Contestant:
    """One that knows the trees.

    fate: what happens in its training.
    """

    name: str
    model: str = "model"
    uses_seeds: bool = True
    fate: str = ""
    is_peer = False

    @property
    def model_name(self):
        return self.model

    def train(self, task, seed, folder):
        if self.fate == "killed":
            os._exit(9)
        if self.fate == "mistaken":
            raise TypeError("no such thing")
        if self.fate:
            raise ValueError(self.fate)
        with (folder / "trained").open("a") as file:
            file.write(f"{self.name}\n")

    def parse(self, folder, sentences):
        assert (folder / "trained").is_file()
        return Parsed(list(sentences), 1000.0)

    def parse_text(self, folder, paragraphs):
        nlp = spacy.blank("xx")
        docs = annotate(nlp, paragraphs)
        return Parsed([s for doc in docs for s in sentences_from_doc(doc)], 1000.0)

    def learning_curve(self, folder):
        return []


@pytest.fixture
def inline(monkeypatch):
    """Runs in this process."""
    monkeypatch.setattr("spacy_npparse.laboratory.experiment.ProcessPoolExecutor", InlineExecutor)


@pytest.fixture
def experiment(tmp_path):
    config = tmp_path / "config.cfg"
    config.write_text("")
    return Experiment(Task(DEV, DEV, config, 5), DEV, tmp_path / "results")


def complete(experiment, contestants, seeds, processes=1):
    missing = experiment.missing(contestants, seeds)
    ends = list(experiment.run(missing, processes))
    assert {(c.name, seed) for c, seed, _ in ends} == {(c.name, seed) for c, seed in missing}
    return {(c.name, seed): failure and failure.reason for c, seed, failure in ends}


def test_every_contestant_with_every_seed(experiment):
    contestants = [Contestant("a", "a"), Contestant("b", "b", uses_seeds=False)]
    ends = complete(experiment, contestants, [3, 4], processes=2)
    assert ends == {("a", 3): None, ("a", 4): None, ("b", 0): None}
    results = experiment.results(contestants, [3, 4])
    assert {name: [trial.seed for trial in trials] for name, trials in results.items()} == {
        "a": [3, 4],
        "b": [0],
    }
    trial = results["a"][0]
    assert trial.scores.official["LAS"].f1 == 1 and trial.words_per_second == 1000
    assert [str(s) for s in read_conllu(trial.file)] == [str(s) for s in read_conllu(DEV)]
    assert experiment.missing(contestants, [3, 4]) == []
    assert len(experiment.missing([*contestants, Contestant("c")], [3, 4, 5])) == 4


def test_plain_text(experiment, inline):
    contestants = [Contestant("a")]
    complete(experiment, contestants, [0])
    raw = replace(experiment, raw=True)
    assert complete(raw, contestants, [0]) == {("a", 0): None}
    assert (experiment.folder / "models/model-0/trained").read_text() == "a\n"
    [of_gold], [of_text] = (one.results(contestants, [0])["a"] for one in (experiment, raw))
    assert of_gold.file != of_text.file
    assert of_gold.scores.official["Words"].f1 == 1 > of_text.scores.official["Words"].f1 > 0.9


def test_what_shares_a_model_fails_together(experiment, inline):
    contestants = [Contestant("a", fate="bad luck"), Contestant("b")]
    assert set(complete(experiment, contestants, [0]).values()) == {"bad luck"}


def test_one_model_is_trained_once(experiment, inline):
    contestants = [Contestant("a"), Contestant("b")]
    complete(experiment, contestants, [0], processes=2)
    assert (experiment.folder / "models/model-0/trained").read_text() == "a\n"


def test_contestants_without_seeds_have_one(experiment, inline):
    contestants = [Contestant("a", "a"), Contestant("b", "b", uses_seeds=False)]
    for seeds in ([1], [0, 1], [2]):
        complete(experiment, contestants, seeds)
        assert [trial.seed for trial in experiment.results(contestants, seeds)["b"]] == [0]
    assert len(list(experiment.folder.glob("models/b-*"))) == 1


def test_failures_are_told_and_can_be_repeated(experiment, inline):
    fates = {"a": "bad luck", "b": "", "c": "mistaken"}
    contestants = [Contestant(name, name, fate=fate) for name, fate in fates.items()]
    assert complete(experiment, contestants, [0]) == {
        ("a", 0): "bad luck",
        ("b", 0): None,
        ("c", 0): "TypeError: no such thing",
    }
    assert list(experiment.results(contestants, [0])) == ["b"]
    again = [Contestant("a", "a"), Contestant("b", "b")]
    assert complete(experiment, again, [0]) == {("a", 0): None}


def test_a_killed_process_is_told(experiment):
    [reason] = complete(experiment, [Contestant("a", fate="killed")], [0]).values()
    assert "a process was killed" in reason


def test_who_stops_early_does_not_wait_for_the_others(experiment):
    contestants = [Contestant(name, name) for name in "abcdefgh"]
    runs = experiment.run(experiment.missing(contestants, [0]), 1)
    next(runs)
    runs.close()
    assert len(experiment.missing(contestants, [0])) > 0


def test_other_settings_need_another_folder(experiment, monkeypatch):
    experiment.begin()
    experiment.begin()
    other = Task(DEV, DEV, experiment.task.config, 6)
    with pytest.raises(ExperimentMismatchError, match=r"other settings \(updates\)"):
        Experiment(other, DEV, experiment.folder).begin()
    with monkeypatch.context() as patch:
        patch.setattr("spacy_npparse.__version__", "99")
        with pytest.raises(ExperimentMismatchError, match=r"other settings \(version\)"):
            experiment.begin()
    experiment.task.config.write_text("[nlp]")
    with pytest.raises(ExperimentMismatchError, match=r"other settings \(config\)"):
        experiment.begin()
