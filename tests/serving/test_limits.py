"""Refused requests: limits, requests from other web pages, and hostile requests."""

import json
import socket
import time
from random import Random
from types import SimpleNamespace

import pytest
from served import serving

from spacy_npparse.serving import app as application

FORM = "application/x-www-form-urlencoded"


@pytest.fixture
def strict(pipelines, monkeypatch):
    """Start a server with tight limits for the time and the size of requests."""
    monkeypatch.setattr(application, "ARRIVAL", 0.3)
    monkeypatch.setattr(application, "MOST_BYTES", 100_000)
    with serving(application.make_app(pipelines, "127.0.0.1", ["https://example.org"])) as found:
        yield found


def test_large_requests(strict, pipelines):
    answer = strict.ask("/process", b"data=" + b"a" * 200_000, FORM)
    assert answer.status == 413 and "100,000 bytes" in answer.text
    assert strict.post("/parse", {"text": "a" * 200_000}).status == 413


def test_slow_requests(strict):
    with socket.create_connection(("127.0.0.1", strict.port)) as connection:
        head = f"POST /parse HTTP/1.1\r\nHost: localhost:{strict.port}\r\nContent-Length: 9\r\n\r\n"
        connection.sendall(head.encode())
        assert b"408" in connection.recv(1000)


def test_slow_answers(strict, monkeypatch):
    monkeypatch.setattr(application, "ANSWER", 0.0)
    answer = strict.post("/parse", {"text": "Das Pferd schläft."})
    assert answer.status == 503 and "Send less at once" in answer.text
    monkeypatch.setattr(application, "ANSWER", 60.0)
    assert strict.post("/parse", {"text": "Das Pferd schläft."}).status == 200


def test_slow_changes(pipelines, monkeypatch):
    monkeypatch.setattr(application, "ANSWER", 0.1)
    editor = SimpleNamespace(change=lambda *_: time.sleep(1))
    with serving(application.make_app(pipelines, "127.0.0.1", editor=editor)) as client:
        answer = client.post("/editor/0/800", {"do": "undo"})
        assert answer.status == 503 and "try again" in answer.text


def test_long_paragraphs(strict, pipelines, monkeypatch):
    monkeypatch.setattr(pipelines[0].nlp, "max_length", 50)
    for answer in (
        strict.post("/parse", {"text": "Pferd " * 20}),
        strict.form("/process", data="Pferd " * 20, tokenizer=""),
    ):
        assert answer.status == 400 and "120 characters: 50 at most" in answer.text
    assert strict.form("/process", data="Das Pferd.\n\n" * 20, tokenizer="").status == 200


def test_names_of_other_pages(client):
    """Names of other hosts may be resolved to this server (DNS rebinding)."""
    asked = {"text": "Was?"}
    evil = f"evil.example:{client.port}"
    for headers in ({"Host": evil}, {"Host": evil, "Origin": f"http://{evil}"}, {"Host": ""}):
        answer = client.post("/parse", asked, **headers)
        assert answer.status == 400 and "sentences" not in answer.text
    for host in ("localhost", "LOCALHOST:1", "[::1]:80", "10.0.0.7", f"127.0.0.1:{client.port}"):
        assert client.post("/parse", asked, Host=host).status == 200


def test_pages_of_other_origins(client, strict):
    """Pages of other origins can neither read responses nor send JSON."""
    own = "https://example.org"
    asked = {"Access_Control_Request_Method": "POST"}
    asked["Access_Control_Request_Headers"] = "content-type"
    for server, origin, may in ((strict, own, True), (strict, "null", False), (client, own, False)):
        answer = server.ask("/parse", method="OPTIONS", Origin=origin, **asked)
        assert (answer.status == 200) == may
        answer = server.ask("/models", Origin=origin)
        assert answer.headers.get("access-control-allow-origin") == (own if may else None)
    assert strict.ask("/models", Host="example.org").status == 200


def nested(depth):
    inner = b"".join(
        b"--b%d\r\nContent-Type: multipart/mixed; boundary=b%d\r\n\r\n" % (i, i + 1)
        for i in range(depth)
    )
    return inner + b"\r\n--b0--\r\n"


