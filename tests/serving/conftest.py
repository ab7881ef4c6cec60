"""Fixtures with small pipelines and a server for them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import spacy
from served import Client, serving
from spacy.language import Language
from spacy.util import fix_random_seed

from spacy_npparse.serving.app import make_app
from spacy_npparse.serving.pipelines import ServedPipeline
from spacy_npparse.treebank import ConlluCorpus

SAMPLE = Path(__file__).parents[2] / "assets" / "sample_treebank"


def train(parser: str, *others: str) -> Language:
    """Train a pipeline on a few sentences, reproducibly."""
    fix_random_seed(0)
    nlp = spacy.blank("xx")
    for name in others:
        nlp.add_pipe(name)
    settings = {"model": {"tok2vec": {"width": 16}}, "decoder": {"confidence": True}}
    nlp.add_pipe(parser, name="parser", config=settings)
    corpus = ConlluCorpus(SAMPLE / "sample-ud-train.conllu", sentences_per_doc=3, limit=40)
    examples = list(corpus(nlp))
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(15):
        nlp.update(examples, sgd=optimizer)
    return nlp


@pytest.fixture(scope="session")
def dev() -> str:
    """Return the dev part of the sample treebank, which has multiword tokens."""
    return (SAMPLE / "sample-ud-dev.conllu").read_text()


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Train a tagger and a parser, and return the folder of the pipeline."""
    found = tmp_path_factory.mktemp("xx_sample-ud") / "model-best"
    train("mh4_parser", "morphologizer").to_disk(found)
    return found


@pytest.fixture(scope="session")
def nlp(folder: Path) -> Language:
    """Load the pipeline for tests. A served pipeline must only be called in its own thread."""
    return spacy.load(folder)


@pytest.fixture(scope="session")
def pipelines(folder: Path) -> list[ServedPipeline]:
    """Return a served pipeline with tagger and parser, and a served parser without tagger."""
    return [
        ServedPipeline("xx_sample-ud", spacy.load(folder)),
        ServedPipeline("bare", train("arc_hybrid_swap_parser")),
    ]


@pytest.fixture(scope="session")
def client(pipelines: list[ServedPipeline]) -> Iterator[Client]:
    """Serve both pipelines, and return a client."""
    with serving(make_app(pipelines, "127.0.0.1")) as found:
        yield found
