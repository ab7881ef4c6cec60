"""The endpoint `/parse`, and the OpenAPI description of the server."""

import numpy as np
import pytest
from random_constraints import random_tree

from spacy_npparse.components import DependencyConstraints
from spacy_npparse.treebank import parse_sentence

WORDS = "Was glaubt der Arzt ?".split()
TEXT = "Was  glaubt\nder Arzt? Das Pferd schläft im Stall."


def heads(sentence):
    first = sentence["tokens"][0]["id"]
    return [
        0 if one["head"] == one["id"] else one["head"] - first + 1 for one in sentence["tokens"]
    ]


def test_text(client):
    found = client.post("/parse", {"text": TEXT}).json
    assert found["model"] == "xx_sample-ud"
    tokens = [token for one in found["sentences"] for token in one["tokens"]]
    assert [token["id"] for token in tokens] == list(range(len(tokens)))
    assert [TEXT[one["start"] : one["end"]] for one in tokens] == [one["form"] for one in tokens]
    for one in found["sentences"]:
        written = parse_sentence(one["conllu"].strip("\n").split("\n"))
        assert list(written.heads[1:]) == heads(one) and written.n_roots == 1
        assert [row.deprel for row in written.words] == [row["deprel"] for row in one["tokens"]]
        assert [row.upos for row in written.words] == [row["upos"] for row in one["tokens"]]
        assert all(0 < row["head_probability"] <= 1 for row in one["tokens"])
        assert all(0 < row["label_probability"] <= 1 for row in one["tokens"])
        assert "svg" not in one


def test_words(client):
    given = {"tokens": WORDS, "spaces": [True, True, True, False, False]}
    [found] = client.post("/parse", {**given, "model": "bare"}).json["sentences"]
    assert [(one["form"], one["start"]) for one in found["tokens"]][-2:] == [
        ("Arzt", 15),
        ("?", 19),
    ]
    assert client.post("/parse", {"tokens": []}).json["sentences"] == []
    assert client.post("/parse", {"text": " \n"}).json["sentences"] == []


def test_what_is_found_can_be_given_again(client):
    """The heads and labels of a response can be the constraints of another request."""
    rng = np.random.default_rng(0)
    for _ in range(10):
        tree = random_tree("mst", len(WORDS), rng).tolist()
        known = {str(i): [head - 1 if head else i] for i, head in enumerate(tree)}
        constraints = {
            "heads": {token: known[token] for token in rng.choice([*known], 3, False)},
            "forbidden_labels": {"3": ["det"]},
            "subtrees": [],
        }
        asked = {"tokens": WORDS, "constraints": constraints}
        [found] = client.post("/parse", asked).json["sentences"]
        for token, [head] in constraints["heads"].items():
            assert found["tokens"][int(token)]["head"] == head
        assert found["tokens"][3]["deprel"] != "det"
        everything = {"heads": {}, "labels": {}}
        for one in found["tokens"]:
            everything["heads"][str(one["id"])] = [one["head"]]
            everything["labels"][str(one["id"])] = [one["deprel"]]
        again = client.post("/parse", {"tokens": WORDS, "constraints": everything}).json
        assert again["sentences"] == [found]


def test_drawings(client):
    [found] = client.post("/parse", {"tokens": WORDS, "svg_width": 200}).json["sentences"]
    assert found["svg"].startswith("<svg") and found["svg"].count('class="npparse-words"') > 1
    [wide] = client.post("/parse", {"tokens": WORDS, "svg_width": 1400}).json["sentences"]
    assert wide["svg"].count('class="npparse-words"') == 1


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ([], "Input should be an object"),
        ({"txt": ""}, "txt: Extra inputs"),
        ({}, "Give either a text or tokens"),
        ({"text": "", "tokens": []}, "either a text or tokens"),
        ({"text": 1}, "text: Input should be a valid string"),
        ({"tokens": ["a", " "]}, "must not be blank"),
        ({"tokens": ["a", "b\tc"]}, "not contain tabs"),
        ({"tokens": "ab"}, "tokens: Input should be a valid array"),
        ({"tokens": ["a"], "spaces": [7]}, "spaces: 0: Input should be a valid boolean"),
        ({"tokens": ["a"], "spaces": []}, "whether white space follows"),
        ({"text": "a", "svg_width": 3}, "greater than or equal to 100"),
        ({"text": "a", "model": "x"}, "does not exist"),
        ({"text": "a", "constraints": {"head": {}}}, "constraints: head: Unexpected"),
        (
            {"text": "a", "constraints": {"heads": {"x": [0]}}},
            "heads: x: [key]: Input should be",
        ),
        ({"text": "a", "constraints": {"heads": {"7": [0]}}}, "names the token 7"),
        (
            {"text": "a", "constraints": {"heads": {"0": 1}}},
            "heads: 0: Input should be",
        ),
        ({"text": "a", "constraints": {"subtrees": 3}}, "subtrees: Input should be a valid array"),
        (
            {"tokens": ["a", "b"], "constraints": {"heads": {"0": [1], "1": [0]}}},
            "no tree of 'a b'",
        ),
    ],
)
def test_what_is_malformed_is_refused(client, given, reason):
    answer = client.post("/parse", given)
    assert answer.status == 400 and reason in answer.text, answer.text


def test_it_takes_json_alone(client):
    assert client.ask("/parse", b"{", "application/json").status == 400
    assert client.ask("/parse", b"[" * 200_000, "application/json").status == 400
    # Forms of other pages can send this type, but not JSON.
    assert client.ask("/parse", b'{"text": "a"}', "text/plain").status == 400
    assert client.ask("/parse").status == 405


def references(part):
    if isinstance(part, dict):
        for key, value in part.items():
            if key == "$ref":
                yield value
            yield from references(value)
    elif isinstance(part, list):
        for one in part:
            yield from references(one)


def test_the_description_has_all_that_is_served(client):
    found = client.ask("/openapi.json").json
    assert found["openapi"].startswith("3.") and found["info"]["version"] != "VERSION"
    assert set(found["paths"]) == {"/models", "/process", "/parse"}
    for reference in references(found):
        part = found
        for name in reference.removeprefix("#/").split("/"):
            part = part[name]
    schemas = found["components"]["schemas"]
    kinds = DependencyConstraints.__dataclass_fields__
    assert set(schemas["Constraints"]["properties"]) == set(kinds)
    fields = {"data", "model", "tokenizer", "tagger", "parser", "input", "output"}
    assert set(schemas["ProcessRequest"]["properties"]) == fields
