"""Tests of the command `learn-rules`."""

from pathlib import Path

import pytest
import spacy

from spacy_npparse.treebank import read_conllu
from spacy_npparse.treebank.label_rules import treebank_rules


def test_a_pipeline_gets_the_rules_of_a_treebank(run, model, train, tmp_path):
    before = spacy.load(model)
    before.get_pipe("parser").label_rules = ()
    before.to_disk(tmp_path / "before")
    result = run("learn-rules", tmp_path / "before", train, tmp_path / "after")
    assert result.exit_code == 0, result.output
    rules = spacy.load(tmp_path / "after").get_pipe("parser").label_rules
    assert list(rules) == treebank_rules(read_conllu(train))
    assert "at most one of the dependents of a word" in result.output
    again = run("learn-rules", tmp_path / "before", train, tmp_path / "after")
    assert again.exit_code == 1 and "after" in again.output


def test_a_pipeline_without_a_parser_of_ours_is_refused(run, train, tmp_path):
    nlp = spacy.blank("xx")
    nlp.add_pipe("parser")
    nlp.get_pipe("parser").add_label("nsubj")
    nlp.initialize()
    nlp.to_disk(tmp_path / "other")
    result = run("learn-rules", tmp_path / "other", train, tmp_path / "after")
    assert result.exit_code == 1
    assert "this pipeline has no parser of spacy_npparse, only: parser" in result.output
    assert not (tmp_path / "after").exists()


def test_a_treebank_without_rules(run, model, tmp_path):
    rows = "".join(f"{i}\tab\t_\t_\t_\t_\t{i - 1}\tdep\t_\t_\n" for i in range(1, 5))
    (tmp_path / "few.conllu").write_text(rows.replace("\t0\tdep", "\t0\troot") + "\n")
    result = run("learn-rules", model, tmp_path / "few.conllu", tmp_path / "after")
    assert result.exit_code == 0 and "The labels follow no rules." in result.output
    assert spacy.load(tmp_path / "after").get_pipe("parser").label_rules == ()


def test_a_treebank_without_trees_is_refused(run, model, tmp_path):
    treebank = tmp_path / "bare.conllu"
    treebank.write_text("1\tGo" + 8 * "\t_" + "\n\n")
    result = run("learn-rules", model, treebank, tmp_path / "after")
    assert result.exit_code == 1 and "bare.conllu: no word with a head" in result.output
    assert not (tmp_path / "after").exists()


@pytest.mark.parametrize("command", ["learn-rules", "calibrate"])
def test_a_pipeline_inside_the_folder_of_the_pipeline_is_refused(run, model, train, command):
    result = run(command, model, train, Path(model) / "copy")
    assert result.exit_code == 1 and "in the folder of the pipeline" in result.output
    assert not (Path(model) / "copy").exists()
