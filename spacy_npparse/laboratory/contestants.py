"""What takes part in an experiment, and what is asked of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

from spacy_npparse.treebank import Sentence


@dataclass(frozen=True)
class Task:
    """What all contestants are trained for.

    train: CoNLL-U file. dev: CoNLL-U file on which the best model is chosen. config: training
    config of this package's pipelines. updates: how many a training has; None leaves it to the
    configs.
    """

    train: Path
    dev: Path
    config: Path
    updates: int | None


class Checkpoint(NamedTuple):
    """LAS on the dev file, in percent, after so many updates."""

    update: int
    las: float


@dataclass(frozen=True)
class Parsed:
    """Predictions, and how many words were parsed in a second of CPU time."""

    sentences: list[Sentence]
    words_per_second: float


class Contestant(Protocol):
    """A parser and its settings.

    name: as it was asked for. model_name: contestants with the same share a model. is_peer: whether
    it comes from elsewhere. uses_seeds: whether training again with another seed differs.
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
        """Raises ValueError if the contestant does not fit the task."""
        ...

    def train(self, task: Task, seed: int, folder: Path) -> None:
        """Train a model and write it to a folder. Raises `commands.FailedCommandError`."""
        ...

    def parse(self, folder: Path, sentences: Sequence[Sentence]) -> Parsed:
        """Parse sentences with a trained model: gold tokens and boundaries, nothing else."""
        ...

    def learning_curve(self, folder: Path) -> list[Checkpoint]:
        """How a trained model learnt, as far as that is known."""
        ...
