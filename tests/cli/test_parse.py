"""The command parse, as a user runs it."""

import shutil
import subprocess
import sys

import pytest
import spacy

from spacy_npparse.treebank import read_conllu

TEXT = "Die Frau schläft.\n\n   \nWas glaubt der Arzt? Der Arzt schläft.\n"


def blanked(conllu):
    """The CoNLL-U without annotation: LEMMA to DEPREL of words are `_`."""
    lines = []
    for line in conllu.split("\n"):
        columns = line.split("\t")
        if columns[0].isdigit():
            columns[2:8] = ["_"] * 6
        lines.append("\t".join(columns))
    return "\n".join(lines)


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "in.txt"
    path.write_bytes(TEXT.encode())
    return path


def test_conllu_keeps_all_but_the_annotation(run, model, dev, tmp_path):
    output = tmp_path / "out.conllu"
    result = run("parse", model, dev, output)
    assert result.exit_code == 0, result.output
    assert "120 sentences, 1,490 words in" in result.output and "words/s)" in result.output
    assert blanked(output.read_text()) == blanked(dev.read_text())
    heads = [word.head for sentence in read_conllu(output) for word in sentence.words]
    assert "_" not in heads and heads.count("0") == 120


def test_gold_annotation_makes_no_difference(run, model, dev, tmp_path):
    bare, of_bare, of_gold = (tmp_path / f"{name}.conllu" for name in ("bare", "a", "b"))
    bare.write_text(blanked(dev.read_text()))
    assert run("parse", model, bare, of_bare).exit_code == 0
    assert run("parse", model, dev, of_gold).exit_code == 0
    assert of_bare.read_text() == of_gold.read_text()


def test_text_with_page(run, model, text, tmp_path):
    output, page = tmp_path / "new" / "out.conllu", tmp_path / "new" / "trees.html"
    result = run("parse", model, text, output, "--html", page, "--batch-size", 1)
    assert result.exit_code == 0, result.output
    sentences = list(read_conllu(output))
    forms = [word.form for sentence in sentences for word in sentence.words]
    assert forms == "Die Frau schläft . Was glaubt der Arzt ? Der Arzt schläft .".split()
    assert all(sentence.n_roots == 1 for sentence in sentences)
    assert page.read_text().count("<figure") == len(sentences)
    assert f"{page}: {len(sentences)} trees" in result.output


def test_line_ends_and_byte_order_mark(run, model, text, tmp_path):
    plain, windows = tmp_path / "plain.conllu", tmp_path / "windows.conllu"
    assert run("parse", model, text, plain).exit_code == 0
    text.write_bytes(b"\xef\xbb\xbf" + TEXT.replace("\n", "\r\n").encode())
    assert run("parse", model, text, windows).exit_code == 0
    assert windows.read_text() == plain.read_text()


def test_stdin_and_processes_in_a_program_of_its_own(run, model, text, tmp_path):
    one, two = tmp_path / "one.conllu", tmp_path / "two.conllu"
    assert run("parse", model, text, one).exit_code == 0
    command = [sys.executable, "-m", "spacy_npparse", "parse", model, "-", two, "--n-process", 2]
    result = subprocess.run(
        [*map(str, command), "--batch-size", "1"], input=TEXT, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout == "" and "13 words in" in result.stderr
    assert two.read_text() == one.read_text() and one.read_text().count("Arzt\t") == 2


def test_malformed_conllu(run, model, tmp_path, caplog):
    source, output = tmp_path / "in.conllu", tmp_path / "out.conllu"
    good = "1\ta" + "\t_" * 8 + "\n\n"
    source.write_text(good + "1\tb\n\n")
    result = run("parse", model, source, output)
    assert result.exit_code == 1 and f"{source}, line 3: 2 columns" in result.output
    assert not output.exists()
    result = run("parse", model, source, output, "--on-error", "skip")
    assert result.exit_code == 0 and "1 malformed sentences skipped" in caplog.text
    assert "1 sentences, 1 words" in result.output


def test_bad_text(run, model, text, tmp_path):
    output = tmp_path / "out.conllu"
    for content, message in [
        (b"a\nb\xff\n", f"{text}, line 2: not valid UTF-8 at byte 2"),
        (b"\n \n", f"{text}: no text"),
        (b"\n" + b"a " * 500_001, f"{text}, line 2: 1,000,002 characters, more than the 1,000,000"),
    ]:
        text.write_bytes(content)
        result = run("parse", model, text, output)
        assert result.exit_code == 1 and message in result.output
        assert "Traceback" not in result.output and not output.exists()


def test_bad_arguments(run, model, text, tmp_path):
    output = tmp_path / "out.conllu"
    for arguments, message in [
        ((model, text, tmp_path / "out.txt"), "Give OUT a name that ends in .conllu"),
        ((model, tmp_path / "in.pdf", output), "Give a .conllu file, a .txt file, or -"),
        ((model, tmp_path / "no.txt", output), "No such file"),
        ((model, tmp_path / "no.conllu", output), "no such file"),
        ((tmp_path / "no", text, output), f"{tmp_path / 'no'}: no such pipeline. Give the folder"),
        ((model, text, output, "--gpu-id", 0, "--n-process", 2), "Processes cannot share a GPU"),
    ]:
        result = run("parse", *arguments)
        assert result.exit_code == 1 and message in result.output
        assert "Traceback" not in result.output and not output.exists()


@pytest.mark.parametrize("damage", ["cut", "junk", "gone"])
@pytest.mark.parametrize("file", ["parser/model", "config.cfg", "vocab/strings.json", "tokenizer"])
def test_damaged_pipeline(run, model, text, tmp_path, file, damage):
    damaged = shutil.copytree(model, tmp_path / "damaged")
    path = damaged / file
    content = path.read_bytes()
    if damage == "gone":
        path.unlink()
    else:
        path.write_bytes(content[: len(content) // 2] if damage == "cut" else b"\x00junk")
    result = run("parse", damaged, text, tmp_path / "out.conllu")
    assert result.exit_code == 1, result.output
    assert f"{damaged}: this pipeline cannot be loaded" in result.output
    assert "Traceback" not in result.output


def test_pipeline_without_parser(run, text, tmp_path):
    nlp = spacy.blank("xx")
    nlp.add_pipe("sentencizer")
    nlp.to_disk(tmp_path / "model")
    result = run("parse", tmp_path / "model", text, tmp_path / "out.conllu")
    assert result.exit_code == 1 and "has no parser, only: sentencizer" in result.output
