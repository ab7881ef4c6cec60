"""Fixtures that run commands, and the files and the pipeline that the commands use."""

from pathlib import Path

import pytest
import spacy
from typer.testing import CliRunner

from spacy_npparse.cli import app
from spacy_npparse.treebank import ConlluCorpus

SAMPLE = Path(__file__).parents[2] / "assets" / "sample_treebank"


@pytest.fixture
def run():
    """Return a function that runs a command in this process and converts arguments to strings."""

    def run_command(*arguments, **options):
        return CliRunner().invoke(app, [str(argument) for argument in arguments], **options)

    return run_command


@pytest.fixture(scope="session")
def dev():
    """Return the sample treebank's dev part, with multiword tokens and some empty MISC fields."""
    return SAMPLE / "sample-ud-dev.conllu"


@pytest.fixture(scope="session")
def train():
    """Return the sample treebank's training part; `model` is trained on its first sentences."""
    return SAMPLE / "sample-ud-train.conllu"


@pytest.fixture(scope="session")
def model(train, tmp_path_factory):
    """Return the folder of a small pipeline that was trained on a few sentences."""
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
