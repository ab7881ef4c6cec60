"""A pipeline for the commands to run, and a way to run them."""

from pathlib import Path

import pytest
import spacy
from typer.testing import CliRunner

from spacy_npparse.cli import app
from spacy_npparse.treebank import ConlluCorpus

SAMPLE = Path(__file__).parents[2] / "assets" / "sample_treebank"


@pytest.fixture
def run():
    """Run a command in this process; paths and numbers may be given as they are."""

    def run_command(*arguments, **options):
        return CliRunner().invoke(app, [str(argument) for argument in arguments], **options)

    return run_command


@pytest.fixture(scope="session")
def dev():
    """The sample treebank's dev part: it has multiword tokens, empty MISC fields and others."""
    return SAMPLE / "sample-ud-dev.conllu"


@pytest.fixture(scope="session")
def train():
    """The sample treebank's training part, of whose first sentences the pipeline has seen some."""
    return SAMPLE / "sample-ud-train.conllu"


@pytest.fixture(scope="session")
def model(train, tmp_path_factory):
    """The folder of a small pipeline that has seen a few sentences."""
    nlp = spacy.blank("xx")
    nlp.add_pipe("senter")
    nlp.add_pipe(
        "arc_hybrid_swap_parser", name="parser", config={"model": {"tok2vec": {"width": 16}}}
    )
    corpus = ConlluCorpus(train, sentences_per_doc=3, limit=20)
    examples = list(corpus(nlp))
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(5):
        nlp.update(examples, sgd=optimizer)
    folder = tmp_path_factory.mktemp("pipeline") / "model"
    nlp.to_disk(folder)
    return folder
