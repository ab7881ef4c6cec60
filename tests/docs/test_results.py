"""The documentation has the tables of the file of results, which records the runs."""

import json
import shutil
from statistics import mean, stdev
from types import SimpleNamespace

import pytest
import results
from claims import Claim, compared
from result_tables import PAGES, RESULTS, rendered
from tiny import SAMPLE

from spacy_npparse import __version__
from spacy_npparse.evaluation import Metric
from spacy_npparse.evaluation.attachment import Score
from spacy_npparse.files import checksum
from spacy_npparse.laboratory import config_path
from spacy_npparse.laboratory.records import Measurements, write_minutes, write_record
from spacy_npparse.treebank import read_conllu

FOUND = json.loads(RESULTS.read_text(encoding="utf-8"))
DEV = SAMPLE / "sample-ud-dev.conllu"


def run(treebank, parser, seed, las, updates=None):
    """Return a run as in the file, with the same LAS from gold tokens and plain text."""
    return {
        **{"treebank": treebank, "config": "accuracy", "updates": updates, "parser": parser},
        **{"seed": seed, "minutes": 10 + seed, "words_per_second": 1000},
        **{source: {"LAS": las} for source in ("gold tokens", "plain text")},
    }


def cells(name, runs, claims=()):
    page = f"before\n<!-- results: {name} -->\n\nold\n\n<!-- end -->\nafter\n"
    before, _, *lines, _, after = rendered(page, {"runs": runs, "claims": claims}).splitlines()
    assert (before, after) == ("before", "after") and "old" not in lines
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if line]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages_have_the_tables_of_the_file(page):
    text = page.read_text(encoding="utf-8")
    assert "<!-- results: " in text and rendered(text, FOUND) == text


@pytest.mark.parametrize("config", ["accuracy", "fast"])
def test_all_results_of_a_config_are_of_one_recipe(config):
    made = {
        (run["version"], run["checksums"]["config"])
        for run in FOUND["runs"]
        if run["config"] == config
    }
    assert len(made) <= 1


def test_mean_and_deviation():
    las = [72.0, 73.5, 72.5]
    runs = [run("Gothic-PROIEL", "mh4", seed, value) for seed, value in enumerate(las)]
    assert cells("plain text", [*runs, run("Turkish-IMST", "mh4", 0, 60.0)]) == [
        ["treebank", "parser", "seeds", "LAS", "words/s"],
        ["---"] * 5,
        [
            *("Gothic-PROIEL", "`mh4`, `accuracy.cfg`", "3"),
            *(f"{mean(las):.2f} ± {stdev(las):.2f}", "1,000"),
        ],
        ["Turkish-IMST", "`mh4`, `accuracy.cfg`", "1", "60.00", "1,000"],
    ]


def test_what_has_not_been_run_is_in_no_table():
    runs = [run("Gothic-PROIEL", "mh4", 0, 72.0), run("Turkish-IMST", "mh4", 0, 60.0)]
    assert cells("budget", runs) == [] == cells("by treebank", runs)
    runs += [run("Turkish-IMST", "mst", 0, 59.0), run("Gothic-PROIEL", "mst", 0, 50.0, 1000)]
    assert [row[:3] for row in cells("by treebank", runs)] == [
        ["LAS from plain text", "Turkish-IMST"],
        ["---"] * 2,
        ["`mh4`, `accuracy.cfg`", "60.00"],
        ["`mst`, `accuracy.cfg`", "59.00"],
    ]
    head, _, *rows = cells("gold tokens", runs)
    assert head == ["treebank", "parser", "seeds", "LAS", "UAS of the paper", *head[5:]]
    assert [row[:5] for row in rows] == [
        ["Gothic-PROIEL", "`mh4`, `accuracy.cfg`", "1", "72.00", "84.59"],
        ["Turkish-IMST", "`mh4`, `accuracy.cfg`", "1", "60.00", "-"],
        ["Turkish-IMST", "`mst`, `accuracy.cfg`", "1", "59.00", "-"],
    ]
    [_, _, row] = cells("budget", runs)
    assert row == ["Gothic-PROIEL", "`mst`", "1", "50.00"]


