"""Tests of the command `evaluate`."""

import gc
import json
import re
import shutil
import subprocess
from importlib.metadata import PackageNotFoundError

import pytest
import spacy
from spacy.tokens import Doc
from thinc.compat import has_gpu

from spacy_npparse import extras
from spacy_npparse.cli import evaluate
from spacy_npparse.evaluation import ScoreSum
from spacy_npparse.treebank import raw_texts, read_conllu


def official(path):
    return json.loads(path.read_text())["official"]


@pytest.mark.parametrize("options", [(), ("--sentences-per-doc", 7), ("--raw",)])
def test_scores_are_those_of_the_output(run, model, dev, tmp_path, options):
    predicted, scores, again = (tmp_path / name for name in ("p.conllu", "a.json", "b.json"))
    result = run("evaluate", model, dev, "--output", predicted, "--json", scores, *options)
    assert result.exit_code == 0, result.output
    scored = run("score", dev, predicted, "--json", again)
    evaluated, of_output = (json.loads(path.read_text()) for path in (scores, again))
    source = evaluated.pop("provenance")
    assert list(source["checksums"]) == [str(dev)]
    assert source["command"].startswith(f"python -m spacy_npparse evaluate {model} {dev}")
    assert of_output.pop("provenance") != source and evaluated == of_output
    assert scored.stdout in result.stdout


def test_gold_tokens_and_sentences_are_kept(run, model, dev, tmp_path):
    scores = {}
    for n in (1, 7, 0):
        path = tmp_path / f"{n}.json"
        result = run("evaluate", model, dev, "--sentences-per-doc", n, "--json", path)
        assert result.exit_code == 0, result.output
        assert "gold tokens and sentences: 120 sentences, 1,490 words" in result.output
        scores[n] = official(path)
        for name in ("Tokens", "Sentences", "Words"):
            assert scores[n][name]["f1"] == 1
    # The pipeline has no tagger, and the gold tags do not reach the output.
    assert scores[1]["UPOS"]["f1"] == 0 and scores[1]["LAS"]["f1"] < 0.9


@pytest.mark.parametrize("options", [(), ("--output",), ("--raw",)])
def test_docs_are_not_kept(run, model, dev, tmp_path, monkeypatch, options):
    # The vectors of a million words would take more than a gigabyte.
    class CountingDocs(ScoreSum):
        def finish(self):
            gc.collect()
            alive.append(sum(type(one) is Doc for one in gc.get_objects()))
            return super().finish()

    gc.collect()
    alive = [sum(type(one) is Doc for one in gc.get_objects())]
    monkeypatch.setattr(evaluate, "ScoreSum", CountingDocs)
    output = [tmp_path / "predicted.conllu"] if options == ("--output",) else []
    result = run("evaluate", model, dev, *options, *output)
    assert result.exit_code == 0, result.output
    assert alive[1] <= alive[0] + 2


def test_output_may_keep_gold_columns_that_do_not_count(run, model, dev, tmp_path):
    bare, kept, plain, scored = (tmp_path / n for n in ("b.conllu", "k.conllu", "b.json", "k.json"))
    assert run("evaluate", model, dev, "--output", bare, "--json", plain).exit_code == 0
    options = ("--keep", "LEMMA", "--keep", "MISC", "--sentences-per-doc", 7)
    result = run("evaluate", model, dev, "--output", kept, "--json", scored, *options)
    assert result.exit_code == 0, result.output
    assert official(scored)["Lemmas"] == official(plain)["Lemmas"]
    gold = [(w.lemma, w.misc) for sentence in read_conllu(dev) for w in sentence.words]
    words = [w for sentence in read_conllu(kept) for w in sentence.words]
    assert [(w.lemma, w.misc) for w in words] == gold and {w.upos for w in words} == {"_"}
    assert {w.lemma for sentence in read_conllu(bare) for w in sentence.words} == {"_"}


@pytest.mark.skipif(shutil.which("udvalidate") is None, reason="udvalidate is not installed")
@pytest.mark.parametrize("options", [(), ("--raw",)])
def test_validation_is_that_of_the_output(run, model, dev, tmp_path, options):
    output, scores, again = (tmp_path / name for name in ("p.conllu", "a.json", "b.json"))
    tagged = spacy.load(model)
    tagged.add_pipe("attribute_ruler").add([[{}]], {"POS": "NOUN"})
    tagged.to_disk(tmp_path / "tagged")
    files = ("--output", output, "--json", scores)
    result = run("evaluate", tmp_path / "tagged", dev, "--validate", *files, *options)
    assert result.exit_code == 0, result.output
    found = json.loads(scores.read_text())["validation"]
    assert found["gold"]["errors"] == 0 and found["gold"]["words"] == 1490
    predicted = found["predicted"]
    assert predicted["errors"] > 0 and any(
        name.startswith("rel-upos") for name in predicted["by_test"]
    )
    assert predicted["sentences_incomplete"] == 0
    row = rf"^All +\| +0 \| +{predicted['errors']:,} \| +0\.00 \| "
    assert re.search(row, result.stdout, re.MULTILINE)
    scored = run("score", dev, output, "--validate", "--json", again)
    assert json.loads(again.read_text())["validation"] == found
    assert scored.stdout in result.stdout
    plain = run("evaluate", tmp_path / "tagged", dev, *options)
    assert result.stdout.startswith(plain.stdout) and "alidator" not in plain.stdout


