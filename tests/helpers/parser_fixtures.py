"""Fixtures that make pipelines with a tiny parser."""

import atexit
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest
import spacy
from parser_helpers import FACTORIES, SAMPLE, TINY_MODEL
from spacy.language import Language
from spacy.training import Example
from spacy.util import fix_random_seed
from tiny import write_part

from spacy_npparse.parsing.settings import DecoderSettings
from spacy_npparse.treebank import ConlluCorpus

N_FIRST = 40


@pytest.fixture(autouse=True)
def same_numbers() -> None:
    """Fix the random seed, so that weights, dropout and exploration are reproducible."""
    fix_random_seed(0)


def new_pipeline(system: str = "arc_hybrid_swap", **config: Any) -> Language:
    factory, settings = FACTORIES[system]
    config = {"model": TINY_MODEL, **settings, **config}
    nlp = spacy.blank("xx")
    nlp.add_pipe(f"{factory}_parser", name="parser", config=config)
    return nlp


@cache
def first_sentences() -> Path:
    """Write the first sentences of the sample treebank to a file, because a corpus reads a whole
    file for each vocabulary."""
    folder = Path(mkdtemp())
    atexit.register(shutil.rmtree, folder)
    return write_part("train", folder / SAMPLE.name, N_FIRST)


def read_sample(nlp: Language, limit: int = 10, **settings: Any) -> list[Example]:
    n_sentences = limit * settings.get("sentences_per_doc", 1)
    path = first_sentences() if n_sentences <= N_FIRST else SAMPLE
    return list(ConlluCorpus(path, limit=limit, **settings)(nlp))


@cache
def initialized_pipeline(system: str) -> Language:
    nlp = new_pipeline(system)
    nlp.initialize(lambda: read_sample(nlp))
    return nlp


@pytest.fixture
def make_nlp() -> Callable[..., Language]:
    """Return a function that makes a pipeline with a tiny parser, which is not initialized."""
    return new_pipeline


@pytest.fixture
def sample() -> Callable[..., list[Example]]:
    """Return a function that reads the first examples of the sample treebank for a pipeline."""
    return read_sample


@pytest.fixture
def trained() -> Language:
    """Return a pipeline whose parser has random weights and the labels of the sample treebank."""
    nlp = new_pipeline()
    nlp.initialize(lambda: read_sample(nlp))
    return nlp


@pytest.fixture
def shared(monkeypatch) -> Callable[..., Language]:
    """Return a function that returns a pipeline like `trained`. All tests share the pipeline and
    must not change it, but each test may set the decoder."""

    def get(system: str = "arc_hybrid_swap", **decoder: Any) -> Language:
        nlp = initialized_pipeline(system)
        monkeypatch.setattr(nlp.get_pipe("parser"), "decoder", DecoderSettings(**decoder))
        return nlp

    return get


@pytest.fixture
def make_parser() -> Callable[..., Language]:
    """Return a function that makes a pipeline like `trained` with the given decoder settings."""

    def make(
        system: str = "arc_hybrid_swap", settings: dict[str, Any] | None = None, **decoder: Any
    ) -> Language:
        nlp = new_pipeline(system, decoder=decoder, **(settings or {}))
        nlp.initialize(lambda: read_sample(nlp))
        return nlp

    return make
