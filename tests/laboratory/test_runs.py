"""Tests of the runs of an experiment, with contestants whose training takes no time."""

import os
import re
import subprocess
import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from cheap_contestant import CheapContestant as Contestant
from in_process import InlineExecutor

from spacy_npparse.laboratory import Experiment, Task, complete_runs
from spacy_npparse.scaling import Workers
from spacy_npparse.treebank import read_conllu
from spacy_npparse.workfolder import FolderInUseError, FolderMismatchError

DEV = Path(__file__).parents[2] / "assets" / "sample_treebank" / "sample-ud-dev.conllu"

# A leaderboard with a training that never ends.
ENDLESS = f"""
import sys
from pathlib import Path
from cheap_contestant import CheapContestant
from functools import partial
from spacy_npparse.laboratory import Experiment, Task, complete_runs
from spacy_npparse.scaling import Workers
folder, config = map(Path, sys.argv[1:])
dev = Path({str(DEV)!r})
experiment = Experiment(Task(dev, dev, config, 5), dev, folder)
with experiment.locked():
    missing = experiment.missing([CheapContestant("a", fate="endless")], [0])
    list(complete_runs(missing, partial(Workers, 1)))
"""


@pytest.fixture
def inline(monkeypatch):
    """Run contestants in this process."""
    monkeypatch.setattr("spacy_npparse.scaling.workers.ProcessPoolExecutor", InlineExecutor)


@pytest.fixture
def experiment(tmp_path):
    config = tmp_path / "config.cfg"
    config.write_text("")
    return Experiment(Task(DEV, DEV, config, 5), DEV, tmp_path / "results")


def complete(experiment, contestants, seeds, processes=1):
    missing = experiment.missing(contestants, seeds)
    ends = list(complete_runs(missing, partial(Workers, processes)))
    assert {run for run, _ in ends} == set(missing)
    return {(run.contestant.name, run.seed): reason or None for run, reason in ends}


def test_every_contestant_with_every_seed(experiment, inline):
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


def test_a_killed_process_takes_no_other_with_it(experiment):
    contestants = [
        *(Contestant("a", "a", fate="killed"), Contestant("a2", "a")),
        *(Contestant("b", "b", killed_in_parsing=True), Contestant("b2", "b")),
        *(Contestant("c", "c"), Contestant("d", "d")),
    ]
    ends = complete(experiment, contestants, [0], processes=2)
    killed = {name for (name, _), reason in ends.items() if reason}
    # The model of b has been trained, and the model of a has not.
    assert killed == {"a", "a2", "b"}
    assert all("a process was killed" in ends[name, 0] for name in killed)
    assert set(experiment.results(contestants, [0])) == {"b2", "c", "d"}


def is_running(process):
    """Return whether a process runs; a zombie, whose parent has not waited for it, does not."""
    try:
        return not re.search(r"^State:\tZ", Path(f"/proc/{process}/status").read_text(), re.M)
    except FileNotFoundError:
        return False


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_killed_leaderboard(experiment, inline):
    """The trainings end at once, the folder is unlocked, and unfinished runs are done again."""
    program = subprocess.Popen(
        [sys.executable, "-c", ENDLESS, *map(str, (experiment.folder, experiment.task.config))],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    attempts = experiment.folder / "models/model-0.unfinished"
    while not (found := list(attempts.glob("*/trained"))):
        assert program.poll() is None
        time.sleep(0.1)
    [started] = found
    training, worker = map(int, started.read_text().split())
    assert is_running(training) and is_running(worker)
    with pytest.raises(FolderInUseError):
        experiment.locked().__enter__()
    program.kill()
    program.wait()
    with experiment.locked():
        pass
    end = time.monotonic() + 600
    while is_running(training) or is_running(worker):
        assert time.monotonic() < end
        time.sleep(0.1)
    contestants = [Contestant("a")]
    assert experiment.results(contestants, [0]) == {}
    assert complete(experiment, contestants, [0]) == {("a", 0): None}
    assert not attempts.exists()


def test_who_stops_early_does_not_wait_for_the_others(experiment):
    contestants = [Contestant("a", "a"), Contestant("b", "b", fate="endless")]
    first, second = experiment.missing(contestants, [0])
    runs = complete_runs([first, second], partial(Workers, 2))
    assert next(runs) == (first, "")
    runs.close()
    assert experiment.missing(contestants, [0]) == [second]


def test_a_training_ends_with_its_stdin(tmp_path):
    """A training has to end by itself where the operating system does not end it."""
    (tmp_path / "patient.py").write_text("import time\ntime.sleep(1000)\n")
    command = [sys.executable, "-m", "spacy_npparse.laboratory.subprogram", "patient"]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([*sys.path, str(tmp_path)])},
    ) as training:
        assert training.stdin is not None
        training.stdin.close()
        try:
            assert training.wait(600) == 1
        finally:
            training.kill()


