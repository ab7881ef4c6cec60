"""The REST interface of UDPipe, as its clients use it."""

import json
import urllib.error
import urllib.parse
import urllib.request

import pytest
import spacy

from spacy_npparse.serving.pipelines import ServedPipeline
from spacy_npparse.serving.udpipe import find_model
from spacy_npparse.treebank import (
    Kept,
    doc_to_conllu,
    keep_annotation,
    parse_sentence,
    sentences_from_doc,
)
from spacy_npparse.treebank.annotating import annotate
from spacy_npparse.treebank.docs import unannotated_doc
from spacy_npparse.treebank.plain_text import paragraphs_of_text

ALL = {"tokenizer": "", "tagger": "", "parser": ""}
TEXT = "Was glaubt der Arzt?\n\nDas Pferd   schläft\nheute. Der Arzt singt."


def multipart(**fields):
    """Make a multipart form with line endings of HTTP, as UDPipe's own clients send it."""
    parts = [
        '--boundary\r\nContent-Type: text/plain; charset="utf-8"\r\nMIME-Version: 1.0\r\n'
        f'Content-Disposition: form-data; name="{name}"\r\n'
        "Content-Transfer-Encoding: 8bit\r\n\r\n" + value.replace("\n", "\r\n") + "\r\n"
        for name, value in fields.items()
    ]
    body = "".join([*parts, "--boundary--\r\n"]).encode()
    return body, 'multipart/form-data; boundary="boundary"'


def by_urllib(url, body, content_type):
    """Send a request as a client that uses only urllib, and return the response or the error."""
    asked = urllib.request.Request(url, body, {"Content-Type": content_type} if body else {})
    try:
        with urllib.request.urlopen(asked, timeout=60) as answer:
            return json.loads(answer.read())
    except urllib.error.HTTPError as error:
        return error.read().decode()


def sentences(conllu):
    return [parse_sentence(block.split("\n")) for block in conllu.strip("\n").split("\n\n")]


def of_text(nlp, text):
    found = []
    for doc in annotate(nlp, paragraphs_of_text(text)):
        found += sentences_from_doc(doc, first_id=len(found) + 1)
    return "".join(f"{one}\n\n" for one in found)


def test_models(client):
    expected = {
        "models": {
            "xx_sample-ud": ["tokenizer", "tagger", "parser"],
            "bare": ["tokenizer", "parser"],
        },
        "default_model": "xx_sample-ud",
    }
    assert client.ask("/models").json == expected
    assert client.form("/models").json == expected


def test_text_by_all_ways_to_send_it(client, nlp):
    expected = of_text(nlp, TEXT)
    assert expected.count("# sent_id") >= 2
    query = urllib.parse.urlencode({"data": TEXT, **ALL})
    for answer in [
        client.ask(f"/process?{query}"),
        client.form("/process", data=TEXT, **ALL),
        client.ask("/process", *multipart(data=TEXT, **ALL)),
    ]:
        found = answer.json
        assert found.keys() == {"model", "acknowledgements", "result"}
        assert found["model"] == "xx_sample-ud"
        # UDPipe's client converts line endings to line endings of forms.
        assert found["result"].replace(r"\r\n", r"\n") == expected


def test_clients_of_udpipe(client):
    """Clients list the models, send words or text in both kinds of forms, and print errors."""
    assert by_urllib(f"{client.url}/models", None, "")["default_model"] == "xx_sample-ud"
    urlencoded = "application/x-www-form-urlencoded; charset=utf-8"
    words = {"model": "xx_sample-ud", "data": "Was glaubt er ?", "input": "horizontal"}
    text = {"data": "Was glaubt er?", "tokenizer": "ranges;presegmented", "output": "conllu"}
    for fields in (words, text):
        fields |= {"tagger": "", "parser": ""}
        forms = [(urllib.parse.urlencode(fields).encode(), urlencoded), multipart(**fields)]
        found = [by_urllib(f"{client.url}/process", *form) for form in forms]
        assert found[0] == found[1]
        [sentence] = sentences(found[0]["result"])
        assert [row.form for row in sentence.words] == ["Was", "glaubt", "er", "?"]
        assert sentence.n_roots == 1 and all(row.upos != "_" for row in sentence.words)
    refused = by_urllib(f"{client.url}/process", *multipart(data="", model="none"))
    assert refused == "The requested model 'none' does not exist. Take one of: xx_sample-ud, bare."


