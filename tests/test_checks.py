"""Checks of the settings of architectures, reader, augmenters, batcher and tokenizer."""

from pathlib import Path

import pytest
from spacy.vocab import Vocab
from thinc.api import Linear

from spacy_npparse.checks import check_type
from spacy_npparse.models import CharBiLSTM, ParserModel, ScaledGradient, TaggerModel
from spacy_npparse.tokenization import TrainedTokenizer
from spacy_npparse.treebank import (
    ConlluCorpus,
    ExcerptAugmenter,
    NonceAugmenter,
    augmenting_batcher,
)

HUGE = 10**10
NAN = float("nan")
LAYER = Linear(2, 2)
SIZES = [
    (CharBiLSTM, size)
    for size in (
        "width", "depth", "word_width", "word_rows", "char_width", "char_rows", "affix_width",
        "affix_rows", "max_chars",
    )
] + [
    *((ParserModel, size) for size in ("hidden_size", "arc_size", "label_size")),
    (TaggerModel, "hidden_size"),
    (ExcerptAugmenter, "max_words"),
]  # fmt: skip
COUNTS = ["sentences_per_doc", "max_length", "limit"]


def make(function, **settings):
    if function in (ParserModel, TaggerModel, ScaledGradient):
        settings = {"tok2vec": LAYER, **settings}
    return function(**settings)


@pytest.mark.parametrize("value", ["32", 2.5, True, None, 0, -1, HUGE])
@pytest.mark.parametrize("function, size", SIZES)
def test_sizes(function, size, value):
    with pytest.raises(ValueError, match=rf"spacy_npparse\.\w+\.v1: {size} is {value!r}, but must"):
        make(function, **{size: value})


@pytest.mark.parametrize("value", ["0.1", True, -0.1, 1.5, NAN])
@pytest.mark.parametrize(
    "function, rate",
    [
        (ParserModel, "dropout"),
        (CharBiLSTM, "block_dropout"),
        (CharBiLSTM, "spelling_dropout"),
        (NonceAugmenter, "probability"),
        (NonceAugmenter, "subtree_probability"),
    ],
)
def test_rates(function, rate, value):
    with pytest.raises(ValueError, match=rf"v1: {rate} is {value!r}, but must"):
        make(function, **{rate: value})


@pytest.mark.parametrize("value", ["1", -1.0, NAN])
def test_factors(value):
    with pytest.raises(ValueError, match=f"v1: factor is {value!r}, but must"):
        make(ScaledGradient, factor=value)


@pytest.mark.parametrize(
    "setting, value",
    [
        *((count, value) for count in COUNTS for value in ("3", 1.5, -1, HUGE, True)),
        ("gold_sentences", "no"),
        ("shuffle", 1),
        ("on_error", "ignore"),
        ("augmenter", "nonce"),
    ],
)
def test_settings_of_the_reader(setting, value):
    with pytest.raises(ValueError, match=rf"ConlluCorpus\.v1: {setting} is {value!r}, but must"):
        ConlluCorpus("train.conllu", **{setting: value})


@pytest.mark.parametrize("path, message", [(3, "path is 3"), ("", "is not set")])
def test_paths(path, message):
    with pytest.raises(ValueError, match=message):
        ConlluCorpus(path)


def test_what_is_no_layer():
    for function in (ParserModel, TaggerModel):
        with pytest.raises(ValueError, match="tok2vec is 'CharBiLSTM', but must be of type Model"):
            function("CharBiLSTM")


def test_batchers_and_augmenters_are_called():
    with pytest.raises(ValueError, match="batcher is 3, but must be of type Callable"):
        augmenting_batcher(3, NonceAugmenter())
    with pytest.raises(ValueError, match="augmenter is 'nonce', but must be of type Callable"):
        augmenting_batcher(list, "nonce")


@pytest.mark.parametrize("settings", [{"multiword": "no"}, {"source": 3}])
def test_settings_of_the_tokenizer(settings):
    (name,) = settings
    with pytest.raises(ValueError, match=rf"TrainedTokenizer\.v1: {name} is .*, but must be o[fn]"):
        TrainedTokenizer(Vocab()).initialize(lambda: [], **settings)


def test_unions():
    for value in (None, "a", Path("a")):
        check_type("path", value, str | Path | None)
    with pytest.raises(ValueError, match="path is None, but must be of type str"):
        check_type("path", None, str | Path)
