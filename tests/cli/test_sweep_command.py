"""Tests of the command `sweep`, with contestants whose training takes no time."""

import json
import re
from functools import partial

import pytest
from cheap_contestant import CheapContestant
from filelock import FileLock
from in_process import InlineExecutor
from tiny import write_part

from spacy_npparse.laboratory.component import ComponentPipeline
from spacy_npparse.laboratory.names import PEERS

FATES: dict[str, str] = {}


@pytest.fixture(autouse=True)
def cheap(monkeypatch):
    """Register contestants whose training fails if FATES has a reason."""
    FATES.clear()

    def contestant(name):
        return CheapContestant(name, name, fate=FATES.get(name, ""))

    for name in ("a", "b", "c"):
        monkeypatch.setitem(PEERS, name, partial(contestant, name))
    monkeypatch.setattr("spacy_npparse.scaling.workers.ProcessPoolExecutor", InlineExecutor)


@pytest.fixture
def treebanks(tmp_path):
    """Return two folders with the layout of Universal Dependencies treebanks."""
    folders = [tmp_path / "ud" / name for name in ("UD_One", "UD_Two")]
    for number, folder in enumerate(folders, 2):
        folder.mkdir(parents=True)
        for part in ("train", "dev", "test"):
            write_part(part, folder / f"xx-ud-{part}.conllu", number)
    return folders


@pytest.fixture
def sweep(run, treebanks, tmp_path):
    def make(*options, parsers="a b"):
        return run("sweep", *treebanks, tmp_path / "out", "--parsers", parsers, *options)

    return make


def report(tmp_path, name="sweep-dev"):
    return json.loads((tmp_path / "out" / f"{name}.json").read_text(encoding="utf-8"))


def test_each_treebank_and_all(sweep, run, treebanks, tmp_path):
    result = sweep("--seeds", "0 1")
    assert result.exit_code == 0, result.output
    assert "8 runs to do" in result.stderr
    found = report(tmp_path)
    assert found["treebanks"] == found["compared"] == ["UD_One", "UD_Two"]
    assert [parser["mean_rank"] for parser in found["parsers"]] == [1.5, 1.5]
    checked = {path.rpartition("/ud/")[2] for path in found["provenance"]["checksums"]}
    assert {"UD_One/xx-ud-train.conllu", "UD_Two/xx-ud-dev.conllu"} < checked
    page = (tmp_path / "out/sweep-dev.html").read_text(encoding="utf-8")
    links = re.findall(r'href="(.*?)"', page)
    assert links == [f"{one.name}/leaderboard-xx-ud-dev.html" for one in treebanks]
    assert all((tmp_path / "out" / link).is_file() for link in links)
    # Finished runs are not repeated, and `leaderboard` can continue one treebank alone.
    assert "0 runs to do" in sweep("--seeds", "0 1").stderr
    one = treebanks[0]
    alone = run(
        *("leaderboard", one / "xx-ud-train.conllu", one / "xx-ud-dev.conllu"),
        *(tmp_path / "out" / "UD_One", "--parsers", "a b c", "--seeds", "0 1"),
    )
    assert alone.exit_code == 0 and "2 runs to do" in alone.stderr
    assert "2 runs to do" in sweep("--seeds", "0 1", parsers="a b c").stderr
    assert len(report(tmp_path)["parsers"]) == 3


def test_folders_can_be_given_by_two_dots(run, treebanks, tmp_path):
    (treebanks[0] / "inside").mkdir()
    result = run("sweep", treebanks[0] / "inside" / "..", tmp_path / "out", "--parsers", "a")
    assert result.exit_code == 0 and report(tmp_path)["treebanks"] == ["UD_One"]


def test_reports_on_files_of_the_same_name(run, treebanks, tmp_path):
    one, two = (folder / "xx-ud-dev.conllu" for folder in treebanks)
    command = ("leaderboard", treebanks[0] / "xx-ud-train.conllu", one, tmp_path / "out")
    for options in (("--test", two), (), ("--test", two)):
        assert run(*command, "--parsers", "a", *options).exit_code == 0
    reports = (tmp_path / "out").glob("leaderboard-*.json")
    assert sorted(json.loads(path.read_text())["gold"] for path in reports) == [str(one), str(two)]


