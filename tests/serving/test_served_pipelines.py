"""Requests side by side, and what becomes of those that fail."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest
from served import Client

ALL = {"tokenizer": "", "tagger": "", "parser": ""}


def texts(dev):
    lines = [line.removeprefix("# text = ") for line in dev.split("\n") if line[:6] == "# text"]
    return ["\n\n".join(lines[i % 40 : i % 40 + i % 7 + 1]) for i in range(100)]


def test_sixteen_threads_get_what_one_gets(client, dev):
    asked = texts(dev)

    def ask(text):
        return client.form("/process", data=text, **ALL).json["result"]

    alone = [ask(text) for text in asked]
    assert len(set(alone)) > 50
    with ThreadPoolExecutor(16) as threads:
        assert list(threads.map(ask, asked)) == alone


@dataclass(frozen=True)
class Word:
    """A piece of one word."""

    word: str
    seen: list

    size = 10_000

    def prepare(self, nlp):
        self.seen.append(self.word)
        return nlp.make_doc(self.word)

    def read(self, doc):
        if self.word == "bad":
            raise ValueError(self.word)
        return doc.text


def test_requests_take_turns(pipelines):
    """A short request does not wait for all of a long one, and answers are in order."""
    pipeline, seen = pipelines[1], []
    long = pipeline.submit([Word(f"a{i}", seen) for i in range(40)])
    short = pipeline.submit([Word("b", seen)])
    assert short.result() == ["b"]
    assert long.result() == [f"a{i}" for i in range(40)]
    assert seen.index("b") < 20


def test_a_request_that_fails_leaves_the_others_alone(pipelines):
    pipeline, seen = pipelines[1], []
    asked = [[Word("good", seen)], [Word("bad", seen), Word("c", seen)], [Word("d", seen)]]
    good, bad, other = [pipeline.submit(one) for one in asked]
    assert good.result() == ["good"] and other.result() == ["d"]
    with pytest.raises(ValueError, match="bad"):
        bad.result()
    assert pipeline.submit([]).result() == []


def test_nothing_is_done_for_an_answer_that_nobody_wants(pipelines):
    pipeline, seen = pipelines[1], []
    unwanted = pipeline.submit([Word(f"e{i}", seen) for i in range(60)])
    unwanted.cancel()
    assert pipeline.submit([Word("f", seen)]).result() == ["f"]
    assert len(seen) < 10


def test_strings_do_not_stay_in_memory(client, pipelines):
    vocab = pipelines[0].nlp.vocab
    client.form("/process", data="Wort0", **ALL)
    before = len(vocab.strings), len([*vocab])
    for i in range(1, 20):
        client.form("/process", data=f"Das Wort{i} schläft{i}.", **ALL)
    assert (len(vocab.strings), len([*vocab])) == before


@pytest.mark.slow
def test_the_command_serves_until_it_is_terminated(folder):
    command = [sys.executable, "-m", "spacy_npparse", "serve", str(folder), "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            line = process.stderr.readline()
            name, _, address = line.strip().partition(": ")
            assert name == folder.parent.name and address.startswith("http://127.0.0.1:"), line
            client = Client(int(address.rpartition(":")[2]))
            assert client.form("/process", data="Was?", **ALL).json["model"] == name
            start = time.monotonic()
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) == (-signal.SIGTERM if os.name == "posix" else 1)
            assert time.monotonic() - start < 30
            assert process.stderr.read() == ""
        finally:
            process.kill()


def test_without_the_extra(run_serve, monkeypatch):
    for module in ("starlette", "uvicorn"):
        monkeypatch.setitem(sys.modules, module, None)
        result = run_serve(f"{module}/model-best")
        assert result.exit_code == 1
        expected = f"This needs {module}, which is not installed: python -m pip install"
        assert expected in " ".join(result.output.split())
        monkeypatch.undo()


def test_models_of_the_same_name(run_serve):
    result = run_serve("a/x/model-best", "b/x/model-best")
    assert result.exit_code == 1 and "2 models are called x" in result.output


@pytest.fixture
def run_serve(tmp_path, monkeypatch):
    from typer.testing import CliRunner

    from spacy_npparse.cli import app

    def run(*models):
        for model in models:
            (tmp_path / model).mkdir(parents=True)
        monkeypatch.chdir(tmp_path)
        return CliRunner().invoke(app, ["serve", *models])

    return run