@pytest.mark.skipif(shutil.which("udvalidate") is None, reason="udvalidate is not installed")
def test_validation_needs_tags(run, model, dev):
    result = run("evaluate", model, dev, "--validate")
    assert result.exit_code == 0, result.output
    assert "Of 120 predicted sentences, 120 have words without UPOS" in result.stdout


def test_missing_validator_is_told_before_anything_is_parsed(run, dev, monkeypatch):
    def missing(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr(extras, "version", missing)
    for command in (("evaluate", "no model", dev), ("score", dev, dev)):
        result = run(*command, "--validate")
        assert result.exit_code == 1 and "pip install 'spacy-npparse[validate]'" in result.output
        assert result.stdout == ""


@pytest.mark.skipif(shutil.which("udeval") is None, reason="udeval is not installed")
def test_enhanced_dependencies_are_not_copied(run, model, tmp_path):
    gold, output = tmp_path / "gold.conllu", tmp_path / "out.conllu"
    gold.write_text(
        "1\tDie\t_\t_\t_\t_\t2\tdet\t2:det\t_\n2\tFrau\t_\t_\t_\t_\t0\troot\t0:root\t_\n\n"
    )
    for options, elas in (((), "0.00"), (("--keep", "DEPS"), "100.00")):
        assert run("evaluate", model, gold, "--output", output, *options).exit_code == 0
        table = subprocess.run(
            ["udeval", "-v", gold, output], capture_output=True, text=True, check=True
        ).stdout
        [row] = [line.split("|") for line in table.splitlines() if line.startswith("ELAS")]
        assert row[3].strip() == elas


def test_plain_text(run, model, dev, tmp_path):
    predicted, scores = tmp_path / "predicted.conllu", tmp_path / "scores.json"
    result = run("evaluate", model, dev, "--raw", "--output", predicted, "--json", scores)
    assert result.exit_code == 0, result.output
    assert f"{dev}, plain text: " in result.output
    # The pipeline splits no multiword tokens, and the ends of sentences are not given.
    assert 0.9 < official(scores)["Words"]["f1"] < 1
    assert official(scores)["Sentences"]["f1"] < 1
    texts = ["".join("".join(raw_texts(read_conllu(path))).split()) for path in (dev, predicted)]
    assert texts[0] == texts[1]


def test_paragraphs_are_texts_of_their_own(run, model, tmp_path):
    gold, scores = tmp_path / "gold.conllu", tmp_path / "scores.json"
    sentence = "1\tDie\t_\t_\t_\t_\t2\tdet\t_\t_\n2\tFrau\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
    gold.write_text("".join(f"# newpar\n{sentence}" for _ in range(5)))
    unsplit = tmp_path / "unsplit"
    preset = {"components.parser.sentences": "preset"}
    spacy.load(model, exclude=["senter"], config=preset).to_disk(unsplit)
    assert run("evaluate", unsplit, gold, "--raw", "--json", scores).exit_code == 0
    assert official(scores)["Sentences"]["f1"] == 1


def test_errors(run, model, dev, tmp_path):
    gold = tmp_path / "gold.conllu"
    for content, message in [
        (dev.read_text().replace("\troot\t", "\t", 1), ": 9 columns instead of 10"),
        ("", "no sentence to evaluate on"),
    ]:
        gold.write_text(content)
        result = run("evaluate", model, gold)
        assert result.exit_code == 1 and message in result.output
        assert str(gold) in result.output and "Traceback" not in result.output
    for arguments, message in [
        ((model, dev, "--output", tmp_path / "out.txt"), "a name that ends in .conllu"),
        ((model, dev, "--keep", "MISC"), "Give it with --output, and without --raw"),
        ((model, dev, "--raw", "--sentences-per-doc", 2), "Give it without --raw"),
        ((tmp_path / "no", dev), "no such pipeline"),
        ((model, tmp_path / "no.conllu"), "no such file"),
    ]:
        result = run("evaluate", *arguments)
        assert result.exit_code == 1 and message in result.output


@pytest.mark.skipif(has_gpu, reason="this machine has a GPU")
def test_no_gpu(run, model, dev):
    result = run("evaluate", model, dev, "--gpu-id", 0)
    assert result.exit_code == 1 and "✘ GPU 0: " in result.output and "CuPy" in result.output
