"""spaCy pipelines as contestants: `spacy train` trains them, and `nlp.pipe` runs them."""

from __future__ import annotations

import shutil
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import spacy
import srsly
from spacy.language import Language
from spacy.tokens import Doc
from thinc.api import Config

from spacy_npparse.files import replacing
from spacy_npparse.laboratory.commands import LOG, run_module
from spacy_npparse.laboratory.contestants import Parsed, Task
from spacy_npparse.treebank import (
    Paragraph,
    Sentence,
    annotate,
    sentences_from_doc,
    unannotated_doc,
)
from spacy_npparse.treebank_names import treebank_name

_BATCH = 128
_CONFIG = "config.cfg"
_ENCODER = "spacy_npparse.CharBiLSTM.v1"
_CURVE = "curve.jsonl"
# The dev file only draws the learning curve. Selecting a checkpoint would make scores on this file
# optimistic. The last model is expected to be the best: its parameters are averaged, and the
# learning rate has decreased to 0.
_MODEL = "model-last"
_SELECTED = "model-best"
# The number of evaluations in a training.
_CHECKPOINTS = 10


class TrainedPipeline(ABC):
    """A contestant that `spacy train` trains without early stopping. The last model is used."""

    uses_seeds = True

    @abstractmethod
    def config(self, task: Task) -> Config:
        """The training config, except for files, seed and budget.

        Args:
            task: The task.

        Returns:
            The config.

        Raises:
            ValueError: The contestant does not fit the task's config.
        """

    def overrides(self) -> dict[str, Any]:
        """Return the settings to change when the trained pipeline is loaded.

        Returns:
            Values by dotted name.
        """
        return {}

    def check(self, task: Task) -> None:
        self.config(task)

    def train(self, task: Task, seed: int, folder: Path) -> None:
        config = self.config(task)
        train = [str(path.resolve()) for path in task.training_files]
        config["paths"].update(
            train=train if task.others else train[0], dev=str(task.dev.resolve())
        )
        if task.others:
            _embed_treebanks(config["components"], treebank_name(task.train.resolve()))
        config["system"]["seed"] = seed
        training = config["training"]
        training["patience"] = 0
        training["logger"] = {
            "@loggers": "spacy.ConsoleLogger.v3",
            "output_file": str((folder / _CURVE).resolve()),
        }
        if task.updates is not None:
            training["max_steps"] = task.updates
            training["eval_frequency"] = max(1, task.updates // _CHECKPOINTS)
            rates = training["optimizer"].get("learn_rate")
            if isinstance(rates, dict) and "total_steps" in rates:
                rates["total_steps"] = task.updates
        with replacing(folder / _CONFIG) as file:
            file.write(config.to_bytes(interpolate=False))
        code = [] if task.code is None else ["--code", task.code]
        run_module(["spacy", "train", folder / _CONFIG, "--output", folder, *code], folder / LOG)
        shutil.rmtree(folder / _SELECTED)

    def parse(self, folder: Path, sentences: Sequence[Sentence]) -> Parsed:
        return parse_sentences(self.load(folder), sentences)

    def parse_text(self, folder: Path, paragraphs: Sequence[Paragraph]) -> Parsed:
        return parse_text(self.load(folder), paragraphs)

    def load(self, folder: Path) -> Language:
        """Load the trained pipeline.

        Args:
            folder: The folder of the training.

        Returns:
            The pipeline after the last update, with the settings of the contestant.
        """
        return spacy.load(folder / _MODEL, config=self.overrides())

    def learning_curve(self, folder: Path) -> list[tuple[int, float]]:
        path = folder / _CURVE
        if not path.exists():
            return []
        return [
            (row["step"], row["scores"]["dep_las"])
            for row in srsly.read_jsonl(path)
            if "dep_las" in row["scores"]
        ]


def _embed_treebanks(section: dict[str, Any], treebank: str) -> None:
    """Give this package's encoders in a section of a config treebank embeddings. The pipeline then
    parses in the style of `treebank`."""
    if section.get("@architectures") == _ENCODER:
        section.update(treebank_embedding=True, treebank=treebank)
    for part in section.values():
        if isinstance(part, dict):
            _embed_treebanks(part, treebank)


def parse_sentences(nlp: Language, sentences: Sequence[Sentence]) -> Parsed:
    """Parse sentences, each in a Doc of its own.

    Args:
        nlp: The pipeline.
        sentences: The sentences, of which only the tokens are used.

    Returns:
        The parsed sentences, and the speed.
    """
    docs = [unannotated_doc([one], nlp.vocab) for one in sentences]
    return _parsed(nlp, docs)


def parse_text(nlp: Language, paragraphs: Sequence[Paragraph]) -> Parsed:
    """Parse plain text.

    Args:
        nlp: The pipeline.
        paragraphs: The paragraphs of the text.

    Returns:
        The sentences that the pipeline finds, and the speed.
    """
    # A treebank without paragraphs is one long text.
    nlp.max_length = max(nlp.max_length, *(len(paragraph.text) for paragraph in paragraphs))
    return _parsed(nlp, paragraphs)


def _parsed(nlp: Language, inputs: Sequence[Doc | Paragraph]) -> Parsed:
    # The first call initialises caches, which must not count as parsing time.
    nlp("Go !")
    start = time.process_time()
    docs = list(annotate(nlp, inputs, batch_size=_BATCH))
    seconds = time.process_time() - start
    sentences = [sentence for doc in docs for sentence in sentences_from_doc(doc)]
    return Parsed(sentences, sum(len(sentence.words) for sentence in sentences) / seconds)
