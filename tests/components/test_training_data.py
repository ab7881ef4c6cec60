"""Warnings about the training data."""

import shutil

import pytest
from parser_fixtures import read_sample
from spacy.training import Example
from spacy.training.initialize import init_nlp
from tiny import tiny_config, write_part


@pytest.mark.parametrize(
    "dev, is_warned", [("train.conllu", True), ("copy", True), ("dev.conllu", False)]
)
def test_same_files_are_warned_of(tmp_path, caplog, dev, is_warned):
    for part in ("train", "dev"):
        write_part(part, tmp_path / f"{part}.conllu", 12)
    (tmp_path / "copy").mkdir()
    shutil.copy(tmp_path / "train.conllu", tmp_path / "copy" / "other.conllu")
    config = tiny_config()
    config["paths"].update(train=[str(tmp_path / "train.conllu")], dev=str(tmp_path / dev))
    init_nlp(config)
    message = f"{tmp_path / 'train.conllu'} is both trained and evaluated on"
    assert (message in caplog.text) == is_warned
    assert sum(message in one.getMessage() for one in caplog.records) == int(is_warned)


def test_without_dev_file_it_is_said_how_to_make_one(tmp_path):
    config = tiny_config()
    config["paths"]["train"] = str(write_part("train", tmp_path / "train.conllu", 12))
    with pytest.raises(ValueError, match="is not set.*npparse prepare TRAIN.conllu FOLDER --split"):
        init_nlp(config)


def test_texts_without_trees_do_not_ask_for_more_sentences(make_nlp, caplog):
    nlp = make_nlp("mst")
    with pytest.raises(ValueError, match="parser: there are no weights yet. Call nlp.initialize()"):
        nlp("Das ist gut .")
    doc = nlp.make_doc("Das ist gut .")
    nlp.initialize(lambda: [Example(doc, doc)])
    assert "several sentences" not in caplog.text
    nlp.initialize(lambda: read_sample(nlp))
    assert "several sentences" in caplog.text
