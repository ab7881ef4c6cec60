"""Fixtures of the tests that make parsers: pipelines with one tiny parser."""

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
import spacy
from parser_helpers import FACTORIES, SAMPLE, TINY_MODEL
from spacy.language import Language
from spacy.training import Example
from spacy.util import fix_random_seed

from spacy_npparse.parsing.settings import DecoderSettings
from spacy_npparse.treebank import ConlluCorpus


@pytest.fixture(autouse=True)
def same_numbers() -> None:
    """Weights, dropout and exploration are the same in every run of a test."""
    fix_random_seed(0)


def new_pipeline(system: str = "arc_hybrid_swap", **config: Any) -> Language:
    factory, settings = FACTORIES[system]
    config = {"model": TINY_MODEL, **settings, **config}
    nlp = spacy.blank("xx")
    nlp.add_pipe(f"{factory}_parser", name="parser", config=config)
    return nlp


def read_sample(nlp: Language, limit: int = 10, **settings: Any) -> list[Example]:
    return list(ConlluCorpus(SAMPLE, limit=limit, **settings)(nlp))


@cache
def initialized_pipeline(system: str) -> Language:
    nlp = new_pipeline(system)
    nlp.initialize(lambda: read_sample(nlp))
    return nlp


@pytest.fixture
def make_nlp() -> Callable[..., Language]:
    """Makes a pipeline with one tiny parser, called "parser", not initialized."""
    return new_pipeline


@pytest.fixture
def sample() -> Callable[..., list[Example]]:
    """Reads the first examples of the sample treebank for a pipeline."""
    return read_sample


@pytest.fixture
def trained() -> Language:
    """A pipeline with an initialized parser of random weights that knows the sample's labels."""
    nlp = new_pipeline()
    nlp.initialize(lambda: read_sample(nlp))
    return nlp


@pytest.fixture
def shared(monkeypatch) -> Callable[..., Language]:
    """Gives a pipeline like `trained` that all tests share: they must not change it. The settings
    of its decoder are the test's own."""

    def get(system: str = "arc_hybrid_swap", **decoder: Any) -> Language:
        nlp = initialized_pipeline(system)
        monkeypatch.setattr(nlp.get_pipe("parser"), "decoder", DecoderSettings(**decoder))
        return nlp

    return get


@pytest.fixture
def make_parser() -> Callable[..., Language]:
    """Makes a pipeline whose parser has random weights and the given decoder settings."""

    def make(
        system: str = "arc_hybrid_swap", settings: dict[str, Any] | None = None, **decoder: Any
    ) -> Language:
        nlp = new_pipeline(system, decoder=decoder, **(settings or {}))
        nlp.initialize(lambda: read_sample(nlp))
        return nlp

    return make
