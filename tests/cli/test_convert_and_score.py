"""Tests of the commands `convert` and `score`."""

import json
import subprocess
import sys
import tracemalloc
import zlib

import pytest
import spacy
import srsly
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab
from typer.testing import CliRunner

from spacy_npparse.cli import app

CONLLU = (
    "# newdoc\n# sent_id = 1\n1\ta\ta\tX\t_\t_\t0\troot\t_\tSpaceAfter=No\n"
    "2\tb\tb\tX\t_\t_\t1\tdep:x\t_\t_\n\n# sent_id = 2\n1\tc\tc\tX\t_\t_\t0\troot\t_\t_\n\n"
)


@pytest.fixture
def treebank(tmp_path):
    path = tmp_path / "in.conllu"
    path.write_text(CONLLU)
    return path


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.mark.parametrize("sentences_per_doc, n_docs", [(1, 2), (2, 1), (0, 1)])
def test_convert_there_and_back(treebank, tmp_path, sentences_per_doc, n_docs):
    binary, back = tmp_path / "out.spacy", tmp_path / "back.conllu"
    result = run("convert", treebank, binary, "--sentences-per-doc", sentences_per_doc)
    assert result.exit_code == 0, result.output
    assert f"{n_docs} Docs, 3 tokens" in result.output
    assert len(DocBin().from_disk(binary)) == n_docs
    result = run("convert", binary, back, "--quiet")
    assert result.exit_code == 0 and result.output == ""
    assert back.read_text() == CONLLU


def test_partial_trees_in_spacy_files_are_warned_of(treebank, tmp_path, caplog):
    binary, back = tmp_path / "out.spacy", tmp_path / "back.conllu"
    assert run("convert", treebank, binary).exit_code == 0 and not caplog.text
    partial = CONLLU.replace("1\tdep:x", "_\t_")
    treebank.write_text(partial)
    assert run("convert", treebank, binary).exit_code == 0
    assert "1 Docs have words without head" in caplog.text and f"Train on {treebank}" in caplog.text
    assert run("convert", binary, back).exit_code == 0 and back.read_text() == partial


def test_convert_docs_of_raw_text(tmp_path):
    nlp = spacy.blank("xx")
    DocBin(docs=[nlp("a  b")]).to_disk(tmp_path / "in.spacy")
    assert run("convert", tmp_path / "in.spacy", tmp_path / "out.conllu").exit_code == 0
    text = (tmp_path / "out.conllu").read_text()
    assert "1\ta\t" in text and "SpacesAfter=\\s\\s" in text and "2\tb\t" in text


def test_convert_takes_no_more_memory_for_more_sentences(tmp_path):
    peaks = []
    for n_sentences in (100, 1000):
        treebank, binary = tmp_path / f"{n_sentences}.conllu", tmp_path / f"{n_sentences}.spacy"
        treebank.write_text(CONLLU * (n_sentences // 2))
        for command in (treebank, binary), (binary, tmp_path / "back.conllu"):
            tracemalloc.start()
            assert run("convert", *command, "--quiet").exit_code == 0
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
        assert (tmp_path / "back.conllu").read_text() == treebank.read_text()
    assert peaks[2] < peaks[0] + 300_000 and peaks[3] < peaks[1] + 300_000, peaks


def test_convert_malformed(treebank, tmp_path, caplog):
    treebank.write_text("1\ta\n\n" + CONLLU)
    result = run("convert", treebank, tmp_path / "out.spacy")
    assert result.exit_code == 1
    assert f"{treebank}, line 1: 2 columns instead of 10" in result.output
    assert "Traceback" not in result.output
    assert not (tmp_path / "out.spacy").exists()
    result = run("convert", treebank, tmp_path / "out.spacy", "--on-error", "skip")
    assert result.exit_code == 0 and "1 malformed sentences skipped" in caplog.text


@pytest.mark.parametrize("content", ["", "1\tbad\n\n"])
def test_convert_nothing(tmp_path, content):
    source, target = tmp_path / "in.conllu", tmp_path / "out.spacy"
    source.write_text(content)
    result = run("convert", source, target, "--on-error", "skip")
    assert result.exit_code == 1 and f"{source}: no sentence to convert" in result.output
    assert not target.exists()


def test_convert_docs_without_words(tmp_path):
    DocBin(docs=[Doc(Vocab())]).to_disk(tmp_path / "in.spacy")
    (tmp_path / "out.conllu").write_text("kept")
    result = run("convert", tmp_path / "in.spacy", tmp_path / "out.conllu")
    assert result.exit_code == 1 and "in.spacy: no sentence to convert" in result.output
    assert (tmp_path / "out.conllu").read_text() == "kept"


def test_convert_bad_arguments(treebank, tmp_path):
    (tmp_path / "junk.spacy").write_bytes(b"junk")
    for arguments, message in [
        ((treebank, tmp_path / "out.txt"), "Give a .conllu file and a .spacy file"),
        ((tmp_path / "no.conllu", tmp_path / "out.spacy"), "no such file"),
        ((tmp_path / "no.spacy", tmp_path / "out.conllu"), "no.spacy: No such file or directory."),
        ((tmp_path / "junk.spacy", tmp_path / "out.conllu"), "not a .spacy file"),
    ]:
        result = run("convert", *arguments)
        assert result.exit_code == 1 and message in result.output
    assert run("convert", treebank, tmp_path / "o.spacy", "--on-error", "x").exit_code == 2


def doc_bin(*docs, **changes):
    """Return a .spacy file with these Docs as bytes, with changed or (for None) missing fields."""
    data = DocBin(docs=docs, attrs=["ORTH", "LEMMA", "TAG", "POS", "HEAD", "DEP"]).to_bytes()
    content = {**srsly.msgpack_loads(zlib.decompress(data)), **changes}
    content = {key: value for key, value in content.items() if value is not None}
    return zlib.compress(srsly.msgpack_dumps(content))


def doc(lemma="b", tag="B", heads=(0, 0)):
    deps = ["dep"] * len(heads)
    made = Doc(Vocab(), ["a", "b"], lemmas=["a", lemma], tags=["A", tag], deps=deps)
    for token, head in zip(made, heads, strict=True):
        token.head = made[head]
    return made


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"junk",
        doc_bin(doc())[:40],
        doc_bin(doc())[:-1],
        zlib.compress(b""),
        zlib.compress(srsly.msgpack_dumps([1])),
        zlib.compress(srsly.msgpack_dumps({})),
        doc_bin(doc(), tokens=None),
        doc_bin(doc(), lengths=b"xyz"),
    ],
)
def test_files_that_are_no_doc_bins_are_named(tmp_path, data):
    path = tmp_path / "in.spacy"
    path.write_bytes(data)
    result = run("convert", path, tmp_path / "out.conllu")
    assert result.exit_code == 1 and result.output.startswith(f"✘ {path}: not a .spacy file")
    assert "Give a file that spaCy's DocBin wrote" in result.output
    assert not (tmp_path / "out.conllu").exists()


