"""Tests of the command `leaderboard`, with tiny models and a few training steps."""

import json
import re
import shutil
from pathlib import Path

import in_process
import pytest
import spacy
from filelock import FileLock
from tiny import tiny_config, write_part
from typer.testing import CliRunner

from spacy_npparse.cli import app
from spacy_npparse.files import checksum
from spacy_npparse.models import known_treebanks

BEAM = "attardi,decoder.beam_width=2"
CODE = """
import spacy


@spacy.registry.callbacks("test_laboratory_witness")
def make():
    return lambda nlp: nlp
"""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Return a folder with a train and a dev file of a few sentences, and a fast config."""
    folder = tmp_path_factory.mktemp("leaderboard")
    for part in ("train", "dev"):
        write_part(part, folder / f"{part}.conllu", 30)
    config = tiny_config()
    config["nlp"]["after_creation"] = {"@callbacks": "test_laboratory_witness"}
    config.to_disk(folder / "tiny.cfg")
    (folder / "code.py").write_text(CODE)
    return folder


@pytest.fixture
def inline(monkeypatch):
    """Run trainings and evaluations in this process."""
    monkeypatch.setattr(
        "spacy_npparse.scaling.workers.ProcessPoolExecutor", in_process.InlineExecutor
    )
    monkeypatch.setattr("spacy_npparse.laboratory.pipeline.run_module", in_process.run_module)


@pytest.fixture(scope="module")
def board(files):
    """Return a function that makes the leaderboard, or continues it."""

    def make(
        parsers, seeds="0", updates=6, dev="dev.conllu", config="tiny.cfg", raw=False, test=None
    ):
        command = ["leaderboard", files / "train.conllu", files / dev, files / "board"]
        command += ["--config", files / config, "--updates", updates, "--processes", 2]
        command += ["--parsers", parsers, "--seeds", seeds, "--code", files / "code.py"]
        command += ["--raw"] * raw + ["--test", test] * bool(test)
        return CliRunner().invoke(app, [str(argument) for argument in command])

    return make


@pytest.fixture(scope="module")
def made(board, files):
    """Return the folder of a leaderboard of one seed, and the result of the command."""
    result = board(f"mst attardi {BEAM} spacy attardi,model.tok2vec.width=7")
    return files / "board", result


def report(folder, gold="dev"):
    return json.loads((folder / f"leaderboard-{gold}.json").read_text(encoding="utf-8"))


def test_every_parser_is_ranked(made):
    folder, result = made
    parsers = report(folder)["parsers"]
    assert {p["name"] for p in parsers} == {"mst", "attardi", BEAM, "spacy"}
    las = [p["scores"]["LAS"] for p in parsers]
    assert las == sorted(las, reverse=True)
    assert [p["name"] for p in parsers if p["peer"]] == ["spacy"]
    trees = result.stdout.split("\n\n")[0].splitlines()
    header, _, *rows = [[cell.strip() for cell in line.split("|")] for line in trees]
    table = {cells[0]: dict(zip(header, cells, strict=True)) for cells in rows}
    for parser in parsers:
        cells = table[parser["name"]]
        assert cells["LAS"] == f"{100 * parser['scores']['LAS']:.2f}"
        assert cells["group"] == parser["groups"]
        [trial] = parser["trials"]
        # Parsers are evaluated after each update, and before the first update.
        assert [update for update, _ in trial["curve"]] == list(range(7))
        assert parser["words_per_second"] > 0 and parser["training_minutes"] > 0
    page = (folder / "leaderboard-dev.html").read_text(encoding="utf-8")
    assert all(f".\xa0{p['name']}<" in page for p in parsers)


def test_the_report_says_what_it_was_made_from(made):
    folder, _ = made
    source = report(folder)["provenance"]
    assert [Path(name).name for name in source["checksums"]] == [
        *("train.conllu", "dev.conllu", "tiny.cfg", "code.py")
    ]
    assert source["command"].startswith("python -m spacy_npparse leaderboard ")


def test_a_failed_training_stops_no_other(made):
    _, result = made
    assert result.exit_code == 1
    assert (
        "✘ attardi,model.tok2vec.width=7, seed 0: spacy ended with exit code 1. The end of"
        in result.stderr
    )
    assert "7x8" in result.stderr.split("width=7, seed 0")[1]
    assert "1 runs failed; all others are in the report." in result.stderr


def test_predictions_are_those_of_the_model(made):
    folder, _ = made
    [place] = (folder / "predictions").iterdir()
    names = {path.stem for path in place.glob("*.conllu")}
    assert names == {"mst-0", "attardi-0", f"{BEAM}-0", "spacy-0"}
    # The beam searches with the model of the greedy parser.
    assert {path.name for path in (folder / "models").iterdir()} == {
        *("mst-0", "attardi-0", "spacy-0", "attardi,model.tok2vec.width=7-0.unfinished")
    }
    # No checkpoint is selected on the file that the parsers parse.
    assert {path.name for path in folder.glob("models/*-0/model-*")} == {"model-last"}
    [trial] = report(folder)["parsers"][0]["trials"]
    scored = CliRunner().invoke(
        app, ["score", str(folder.parent / "dev.conllu"), trial["file"], "--json", str(place / "s")]
    )
    assert scored.exit_code == 0
    official = json.loads((place / "s").read_text(encoding="utf-8"))["official"]
    assert official == trial["scores"]["official"]
    (place / "s").unlink()


def test_what_is_done_is_not_done_again(made, board, inline):
    folder, _ = made
    times = {path: path.stat().st_mtime_ns for path in folder.glob("models/*/minutes.json")}
    first = report(folder)
    # The interrupted training of seed 0 starts over, and seed 1 is new.
    stopped = folder / "models" / "mst-0"
    stopped.rename(stopped.with_name("mst-0.unfinished"))
    [prediction] = folder.glob("predictions/*/mst-0.conllu")
    prediction.unlink()
    result = board("mst", "0 1")
    assert result.exit_code == 0, result.stderr
    assert f"⚠ {prediction} is missing: mst-0 parses again." in result.stderr
    assert "2 runs to do" in result.stderr
    assert not stopped.with_name("mst-0.unfinished").exists()
    changed = {path.parent.name for path, t in times.items() if path.stat().st_mtime_ns != t}
    assert changed == {"mst-0"}
    parsers = {p["name"]: p for p in report(folder)["parsers"]}
    assert [t["seed"] for t in parsers["mst"]["trials"]] == [0, 1]
    # Training is reproducible.
    before = next(p for p in first["parsers"] if p["name"] == "mst")["trials"][0]["scores"]
    assert parsers["mst"]["trials"][0]["scores"] == before
    again = board("mst", "0 1")
    assert "0 runs to do" in again.stderr and again.stdout == result.stdout


def test_from_plain_text(made, board, files, inline):
    """The same models are ranked from plain text, in a separate report."""
    folder, _ = made
    gold_report = report(folder)
    times = {path: path.stat().st_mtime_ns for path in folder.glob("models/*/minutes.json")}
    result = board("attardi spacy", raw=True)
    assert result.exit_code == 0, result.stderr
    assert "2 runs to do" in result.stderr
    assert "Ranked by LAS (F1) from plain text." in result.stdout
    assert "leaderboard-dev-raw.html" in result.stderr
    assert {path: path.stat().st_mtime_ns for path in times} == times
    found = report(folder, "dev-raw")
    assert found["raw"] and not gold_report["raw"] and report(folder) == gold_report
    for parser in found["parsers"]:
        [trial] = parser["trials"]
        # Parsers predict tokens, but no multiword tokens, which the sample treebank has.
        assert 0.9 < parser["scores"]["Words"] < 1 and parser["scores"]["Sentences"] < 1
        scored = CliRunner().invoke(
            app, ["score", str(files / "dev.conllu"), trial["file"], "--json", str(files / "s")]
        )
        assert scored.exit_code == 0, scored.output
        official = json.loads((files / "s").read_text(encoding="utf-8"))["official"]
        assert official == trial["scores"]["official"]
    page = (folder / "leaderboard-dev-raw.html").read_text(encoding="utf-8")
    assert "Ranked by LAS from plain text." in page
    again = board("attardi spacy", raw=True)
    assert "0 runs to do" in again.stderr and again.stdout == result.stdout


def test_reports_on_files_of_one_name_are_kept_apart(made, board, files, tmp_path, inline):
    folder, _ = made
    page, other = folder / "leaderboard-dev.html", tmp_path / "dev.conllu"
    before = page.read_bytes()
    other.write_bytes(
        b"".join((files / f"{part}.conllu").read_bytes() for part in ("train", "dev"))
    )
    result = board("mst", test=other)
    assert result.exit_code == 0, result.stderr
    name = f"dev-{checksum(other)[:8]}"
    assert (folder / f"leaderboard-{name}.html").exists() and page.read_bytes() == before
    assert str(other) in report(folder, name)["provenance"]["checksums"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"updates": 7}, r"other settings \(updates: \d before, 7 now\)\. Give .* another folder"),
        ({"dev": "train.conllu"}, r"other settings \(dev: \w+ before, \w+ now\)"),
        ({"seeds": "one"}, '--seeds is "one"'),
        ({"parsers": " "}, "--parsers names no parser"),
        ({"parsers": "nothing"}, "there is no parser 'nothing'"),
        ({"parsers": "mst,factory.x=1"}, "the setting factory has no settings of its own"),
        ({"dev": "none.conllu"}, "none.conllu: no such file"),
        ({"config": "none.cfg"}, "none.cfg: no such file. Give --config"),
    ],
)
def test_errors(made, board, options, message):
    result = board(**{"parsers": "mst", **options})
    assert result.exit_code == 1
    assert re.search(message, result.stderr), result.stderr


def test_a_folder_in_use(made, board):
    folder, _ = made
    with FileLock(folder / ".lock"):
        result = board("mst")
    assert result.exit_code == 1
    assert result.stderr == (
        f"✘ Another process is making a leaderboard in {folder}. Wait until it has ended, or give "
        "another folder.\n"
    )


def test_code_is_part_of_the_experiment(made, board, files):
    """All trainings and workers have imported the code, because the config uses its callback."""
    folder, _ = made
    code = files / "code.py"
    assert report(folder)["provenance"]["checksums"][str(code)]
    code.write_text(CODE + "# changed\n")
    result = board("mst")
    code.write_text(CODE)
    assert result.exit_code == 1 and "other settings (code: " in result.stderr


def test_several_treebanks(files, inline):
    other = write_part("dev", files / "xx_other-ud-train.conllu", 10)
    other.write_text(other.read_text(encoding="utf-8").replace("\tnsubj\t", "\tsubject\t"), "utf-8")
    command = ["leaderboard", files / "train.conllu", files / "dev.conllu", files / "joint"]
    command += ["--config", files / "tiny.cfg", "--code", files / "code.py", "--updates", 2]
    command += ["--parsers", "mst spacy"]
    twice = [*map(str, command), "--also-train", str(files / "train.conllu")]
    result = CliRunner().invoke(app, twice)
    assert result.exit_code == 1 and "train.conllu is given twice" in result.stderr
    result = CliRunner().invoke(app, [*map(str, command), "--also-train", str(other)])
    assert result.exit_code == 0, result.stderr
    assert [Path(name).name for name in report(files / "joint")["provenance"]["checksums"]][:2] == [
        "train.conllu",
        "xx_other-ud-train.conllu",
    ]
    parser = spacy.load(files / "joint" / "models" / "mst-0" / "model-last")
    assert "subject" in parser.get_pipe("parser").labels
    assert known_treebanks(parser) == sorted([files.name, "xx_other"])
    encoder = parser.config["components"]["tok2vec"]["model"]
    assert encoder["treebank_embedding"] and encoder["treebank"] == files.name
    peer = spacy.load(files / "joint" / "models" / "spacy-0" / "model-last")
    assert any("subject" in label for label in peer.get_pipe("parser").labels)
    result = CliRunner().invoke(app, [str(argument) for argument in command])
    assert result.exit_code == 1 and "other settings (also_train: [" in result.stderr
    shutil.rmtree(files / "joint")


def test_udpipe(files, monkeypatch):
    monkeypatch.setattr(
        "spacy_npparse.scaling.workers.ProcessPoolExecutor", in_process.InlineExecutor
    )
    monkeypatch.setattr("spacy_npparse.laboratory.udpipe.TOKENIZER", "epochs=1;segment_size=10")
    # The trainers of tagger and parser do 50 iterations in any case.
    train, dev = (write_part(part, files / f"few-{part}.conllu", 10) for part in ("train", "dev"))
    command = ["leaderboard", train, dev, files / "peer"]
    command += ["--config", files / "tiny.cfg", "--parsers", "udpipe", "--seeds", "0 1"]
    result = CliRunner().invoke(app, [str(argument) for argument in command])
    assert result.exit_code == 0, result.stderr
    [parser] = report(files / "peer", "few-dev")["parsers"]
    # UDPipe's trainer has only one seed.
    assert parser["peer"] and len(parser["trials"]) == 1
    assert parser["scores"]["UAS"] > 0.2 and parser["trials"][0]["curve"] == []
    # From plain text, UDPipe predicts tokens and sentences.
    result = CliRunner().invoke(app, [*map(str, command), "--raw"])
    assert result.exit_code == 0, result.stderr
    scores = report(files / "peer", "few-dev-raw")["parsers"][0]["scores"]
    assert scores["Words"] > 0.9 and scores["Sentences"] > 0.5 and scores["UAS"] > 0.2
    assert scores != parser["scores"]
    shutil.rmtree(files / "peer")