def test_a_parser_that_is_named_in_two_ways_is_trained_once(sweep, monkeypatch):
    def fail(*_):
        raise ValueError("not trained")

    monkeypatch.setattr(ComponentPipeline, "train", fail)
    result = sweep(parsers="mst mst_parser")
    assert "2 runs to do" in result.stderr and "2 runs failed" in result.stderr


def test_the_test_files_and_plain_text(sweep, tmp_path):
    assert sweep("--test", parsers="a").exit_code == 0
    assert (tmp_path / "out/UD_One/leaderboard-xx-ud-test.html").is_file()
    result = sweep("--test", "--raw", parsers="a")
    assert result.exit_code == 0 and report(tmp_path, "sweep-test-raw")["raw"]
    # The model was trained only once.
    assert (tmp_path / "out/UD_One/models/a-0/trained").read_text() == "a\n"


def test_what_fails_and_what_is_damaged(sweep, tmp_path):
    FATES["b"] = "bad luck"
    result = sweep()
    assert result.exit_code == 1
    assert "✘ UD_One, b, seed 0: bad luck\n✘ UD_Two, b, seed 0: bad luck" in result.stderr
    assert "2 runs failed; all others are in the reports." in result.stderr
    assert [parser["name"] for parser in report(tmp_path)["parsers"]] == ["a"]
    del FATES["b"]
    [prediction] = tmp_path.glob("out/UD_Two/predictions/*/a-0.conllu")
    prediction.write_text("")
    result = sweep()
    assert result.exit_code == 0 and "3 runs to do" in result.stderr
    assert f"⚠ {prediction} has changed since it was written: a-0 parses again." in result.stderr
    assert len(report(tmp_path)["parsers"]) == 2


def test_errors(run, sweep, treebanks, tmp_path):
    def message(*arguments):
        result = run("sweep", *arguments)
        assert result.exit_code == 1 and "Traceback" not in result.output
        assert not (tmp_path / "out").exists()
        return result.stderr

    one, two = treebanks
    out = tmp_path / "out"
    assert f"{tmp_path / 'no'}: no such folder" in message(one, tmp_path / "no", out)
    assert "two treebanks are called UD_One" in message(one, two / ".." / "UD_One", out)
    assert f"{two} is a treebank. The last argument" in message(one, two)
    assert f"{one} is a treebank" in message(one, one.parent)
    assert "--address is that of a cluster of Ray" in message(one, out, "--address", "x:1")
    assert '--seeds is "x"' in message(one, out, "--seeds", "x")
    (two / "xx-ud-test.conllu").unlink()
    assert f"{two}: no file *-ud-test.conllu" in message(one, two, out, "--test")
    (two / "xx-ud-dev.conllu").write_text("1\tx" + 8 * "\t_" + "\n\n")
    assert "xx-ud-dev.conllu: no word with a head" in message(one, two, out)
    (two / "xx-ud-dev.conllu").write_text("1\tx\n\n")
    assert "xx-ud-dev.conllu, line 1" in message(one, two, out)
    (two / "xx-ud-train.conllu").unlink()
    assert f"{two}: no file *-ud-train.conllu" in message(one, two, out)


def test_other_settings_and_folders_in_use(sweep, tmp_path):
    assert sweep(parsers="a").exit_code == 0
    result = sweep("--updates", "5", parsers="a")
    assert result.exit_code == 1
    assert "UD_One was started with other settings (updates: None before, 5 now)" in result.stderr
    with FileLock(tmp_path / "out/UD_Two/.lock"):
        result = sweep(parsers="a")
    assert result.exit_code == 1 and "UD_Two. Wait until it has ended" in result.stderr


def test_an_interrupted_sweep_says_how_to_continue(sweep, monkeypatch):
    def interrupted(self, task, seed, folder):
        raise KeyboardInterrupt

    monkeypatch.setattr(CheapContestant, "train", interrupted)
    result = sweep()
    assert result.exit_code == 130
    message = "Interrupted. To continue, run the command again: python -m spacy_npparse sweep "
    assert message in result.stderr