@pytest.mark.parametrize(
    "data, message",
    [
        (doc_bin(doc(), strings=["a"]), "Doc 1: cannot be read (KeyError"),
        (doc_bin(doc(), doc(), flags=[{}]), "Doc 2: cannot be read (IndexError"),
        (doc_bin(doc(), doc("x\ty")), "Doc 2, sentence 2, word 2 ('b'): LEMMA 'x\\ty' has a tab"),
        (doc_bin(doc(), doc(tag="\n")), "Doc 2, sentence 2, word 2 ('b'): XPOS '\\n' has a tab"),
        (doc_bin(doc(), doc(heads=[1, 0])), "Doc 2, sentence 2: the heads form a cycle: 1 → 2 → 1"),
    ],
)
def test_docs_that_cannot_be_converted_are_named(tmp_path, data, message):
    path = tmp_path / "in.spacy"
    path.write_bytes(data)
    result = run("convert", path, tmp_path / "out.conllu", "--quiet")
    assert result.exit_code == 1 and result.output.startswith(f"✘ {path}, {message}")
    assert isinstance(result.exception, SystemExit)
    assert not (tmp_path / "out.conllu").exists()


def test_score(treebank, tmp_path):
    predicted, scores = tmp_path / "predicted.conllu", tmp_path / "scores.json"
    predicted.write_text(CONLLU.replace("dep:x", "dep:y").replace("0\troot\t_\t_", "0\tdep\t_\t_"))
    result = run("score", treebank, predicted, "--json", scores)
    assert result.exit_code == 0, result.output
    assert "UAS       |    100.00 | 100.00 |   100.00 |    100.00\n" in result.output
    assert "LAS       |     66.67 |  66.67 |    66.67 |     66.67\n" in result.output
    assert "Exact match                        | 50.00 | 1 of 2 sentences" in result.output
    written = json.loads(scores.read_text())
    assert written["official"]["LAS"]["correct"] == 2
    assert list(written["provenance"]["checksums"]) == [str(treebank), str(predicted)]


def test_score_errors(treebank, tmp_path):
    other = tmp_path / "other.conllu"
    other.write_text(CONLLU.replace("\tb\tb", "\tx\tx"))
    result = run("score", treebank, other)
    assert result.exit_code == 1 and "differ at character 2" in result.output
    other.write_text("")
    result = run("score", other, other)
    assert result.exit_code == 1 and f"{other}: no sentence to score" in result.output
    other.write_text(CONLLU.replace("1\tdep", "7\tdep"))
    result = run("score", treebank, other)
    assert result.exit_code == 1 and f"{other}, line 4: head 7" in result.output


@pytest.mark.parametrize("command", ["convert", "score", "compare"])
def test_help_has_examples(command):
    result = run(command, "--help")
    lines = [line.strip() for line in result.output.splitlines()]
    assert sum(line.startswith(f"python -m spacy_npparse {command} ") for line in lines) > 1


def test_as_module(treebank):
    command = [sys.executable, "-m", "spacy_npparse", "score", str(treebank), "missing.conllu"]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 1
    assert "✘ missing.conllu: no such file." in result.stderr
    assert "Traceback" not in result.stderr