def test_malformed_forms(client):
    for body, kind in [
        (b"\xff", FORM),
        (b"data=%ff", FORM),
        (b"x", "multipart/form-data"),
        (b"x", "multipart/form-data; boundary=b"),
        (b"--b\r\n\r\nx\r\n--b--", "multipart/form-data; boundary=b"),
        (
            b"--b\r\nContent-Disposition: form-data; name=data\r\n\r\nx",
            "multipart/form-data; boundary=b",
        ),
        (b"x", "image/png"),
        # The parts of a part are not read, whatever their depth.
        (nested(3000), "multipart/form-data; boundary=b0"),
    ]:
        answer = client.ask("/process", body, kind)
        assert answer.status == 400 and answer.text, body
    many = b"--b\r\nContent-Disposition: form-data; name=data\r\n\r\nx\r\n" * 101 + b"--b--"
    answer = client.ask("/process", many, "multipart/form-data; boundary=b")
    assert answer.text == "The form cannot be read: it has more than 100 fields."
    assert client.ask("/nothing").status == 404


def test_long_sentences_are_refused(client):
    """Memory grows with the square of their length. Tokens need no spaces between them."""
    words = ["a"] * 3001
    rows = "".join(f"{i}\ta" + "\t_" * 8 + "\n" for i in range(1, 3002))
    for answer in (
        client.post("/parse", {"tokens": words}),
        client.form("/process", data=rows, parser=""),
        client.form("/process", data=" ".join(words), tokenizer="presegmented"),
        client.form("/process", data="Was?\n" + "(" * 3001, tokenizer="presegmented"),
    ):
        assert answer.status == 400
        assert answer.text == "Divide sentences of 3,001 words: 3,000 at most."


def test_long_drawings_are_refused(client):
    asked = {"tokens": ["a"] * 501}
    assert client.post("/parse", asked).status == 200
    answer = client.post("/parse", {**asked, "svg_width": 300})
    assert answer.status == 400
    expected = "Leave out svg_width: drawings have at most 500 words, and a sentence has 501."
    assert answer.text == expected


VALID = [
    ("/process", FORM, b"data=Was+glaubt+er%3F&tokenizer=ranges&tagger=&parser=&output=vertical"),
    ("/process", FORM, b"data=1%09a" + b"%09_" * 8 + b"%0A%0A&parser=&input=conllu"),
    ("/process", FORM, b"data=a+b%0Ac+d&parser=&input=horizontal&output=matxin"),
    (
        "/process",
        "multipart/form-data; boundary=b",
        b'--b\r\nContent-Disposition: form-data; name="data"\r\n\r\nWas?\r\n--b\r\n'
        b'Content-Disposition: form-data; name="tokenizer"\r\n\r\n\r\n--b--\r\n',
    ),
    ("/parse", "application/json", json.dumps({"text": "Was glaubt er?"}).encode()),
    (
        "/parse",
        "application/json",
        b'{"tokens": ["a", "b", "c"], "constraints": {"heads": {"0": [1]}, "subtrees": [[0, 2]],'
        b' "labels": {"1": ["root"]}}, "svg_width": 300}',
    ),
]


def mutated(rng: Random, body: bytes) -> bytes:
    """Change, remove or repeat some bytes of a body."""
    found = bytearray(body)
    for _ in range(rng.randrange(1, 5)):
        start = rng.randrange(len(found) + 1)
        end = min(len(found), start + rng.randrange(8))
        change = rng.choice(["bytes", "cut", "repeat", "end"])
        if change == "bytes":
            found[start:end] = rng.choice([rng.randbytes(end - start), b"9" * 9, b'"', b"{", b"%"])
        elif change == "cut":
            del found[start:end]
        elif change == "repeat":
            found[start:start] = bytes(found[start:end]) * rng.randrange(1, 30)
        else:
            del found[start:]
    return bytes(found)


@pytest.mark.fuzz
def test_hostile_requests(client, fuzz):
    def answered(rng: Random) -> str:
        path, kind, body = rng.choice(VALID)
        if rng.random() < 0.1:
            cut_off(client.port, path, kind, body)
            return "cut off"
        answer = client.ask(path, mutated(rng, body), kind)
        assert answer.status in (200, 400) and answer.body
        return "answered" if answer.status == 200 else "refused"

    fuzz("requests to a server", 60, answered)
    assert client.post("/parse", {"text": "Was glaubt er?"}).status == 200


def cut_off(port: int, path: str, kind: str, body: bytes) -> None:
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\n"
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(f"{head}Content-Length: {len(body) + 9}\r\n\r\n".encode() + body)
