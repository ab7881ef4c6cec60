"""Self-training, from raw text to a parser that has learnt from it."""

import spacy
from spacy.cli.train import train
from tiny import tiny_config, write_part

from spacy_npparse.treebank import read_conllu

TEXT = "Die Frau schläft.\n\nWas glaubt der Arzt?\n\nDer Arzt schläft."


def test_a_parser_learns_from_what_another_is_sure_of(run, model, tmp_path):
    gold = write_part("train", tmp_path / "hu-ud-train.conllu", 10)
    silver, raw = tmp_path / "hu_silver-ud-train.conllu", tmp_path / "raw.txt"
    raw.write_text(TEXT)
    result = run("parse", model, raw, silver, "--min-confidence", 0.0)
    assert result.exit_code == 0, result.output
    assert all(0 <= float(s.metadata["confidence"]) <= 1 for s in read_conllu(silver))
    words = [word for s in read_conllu(silver) for word in s.words]
    assert sum("HeadDistribution=" in word.misc for word in words) > len(words) / 2
    config = tiny_config()
    config["components"]["tok2vec"]["model"].update(treebank_embedding=True, treebank="hu")
    config["paths"].update(train={str(gold): 2, str(silver): 1}, dev=str(gold))
    config.to_disk(tmp_path / "config.cfg")
    train(tmp_path / "config.cfg", tmp_path / "student")
    nlp = spacy.load(tmp_path / "student" / "model-best")
    assert nlp.get_pipe("tok2vec").model.attrs["treebanks"] == ["hu", "hu_silver"]
    assert nlp("Die Frau schläft.").has_annotation("DEP")
