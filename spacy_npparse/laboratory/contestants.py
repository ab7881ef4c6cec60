"""What takes part in an experiment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

from spacy_npparse.treebank import Paragraph, Sentence


@dataclass(frozen=True)
class Task:
    """What all contestants are trained on, and how long.

    Attributes:
        train: CoNLL-U file to train on.
        dev: CoNLL-U file for the learning curve.
        config: Training config of this package's pipelines.
        updates: Updates of each training; None for those of its config.
        code: Python file to import before the config is read, `--code` of `spacy train`.
        others: CoNLL-U files of other treebanks to train on as well.
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


class Checkpoint(NamedTuple):
    """A point of a learning curve.

    Attributes:
        update: Updates so far.
        las: LAS on the dev file in percent.
    """

    update: int
    las: float


@dataclass(frozen=True)
class Parsed:
    """Predictions and their speed.

    Attributes:
        sentences: The parsed sentences.
        words_per_second: Words per second of CPU time.
    """

    sentences: list[Sentence]
    words_per_second: float


class Contestant(Protocol):
    """A parser with its settings.

    Attributes:
        name: The name that the user gave.
        model_name: Contestants with the same model name share a model.
        is_peer: Whether the parser is not one of this package or its extensions.
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
            ValueError: It does not fit.
        """
        ...

    def train(self, task: Task, seed: int, folder: Path) -> None:
        """Train a model.

        Args:
            task: The task.
            seed: Random seed.
            folder: Where the model is written.

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
        """Parse plain text: tokens and sentence boundaries are predicted as well.

        Args:
            folder: The folder of a trained model.
            paragraphs: The paragraphs.

        Returns:
            The predictions; their speed includes tokenization.
        """
        ...

    def learning_curve(self, folder: Path) -> list[Checkpoint]:
        """Read the learning curve of a trained model.

        Args:
            folder: The folder of the model.

        Returns:
            The curve; empty if it is not known.
        """
        ...