def files(experiment):
    """Return the files of an experiment with one contestant, by name."""
    [prediction] = experiment.folder.glob("predictions/*/*.conllu")
    note = experiment.folder / "models/model-0/minutes.json"
    return {"note": note, "prediction": prediction, "record": prediction.with_suffix(".json")}


def cut(path):
    """Remove the second half of the lines of a file."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[: len(lines) // 2]), encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "damage", "message"),
    [
        ("prediction", cut, "a-0.conllu has changed since it was written: a-0 parses again."),
        ("prediction", Path.unlink, "a-0.conllu is missing: a-0 parses again."),
        ("record", cut, r"a-0.json cannot be read \(.*\): a-0 parses again."),
        ("record", Path.unlink, "a-0.json is missing: a-0 parses again."),
        ("record", lambda path: path.write_text("7"), "a-0.json is not the record of a run: a-0"),
        (
            "record",
            lambda path: path.write_text(path.read_text().replace("1000.0", "null")),
            "a-0.json is not the record of a run: a-0",
        ),
        ("record", lambda path: path.write_bytes(b"\xff"), r"a-0.json cannot be read \(.*\): a-0"),
    ],
)
def test_damaged_predictions_are_made_again(experiment, inline, name, damage, message):
    contestants = [Contestant("a")]
    complete(experiment, contestants, [0])
    before = experiment.results(contestants, [0])
    damage(files(experiment)[name])
    missing = experiment.missing(contestants, [0])
    assert len(missing) == 1 and experiment.results(contestants, [0]) == {}
    [told] = missing[0].damage()
    assert re.search(message, told), told
    assert complete(experiment, contestants, [0]) == {("a", 0): None}
    assert experiment.results(contestants, [0]) == before
    assert experiment.missing(contestants, [0]) == []
    # The model has not been trained again.
    assert (experiment.folder / "models/model-0/trained").read_text() == "a\n"


def test_the_remedy_for_a_damaged_model_is_told(experiment, inline, monkeypatch):
    def parse(*arguments):
        raise OSError("model-last is not there.")

    monkeypatch.setattr(Contestant, "parse", parse)
    [reason] = complete(experiment, [Contestant("a")], [0]).values()
    model = experiment.folder / "models" / "model-0"
    assert reason == (
        f"model-last is not there. If the model is damaged, delete {model} to train it again."
    )


@pytest.mark.parametrize("content", [None, "", "null", "[3.5"])
def test_only_finished_trainings_count(experiment, inline, content):
    """A model without the note that its training has finished is trained again."""
    contestants = [Contestant("a"), Contestant("b")]
    complete(experiment, contestants[:1], [0])
    note = files(experiment)["note"]
    if content is None:
        note.unlink()
    else:
        note.write_text(content)
    missing = experiment.missing(contestants, [0])
    assert [run.contestant.name for run in missing] == ["b"]
    [told] = missing[0].damage()
    assert "minutes.json" in told and told.endswith(": model-0 is trained again.")
    assert complete(experiment, contestants, [0]) == {("b", 0): None}
    assert (note.parent / "trained").read_text() == "b\n"
    assert missing[0].damage() == []


def test_a_folder_has_one_leaderboard_at_a_time(experiment):
    other = replace(experiment, raw=True)
    with experiment.locked(), pytest.raises(FolderInUseError, match="Another process is making"):
        other.locked().__enter__()
    with other.locked():
        pass


def test_a_damaged_note_of_the_settings(experiment):
    experiment.begin()
    (experiment.folder / "experiment.json").write_text("{")
    with pytest.raises(FolderMismatchError, match="experiment.json is damaged.*delete this"):
        experiment.begin()


def test_other_settings_need_another_folder(experiment, monkeypatch):
    experiment.begin()
    experiment.begin()
    other = Task(DEV, DEV, experiment.task.config, 6)
    with pytest.raises(FolderMismatchError, match=r"other settings \(updates: 5 before, 6 now\)"):
        Experiment(other, DEV, experiment.folder).begin()
    with monkeypatch.context() as patch:
        patch.setattr("spacy_npparse.__version__", "99")
        with pytest.raises(FolderMismatchError, match=r"\(version: .* before, 99 now\)"):
            experiment.begin()
    experiment.task.config.write_text("[nlp]")
    with pytest.raises(FolderMismatchError, match=r"\(config: \w+ before, \w+ now\)"):
        experiment.begin()
