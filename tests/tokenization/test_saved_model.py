"""The files of a tokenizer, which must not be loaded if they differ from the saved ones."""

import random
import re

import pytest
import srsly

from spacy_npparse.tokenization import TrainedTokenizer
from spacy_npparse.tokenization.saved_model import seal, unseal


@pytest.fixture
def folder(nlp, tmp_path):
    nlp.tokenizer.to_disk(tmp_path / "tokenizer")
    return tmp_path / "tokenizer"


@pytest.fixture
def early(folder):
    """Remove the checksum of the model, which early versions of 0.2 did not save."""
    path = folder / "model"
    path.write_bytes(unseal(path.read_bytes()))
    return path


def refusal(folder):
    with pytest.raises(ValueError, match="Copy the whole folder .* or train it again") as error:
        TrainedTokenizer(None).from_disk(folder)
    assert str(folder) in str(error.value)
    return str(error.value)


@pytest.mark.parametrize("saved", [bytes, unseal], ids=["sealed", "early"])
def test_every_other_first_byte_is_refused(folder, saved):
    path = folder / "model"
    content = saved(path.read_bytes())
    for byte in {*range(256)} - {content[0]}:
        path.write_bytes(bytes([byte]) + content[1:])
        refusal(folder)


def test_early_models_are_loaded(nlp, early):
    loaded = TrainedTokenizer(nlp.vocab).from_disk(early.parent)
    assert loaded.to_bytes() == nlp.tokenizer.to_bytes()


@pytest.mark.parametrize("kind", ["sealed", "early"])
def test_damage_is_refused(folder, request, kind):
    if kind == "early":
        request.getfixturevalue("early")
    path = folder / "model"
    content = path.read_bytes()
    rng = random.Random(7)
    # The places are all bytes before the weights, and some bytes of these.
    places = [*range(150), *rng.sample(range(150, len(content)), 150), *range(-30, 0)]
    for place in places:
        changed = bytearray(content)
        changed[place] ^= 1 << rng.randrange(8)
        path.write_bytes(changed)
        refusal(folder)
    for damaged in (content[:100], content[:-1], content + b"\0", content[1:]):
        path.write_bytes(damaged)
        refusal(folder)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda saved: b"", "its model is empty"),
        (lambda saved: re.sub(rb"[0-9a-f]{64}", b"", saved, count=1), "no checksum"),
        (
            lambda saved: re.sub(rb"[0-9a-f]{64}", b"0" * 64, saved, count=1),
            "changed since it was saved",
        ),
        (lambda saved: saved.replace(b"\n", b"", 1), "no checksum"),
        (lambda saved: b"spacy", "is damaged"),
    ],
)
def test_models_that_are_empty_or_without_their_checksum(nlp, folder, change, message):
    saved = (folder / "model").read_bytes()
    (folder / "model").write_bytes(change(saved))
    assert message in refusal(folder)
    parts = srsly.msgpack_loads(nlp.tokenizer.to_bytes())
    parts["model"] = change(saved)
    with pytest.raises(ValueError, match=f"{message}.*train it again"):
        TrainedTokenizer(nlp.vocab).from_bytes(srsly.msgpack_dumps(parts))


def test_untrained_tokenizers_are_saved_with_a_checksum():
    assert unseal(seal(b"")) == b""


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data["rules"][0].__setitem__(5, [""]), "an empty word"),
        (lambda data: data["rules"][0].__setitem__(2, ["", "de"]), "an empty word"),
        (lambda data: data["rules"][0].__setitem__(5, ["\u2028"]), "an empty word"),
        (lambda data: data["rules"][0].__setitem__(5, ["d\tem"]), "white space"),
        (lambda data: data["weights"][0].update(x=float("nan")), "not a number"),
        (lambda data: data["weights"][1].update(x="2"), "not a number"),
        (lambda data: data["weights"][1].update({2: 1.0}), "not a string"),
        (lambda data: data["weights"].pop(), "weights of"),
        (lambda data: data["rules"][0].__setitem__(slice(2, 6), [[], "", "", []]), "no word"),
        (lambda data: data["rules"][0].__setitem__(5, "dem"), "adds no word"),
        (lambda data: data["rules"][0].__setitem__(5, [1]), "are not strings"),
        (lambda data: data["rules"][0].pop(), ""),
        (lambda data: data["vocabulary"].update(haus="2"), "not a number"),
        (lambda data: data["vocabulary"].update({"": 1}), "a count of an empty word"),
        (lambda data: data.update(no_addresses="t.ex"), "no list of strings"),
        (lambda data: data.update(no_addresses=["t.ex", 2]), "no list of strings"),
    ],
)
def test_rules_that_no_training_makes(folder, change, message):
    path = folder / "multiword"
    data = srsly.read_msgpack(path)
    change(data)
    srsly.write_msgpack(path, data)
    assert message in refusal(folder)
