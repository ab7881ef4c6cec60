from collections.abc import Callable
from typing import Any

import pytest
import spacy
from parser_helpers import FACTORIES, SAMPLE, TINY_MODEL
from spacy.language import Language
from spacy.training import Example
from spacy.util import fix_random_seed

from spacy_npparse.treebank import ConlluCorpus


@pytest.fixture(autouse=True)
def same_numbers() -> None:
    """Weights, dropout and exploration are the same in every run of a test."""
    fix_random_seed(0)


@pytest.fixture
def make_nlp() -> Callable[..., Language]:
    """Makes a pipeline with one tiny parser, called "parser", not initialized."""

    def make(system: str = "arc_hybrid_swap", **config: Any) -> Language:
        factory, settings = FACTORIES[system]
        config = {"model": TINY_MODEL, **settings, **config}
        nlp = spacy.blank("xx")
        nlp.add_pipe(f"{factory}_parser", name="parser", config=config)
        return nlp

    return make


@pytest.fixture
def sample() -> Callable[..., list[Example]]:
    """Reads the first examples of the sample treebank for a pipeline."""

    def read(nlp: Language, limit: int = 10, **settings: Any) -> list[Example]:
        return list(ConlluCorpus(SAMPLE, limit=limit, **settings)(nlp))

    return read


@pytest.fixture
def trained(make_nlp, sample) -> Language:
    """A pipeline with an initialized parser of random weights that knows the sample's labels."""
    nlp = make_nlp()
    nlp.initialize(lambda: sample(nlp))
    return nlp
