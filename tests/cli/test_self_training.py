"""Tests of self-training, from raw text to a parser that was trained on it."""

import re

import pytest
import spacy
import torch
from spacy.cli.train import train
from tiny import tiny_config, write_part

from spacy_npparse.treebank import ConlluCorpus, read_conllu

TEXT = "Die Frau schläft.\n\nWas glaubt der Arzt?\n\nDer Arzt schläft."


def test_a_parser_learns_from_what_another_is_sure_of(run, model, tmp_path):
    gold = write_part("train", tmp_path / "hu-ud-train.conllu", 10)
    silver, raw = tmp_path / "hu_silver-ud-train.conllu", tmp_path / "raw.txt"
    raw.write_text(TEXT)
    result = run("parse", model, raw, silver, "--min-confidence", 0.0)
    assert result.exit_code == 0, result.output
    assert all(0 <= float(s.metadata["confidence"]) <= 1 for s in read_conllu(silver))
    assert "HeadDistribution" not in silver.read_text()
    config = tiny_config()
    config["components"]["tok2vec"]["model"].update(treebank_embedding=True, treebank="hu")
    config["paths"].update(train={str(gold): 2, str(silver): 1}, dev=str(gold))
    config.to_disk(tmp_path / "config.cfg")
    train(tmp_path / "config.cfg", tmp_path / "student")
    nlp = spacy.load(tmp_path / "student" / "model-best")
    assert nlp.get_pipe("tok2vec").model.attrs["treebanks"] == ["hu", "hu_silver"]
    assert nlp("Die Frau schläft.").has_annotation("DEP")


def test_the_votes_of_an_ensemble_are_written(run, model, tmp_path):
    torch.manual_seed(0)
    nlp = spacy.load(model)
    for name in ("second", "third"):
        other = spacy.load(model)
        for weights in other.get_pipe("parser").model.shims[0].net.parameters():
            weights.data = torch.randn_like(weights)
        nlp.add_pipe("parser", name=name, source=other)
    nlp.add_pipe(
        "ensemble_parser", name="all", config={"members": ["parser", "second", "third"]}, last=True
    )
    nlp.select_pipes(disable=["parser", "second", "third"])
    nlp.to_disk(tmp_path / "teachers")
    silver, raw = tmp_path / "silver.conllu", tmp_path / "raw.txt"
    raw.write_text(TEXT)
    result = run("parse", tmp_path / "teachers", raw, silver, "--min-confidence", 0.0)
    assert result.exit_code == 0, result.output
    divided = [w for s in read_conllu(silver) for w in s.words if "HeadDistribution=" in w.misc]
    assert divided
    for word in divided:
        votes = re.findall(r"([0-9]+):(0\.[0-9]+)", word.misc)
        assert word.head in dict(votes) and {share for _, share in votes} <= {"0.33", "0.67"}
        assert sum(float(share) for _, share in votes) == pytest.approx(1.0, abs=0.011)
    references = [example.reference for example in ConlluCorpus(silver)(spacy.blank("xx"))]
    known = [token._.head_distribution for doc in references for token in doc]
    assert sum(len(found or ()) > 1 for found in known) == len(divided)
    noted = tmp_path / "noted.conllu"
    new = r"\t\1|A=B|HeadDistribution=0:0.61,1:0.39\n"
    text = re.sub(r"\t([^\t\n]+)\n", new, silver.read_text())
    noted.write_text(text.replace("\t_|A", "\tA"))
    for pipeline, n_divided in ((tmp_path / "teachers", len(divided)), (model, 0)):
        options = ("--min-confidence", 0.0, "--keep", "MISC")
        result = run("parse", pipeline, noted, silver, *options)
        assert result.exit_code == 0, result.output
        again = silver.read_text()
        assert again.count("A=B") == noted.read_text().count("A=B")
        assert again.count("HeadDistribution=") == n_divided and ":0.61" not in again
