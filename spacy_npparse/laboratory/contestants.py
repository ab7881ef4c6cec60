"""The contestants of an experiment, and their task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from spacy_npparse.treebank import Paragraph, Sentence


@dataclass(frozen=True)
class Task:
    """The training data and the budget of all contestants.

    Attributes:
        train: The CoNLL-U file to train on.
        dev: The CoNLL-U file for the learning curve.
        config: The training config for pipelines of this package.
        updates: The number of updates of each training; None for that of its config.
        code: A Python file to import before the config is read, as `--code` of `spacy train`; None
            for none.
        others: CoNLL-U files of other treebanks that are added to the training data.
    """

    train: Path
    dev: Path
    config: Path
    updates: int | None
    code: Path | None = None
    others: tuple[Path, ...] = ()

    @property
    def training_files(self) -> list[Path]:
        """All files to train on."""
        return [self.train, *self.others]


@dataclass(frozen=True)
class Parsed:
    """Predictions, and the speed of parsing.

    Attributes:
        sentences: The parsed sentences.
        words_per_second: The number of words per second of CPU time.
    """

    sentences: list[Sentence]
    words_per_second: float


class Contestant(Protocol):
    """A parser with its settings, which can be trained and evaluated.

    Attributes:
        name: The name that the user gave.
        model_name: The name of the model. Contestants with the same one share a model.
        is_peer: Whether the parser comes neither from this package nor from an extension.
        uses_seeds: Whether training depends on the seed.
    """

    @property
    def name(self) -> str: ...

    @property
    def model_name(self) -> str: ...

    @property
    def is_peer(self) -> bool: ...

    @property
    def uses_seeds(self) -> bool: ...

    def check(self, task: Task) -> None:
        """Check that the contestant fits the task.

        Args:
            task: The task.

        Raises:
            ValueError: The contestant does not fit the task.
        """
        ...

    def train(self, task: Task, seed: int, folder: Path) -> None:
        """Train a model.

        Args:
            task: The task.
            seed: The random seed.
            folder: The folder to write the model to.

        Raises:
            FailedCommandError: The training has failed.
        """
        ...

    def parse(self, folder: Path, sentences: Sequence[Sentence]) -> Parsed:
        """Parse gold tokens and sentence boundaries, without other annotation.

        Args:
            folder: The folder of a trained model.
            sentences: The sentences.

        Returns:
            The predictions.
        """
        ...

    def parse_text(self, folder: Path, paragraphs: Sequence[Paragraph]) -> Parsed:
        """Parse plain text, predicting tokens and sentence boundaries as well.

        Args:
            folder: The folder of a trained model.
            paragraphs: The paragraphs.

        Returns:
            The predictions, with a speed that includes tokenization.
        """
        ...

    def learning_curve(self, folder: Path) -> list[tuple[int, float]]:
        """Read the learning curve of a trained model.

        Args:
            folder: The folder of the model.

        Returns:
            The numbers of updates, each with the LAS on the dev file in percent; empty if they are
            unknown.
        """
        ...
