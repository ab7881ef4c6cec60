"""Tests of the command `calibrate`."""

import errno
import json
import os

import pytest
import spacy
from spacy.language import Language
from tiny import UNCUT

from spacy_npparse.treebank import read_conllu


@pytest.fixture
def half_right(run, model, dev, tmp_path):
    """Return a file with the pipeline's own trees, and other labels at every second word. Gold
    trees will not do, because the accuracy of so small a pipeline depends on the machine."""
    labels = spacy.load(model).get_pipe("parser").label_data
    parsed = tmp_path / dev.name
    result = run("parse", model, dev, parsed)
    assert result.exit_code == 0, result.output
    lines = parsed.read_text().splitlines()
    for number, line in enumerate(lines):
        fields = line.split("\t")
        if fields[0].isdecimal() and int(fields[0]) % 2 and fields[6] != "0":
            fields[7] = next(label for label in labels if label != fields[7])
            lines[number] = "\t".join(fields)
    parsed.write_text("\n".join([*lines, ""]))
    return parsed


def test_temperatures_are_saved(run, model, half_right, tmp_path):
    dev = half_right
    out, page, numbers = (tmp_path / name for name in ("out", "page.html", "numbers.json"))
    result = run("calibrate", model, dev, out, "--html", page, "--json", numbers)
    assert result.exit_code == 0, result.output
    found = json.loads(numbers.read_text())
    temperatures = spacy.load(out).get_pipe("parser").temperatures
    assert found["temperatures"]["heads"] == pytest.approx(
        {"before": 1.0, "after": temperatures.heads}
    )
    assert found["temperatures"]["labels"] == pytest.approx(
        {"before": 1.0, "after": temperatures.labels}
    )
    assert temperatures.labels != 1.0
    for of_kind in found["predictions"].values():
        assert of_kind["before"]["accuracy"] == pytest.approx(of_kind["after"]["accuracy"])
    for name in ("heads", "labels of correct heads"):
        of_kind = found["predictions"][name]
        assert of_kind["after"]["log_loss"] <= of_kind["before"]["log_loss"] + 1e-6
    n_words = sum(len(sentence.words) for sentence in read_conllu(dev))
    assert found["predictions"]["heads"]["after"]["count"] == n_words
    content = page.read_text()
    assert f"<h1>Calibration on {dev.name}</h1>" in content
    assert content.count('<canvas role="img" aria-label="Reliability diagram') == 3
    assert f"Temperature of heads: 1.000 before, {temperatures.heads:.3f} after" in result.output


def test_measured_on_another_file(run, model, dev, tmp_path):
    small = tmp_path / "small.conllu"
    sentences = list(read_conllu(dev))[:2]
    small.write_text("".join(f"{sentence}\n\n" for sentence in sentences))
    numbers = tmp_path / "numbers.json"
    result = run("calibrate", model, dev, tmp_path / "out", "--test", small, "--json", numbers)
    assert result.exit_code == 0, result.output
    found = json.loads(numbers.read_text())
    n_words = sum(len(sentence.words) for sentence in sentences)
    assert found["predictions"]["heads"]["before"]["count"] == n_words
    assert set(found["provenance"]["checksums"]) == {str(dev), str(small)}


def test_uncut_tokens_are_left_out(run, model, half_right, tmp_path):
    before = run("calibrate", model, half_right, tmp_path / "before")
    with half_right.open("a") as file:
        file.write("\n" + UNCUT)
    after = run("calibrate", model, half_right, tmp_path / "after")
    assert after.exit_code == 0, after.output
    assert "1 sentences are left out" in after.output
    assert after.stdout == before.stdout


def test_half_a_pipeline_is_not_left(run, model, dev, tmp_path, monkeypatch):
    def fail(self, path, **options):
        (path / "half").write_text("")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Language, "to_disk", fail)
    result = run("calibrate", model, dev, tmp_path / "out")
    assert result.exit_code == 1 and f"{tmp_path / 'out'}: cannot be written" in result.output
    assert not [path for path in tmp_path.rglob("*") if path.name in ("half", "out")]


def test_nothing_is_overwritten(run, model, dev, tmp_path):
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "file").write_text("")
    result = run("calibrate", model, dev, tmp_path / "kept")
    assert result.exit_code == 1 and "Give a new folder" in result.output
    result = run("calibrate", model, dev, tmp_path / "out", "--json", tmp_path / "out")
    assert result.exit_code == 1 and "are one file" in result.output


@pytest.mark.parametrize("text", ["", "1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n\n"])
def test_files_without_trees_are_named(run, model, tmp_path, text):
    path = tmp_path / "empty.conllu"
    path.write_text(text)
    result = run("calibrate", model, path, tmp_path / "out")
    assert result.exit_code == 1 and "empty.conllu: no word with a head" in result.output
    assert not (tmp_path / "out").exists()


def test_labels_that_the_parser_does_not_know_are_told(run, model, tmp_path):
    path = tmp_path / "odd.conllu"
    lines = ["1\ta\t_\t_\t_\t_\t2\todd\t_\t_", "2\tb\t_\t_\t_\t_\t0\troot\t_\t_"]
    lines += ["3\tc\t_\t_\t_\t_\t2\troot\t_\t_"]
    path.write_text("\n".join(lines) + "\n\n")
    result = run("calibrate", model, path, tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert "odd.conllu: 2 words have labels that the parser does not know" in result.output