def test_systems_with_the_same_budget_are_sorted_by_treebank_and_score():
    scores = {"mst": 50.0, "mh4": 60.0, "mh3": 55.0}
    runs = [run("Gothic-PROIEL", parser, 0, las, 1000) for parser, las in scores.items()]
    runs.append(run("Hungarian-Szeged", "mst", 0, 70.0, 1000))
    rows = [row[:2] for row in cells("budget", runs)[2:]]
    gothic = ["`mh4`", "`mh3`", "`mst`"]
    assert rows == [*(["Gothic-PROIEL", name] for name in gothic), ["Hungarian-Szeged", "`mst`"]]


def trials(seeds, correct):
    """Return a trial for each seed. correct: for each of three sentences of four words."""
    las = Score(correct=sum(correct), gold=12, system=12)
    sentences = [Score(correct=one, gold=4, system=4) for one in correct]
    scores = SimpleNamespace(official={Metric.LAS: las}, las_of_sentences=sentences)
    return [SimpleNamespace(seed=seed, scores=scores) for seed in seeds]


def test_a_claim_is_tested_on_the_seeds_that_both_parsers_have():
    claim = Claim("mh4 is better than mh3 (2018)", "mh4", "mh3")
    found = compared(claim, {"mh4": trials([0, 1], [4, 3, 3]), "mh3": trials([1, 2], [4, 2, 1])})
    assert found["claim"] == claim.text and found["difference"] == 25.0 and 0.4 < found["p"] < 0.6
    assert found["deviation"] is None
    both = {"mh4": trials([0], [4, 3, 3]) + trials([1], [4, 3, 1])}
    both["mh3"] = trials([0, 1], [4, 2, 1])
    assert compared(claim, both)["deviation"] == round(stdev([25.0, 100 / 12]), 4)
    assert compared(claim, {"mh4": trials([0], [4, 3, 3]), "mh3": trials([1], [4, 2, 1])}) is None
    assert compared(claim, {"mh4": trials([0], [4, 3, 3])}) is None


def test_a_row_of_the_table_of_claims_for_each_claim():
    a, b = ({"claim": name, "treebank": "Gothic-PROIEL"} for name in "ab")
    claims = [
        a | {"difference": 1.234, "deviation": 0.5, "p": 0.0002},
        b | {"difference": -0.5, "deviation": None, "p": 0.0312},
        a | {"treebank": "Hungarian-Szeged", "difference": -0.001, "deviation": 0.0, "p": 1.0},
    ]
    assert cells("claims", [], claims) == [
        ["claim", "Gothic-PROIEL", "Hungarian-Szeged"],
        ["---"] * 3,
        ["a", "+1.23 ± 0.50, p < 0.001", "+0.00 ± 0.00, p = 1"],
        ["b", "-0.50, p = 0.031", "-"],
    ]


@pytest.fixture
def board(tmp_path, monkeypatch):
    """Return a row of a plan in which one run has ended. Its predictions are the gold annotation,
    but from plain text, subjects have the label obj."""
    shutil.copytree(SAMPLE, tmp_path / "UD_Sample")
    plan = (results.Row(["Sample"], "accuracy", ["mh4", "ensemble"], seeds=(0, 1)),)
    monkeypatch.setattr(results, "PLAN", plan)
    [board] = results.boards(tmp_path, tmp_path / "output")
    for one, label in zip(board.experiments, ("nsubj", "obj"), strict=True):
        one.folder.mkdir(exist_ok=True, parents=True)
        one.begin()
        [run] = one.runs(board.contestants[:1], [0])
        run.model.mkdir(exist_ok=True, parents=True)
        write_minutes(7.5, run.model)
        run.prediction.parent.mkdir(parents=True)
        text = DEV.read_text(encoding="utf-8").replace("\tnsubj\t", f"\t{label}\t")
        run.prediction.write_text(text, encoding="utf-8")
        write_record(Measurements(900 + one.raw, 7.5, [(3600, 50.0)]), run.prediction)
    return board