def test_words_that_are_given(client, nlp, dev):
    """Columns that are not requested stay the same, and so do DEPS, MISC and comments."""
    given = sentences(dev)[:12]
    docs = [unannotated_doc([one], nlp.vocab) for one in given]
    kept = (Kept.DEPS, Kept.MISC, Kept.COMMENTS)
    annotated = zip(annotate(nlp, docs), given, strict=True)
    expected = [doc_to_conllu(keep_annotation(doc, [one], kept)) for doc, one in annotated]
    data = "".join(f"{one}\n\n" for one in given)
    assert any("-" in row.id for one in given for row in one.rows)
    found = client.ask("/process", *multipart(data=data, tagger="", parser="")).json["result"]
    assert found == "".join(expected) != data
    assert client.form("/process", data=data).json["result"] == data
    for asked, columns in [("tagger", range(2, 6)), ("parser", (6, 7))]:
        result = client.form("/process", data=data, **{asked: ""}).json["result"]
        lines = zip(result.split("\n"), found.split("\n"), data.split("\n"), strict=True)
        for mine, predicted, old in lines:
            rows = [line.split("\t") for line in (mine, predicted, old)]
            for place, (one, new, before) in enumerate(zip(*rows, strict=True)):
                assert one == (new if place in columns else before)


@pytest.mark.parametrize("asked", ["tagger", "parser"])
def test_columns_of_text_that_nobody_asks_for_are_empty(client, asked):
    result = client.form("/process", data=TEXT, tokenizer="", **{asked: ""}).json["result"]
    rows = [row for one in sentences(result) for row in one.words]
    assert {row.upos == "_" for row in rows} == {asked == "parser"}
    assert {row.head == "_" for row in rows} == {asked == "tagger"}


def test_options_of_the_tokenizer(client):
    result = client.form("/process", data=TEXT, **{**ALL, "tokenizer": "ranges"}).json["result"]
    assert "TokenRange=0:3" in result and "TokenRange=22:25" in result
    given = "Was glaubt der Arzt? Das Pferd schläft.\nHeute singt\n"
    options = {**ALL, "tokenizer": "presegmented;ranges"}
    found = sentences(client.form("/process", data=given, **options).json["result"])
    assert [one.metadata["text"] for one in found] == given.strip().split("\n")
    assert [one.sent_id for one in found] == ["1", "2"]
    answer = client.form("/process", data=given, tokenizer="normalized_spaces")
    assert answer.status == 400 and "options: normalized_spaces. Known ones: pre" in answer.text


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("horizontal", "Was glaubt der Arzt ?\nHeute singt er\n"),
        ("vertical", "Was\nglaubt\nder\nArzt\n?\n\nHeute\nsingt\ner\n"),
        ("generic_tokenizer", "Was glaubt der Arzt? Heute singt er"),
    ],
)
def test_formats_of_words(client, name, data):
    found = sentences(client.form("/process", data=data, input=name, parser="").json["result"])
    words = [[row.form for row in one.words] for one in found]
    assert words == ["Was glaubt der Arzt ?".split(), "Heute singt er".split()]
    assert all(one.n_roots == 1 for one in found)


def test_formats_of_results(client):
    data = "Was glaubt der Arzt?\nHeute singt er"
    options = {**ALL, "tokenizer": "presegmented"}
    for output, expected in {
        "horizontal": "Was glaubt der Arzt ?\nHeute singt er\n",
        "vertical": "Was\nglaubt\nder\nArzt\n?\n\nHeute\nsingt\ner\n\n",
        "plaintext": "Was glaubt der Arzt?\nHeute singt er",
    }.items():
        result = client.form("/process", data=data, output=output, **options).json["result"]
        assert result.strip() == expected.strip()
    assert (
        "<corpus>" in client.form("/process", data=data, output="matxin", **options).json["result"]
    )


def test_models_by_name(client):
    for name, found in [("xx_sample", "xx_sample-ud"), ("bare", "bare"), ("", "xx_sample-ud")]:
        answer = client.form("/process", data="Er singt.", tokenizer="", model=name)
        assert answer.json["model"] == found


def test_nothing_is_parsed_to_nothing(client):
    assert client.form("/process", data="", **ALL).json["result"] == ""
    assert client.form("/process", data=" \n ", parser="").status == 400


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({}, "data: Field required"),
        ({"model": "xx_sam"}, "'xx_sam' does not exist. Take one of: xx_sample-ud, bare"),
        ({"model": "bare", "tagger": ""}, "has no tagger"),
        ({"input": "pdf"}, "input format 'pdf' does not exist"),
        ({"output": "pdf"}, "output format 'pdf' does not exist"),
        ({"data": "1\tx\n\n"}, "data, line 1: 2 columns instead of 10"),
    ],
)
def test_what_cannot_be_answered_is_said(client, fields, reason):
    given = {"data": "1" + "\tx" + "\t_" * 8, "parser": "", **fields} if fields else {}
    answer = client.form("/process", **given)
    assert answer.status == 400 and reason in answer.text, answer.text
    assert answer.headers["content-type"].startswith("text/plain")


def test_names_are_found_before_their_beginnings():
    pipelines = [ServedPipeline(name, spacy.blank("xx")) for name in ("got-fast", "got", "tr-imst")]
    for asked, found in (("got", "got"), ("tr", "tr-imst"), ("", "got-fast"), (None, "got-fast")):
        assert find_model(pipelines, asked).name == found
