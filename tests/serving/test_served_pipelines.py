"""Concurrent requests, failing requests and the command `serve`."""

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from served import Client

from spacy_npparse.serving.pipelines import Piece

ALL = {"tokenizer": "", "tagger": "", "parser": ""}


def run(coroutine):
    """Run a coroutine in a new thread, because browser tests leave a loop running in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()


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


def piece(word, seen):
    """Make a piece of one word, which is added to `seen` when the piece is prepared."""

    def prepare(nlp):
        seen.append(word)
        return nlp.make_doc(word)

    def read(doc):
        if word == "bad":
            raise ValueError(word)
        return doc.text

    return Piece(10_000, prepare, read)


def test_requests_take_turns(pipelines):
    """A short request does not wait until a long one ends, and results are in order."""
    pipeline, seen = pipelines[1], []

    async def both():
        long = asyncio.create_task(pipeline.annotate([piece(f"a{i}", seen) for i in range(40)]))
        await asyncio.sleep(0)
        short = await pipeline.annotate([piece("b", seen)])
        return short, await long

    assert run(both()) == (["b"], [f"a{i}" for i in range(40)])
    assert seen.index("b") < 20


def test_a_request_that_fails_leaves_the_others_alone(pipelines):
    pipeline, seen = pipelines[1], []
    words = ["good", "bad", "c", "d"]
    answers = [pipeline.submit(piece(word, seen)) for word in words]
    assert [answer.exception() and answer.exception().args for answer in answers] == [
        None,
        ("bad",),
        None,
        None,
    ]
    assert run(pipeline.annotate([])) == []


def test_a_piece_that_cannot_be_prepared_ends_in_an_error(pipelines):
    def prepare(nlp):
        raise ValueError("no Doc")

    with pytest.raises(ValueError, match="no Doc"):
        pipelines[1].submit(Piece(1, prepare, str)).result(60)
    assert pipelines[1].submit(piece("e", [])).result(60) == "e"


def test_nothing_is_done_for_an_answer_that_nobody_wants(pipelines):
    pipeline, seen = pipelines[1], []

    async def impatient():
        unwanted = pipeline.annotate([piece(f"e{i}", seen) for i in range(60)])
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(unwanted, 0)
        return await pipeline.annotate([piece("f", seen)])

    assert run(impatient()) == ["f"]
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
            line = next(line for line in process.stderr if "http://" in line)
            client = Client(int(re.search(r"http://127.0.0.1:([0-9]+)", line)[1]))
            assert client.form("/process", data="Was?", **ALL).json["model"] == folder.parent.name
            start = time.monotonic()
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) == (-signal.SIGTERM if os.name == "posix" else 1)
            assert time.monotonic() - start < 30
            assert "Error" not in process.stderr.read()
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


@pytest.mark.parametrize("origin", ["example.org", "https://example.org/page", "null"])
def test_origins_that_browsers_do_not_send(run_serve, origin):
    result = run_serve("model", "--origin", origin)
    assert result.exit_code == 1 and f"--origin {origin}: Give SCHEME://HOST" in result.output


def test_models_of_the_same_name(run_serve):
    result = run_serve("a/x/model-best", "b/x/model-best")
    assert result.exit_code == 1 and "Models have the same name" in result.output


def test_a_port_that_is_in_use(run_serve):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        result = run_serve("a/model-best", "--port", port)
    assert result.exit_code == 1 and f"Cannot listen on 127.0.0.1, port {port}" in result.output


def test_links_give_models_other_names(run_serve, tmp_path):
    (tmp_path / "d").mkdir()
    (tmp_path / "c").symlink_to("d")
    result = run_serve("a/x/model-best", "b/x/model-best", "c/model-best")
    assert "['x', 'x', 'c']" in result.output


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