def test_runs_that_have_ended_are_collected(board):
    [run] = board.runs(*board.trials())
    known = {"treebank": "Sample", "config": "accuracy", "updates": None, "parser": "mh4"}
    known |= {"seed": 0, "version": __version__, "minutes": 7.5, "words_per_second": 901}
    assert {name: run[name] for name in known} == known
    assert run["checksums"] == {
        "train": checksum(SAMPLE / "sample-ud-train.conllu"),
        "dev": checksum(DEV),
        "config": checksum(config_path("accuracy")),
    }
    assert run["gold tokens"]["LAS"] == 100.0 and run["plain text"]["UAS"] == 100.0
    words = [word for sentence in read_conllu(DEV) for word in sentence.words]
    subjects = sum(word.deprel == "nsubj" for word in words)
    assert run["plain text"]["LAS"] == pytest.approx(100 - 100 * subjects / len(words), abs=1e-4)
    assert {"Tokens", "Sentences", "Lemmas", "MLAS"} <= run["plain text"].keys()
    assert "ELAS" not in run["plain text"] and "XPOS" not in run["plain text"]


def test_without_training_ensembles_are_assembled_as_soon_as_their_members_are_there(
    board, monkeypatch
):
    done = []
    monkeypatch.setattr(results, "complete_runs", lambda runs, _: done.extend(runs) or ())
    board.complete(processes=1, training=False)
    assert done == []
    for name in ("mh4-1", "one_endpoint_crossing-1", "mst-1"):
        (board.experiment.folder / "models" / name / "model-last").mkdir(parents=True)
    board.complete(processes=1, training=False)
    assert [(run.contestant.name, run.seed, run.raw) for run in done] == [
        ("ensemble", 1, False),
        ("ensemble", 1, True),
    ]
    done.clear()
    board.complete(processes=1, training=True)
    assert len(done) == 6


def test_results_of_other_machines_are_kept_if_recipe_and_data_are_the_same(board, monkeypatch):
    [made] = board.runs(*board.trials())
    other = made | {"seed": 1}
    changed = [
        other | {"version": "0.0.1"},
        other | {"updates": 10},
        other | {"treebank": "Other"},
        other | {"seed": 2},
        other | {"parser": "mst"},
        other | {"checksums": made["checksums"] | {"train": "0"}},
    ]
    assert board.earlier({"runs": changed}) == {}
    assert board.earlier({"runs": [*changed, other]}) == {("mh4", 1): other}
    started = []
    monkeypatch.setattr(results, "complete_runs", lambda runs, _: started.extend(runs) or ())
    board.complete(processes=1, training=True, known={("mh4", 1), ("ensemble", 0)})
    assert {(run.contestant.name, run.seed) for run in started} == {("ensemble", 1)}
    started.clear()
    board.complete(processes=1, training=True, parser="mh4")
    assert {(run.contestant.name, run.seed) for run in started} == {("mh4", 1)}


def test_claims_are_kept_until_their_parsers_are_there(board):
    [made] = board.runs(*board.trials())
    [one, other] = results.CLAIMS[:2]
    kept = [
        {"treebank": treebank, "claim": one.text, "difference": 1.0, "deviation": 0.2, "p": 0.1}
        for treebank in ("Other", "Sample")
    ]
    runs = [made | {"parser": name} for name in (one.better, one.worse)]
    earlier = {"runs": runs, "claims": kept}
    assert list(board.claims({}, earlier)) == []
    contestants = [results.contestant(name) for name in results.IN_CLAIMS]
    row = board.row._replace(parsers=results.IN_CLAIMS)
    board = board._replace(row=row, contestants=contestants)
    assert list(board.claims({}, earlier)) == kept[1:]
    # Neither runs of another version nor their claims are kept.
    old = [runs[0], runs[1] | {"version": "0.0.1"}]
    assert list(board.claims({}, {"runs": old, "claims": kept})) == []
    new = {name: trials([0], [4, 3, 3]) for name in (other.better, other.worse)}
    [first, second] = board.claims(new, earlier)
    assert first == kept[1] and (second["claim"], second["difference"]) == (other.text, 0.0)
