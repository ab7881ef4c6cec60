"""Runs: training a contestant with a seed, and parsing. Interrupted steps start over."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from spacy_npparse.files import checksum, replacing
from spacy_npparse.laboratory.commands import FailedCommandError
from spacy_npparse.laboratory.contestants import Contestant, Task
from spacy_npparse.laboratory.records import (
    Measurements,
    read_minutes,
    read_record,
    write_minutes,
    write_record,
)
from spacy_npparse.scaling import cleaning_up_on_termination
from spacy_npparse.treebank import paragraphs_of_treebank, read_conllu
from spacy_npparse.treebank.sentence import conllu_text
from spacy_npparse.workfolder import DamagedFileError


@dataclass(frozen=True)
class Run:
    """A contestant with a seed, in the folder of an `Experiment`.

    Attributes:
        task: The training task.
        gold: The CoNLL-U file to parse.
        folder: The folder of the experiment.
        raw: Whether the contestant parses the plain text of this file.
        contestant: The contestant.
        seed: The seed.
    """

    task: Task
    gold: Path
    folder: Path
    raw: bool
    contestant: Contestant
    seed: int

    @property
    def model(self) -> Path:
        """The folder of the trained model."""
        return self.folder / "models" / f"{self.contestant.model_name}-{self.seed}"

    @property
    def prediction(self) -> Path:
        """The CoNLL-U file with the predictions."""
        source = "-raw" if self.raw else ""
        name = f"{self.gold.stem}-{checksum(self.gold)[:8]}{source}"
        return self.folder / "predictions" / name / f"{self.contestant.name}-{self.seed}.conllu"

    def record(self) -> Measurements | None:
        """Read the measurements of the finished run; None if there are none."""
        try:
            return read_record(self.prediction)
        except DamagedFileError:
            return None

    def is_trained(self) -> bool:
        """Whether the model is completely trained."""
        return not _damage(partial(read_minutes, self.model))

    def damage(self) -> list[str]:
        """Describe damaged files, and what `complete` will do about them."""
        found = []
        model, path = self.model, self.prediction
        if model.exists() and (reason := _damage(partial(read_minutes, model))):
            found.append(f"{reason}: {model.name} is trained again.")
        exists = path.exists() or path.with_suffix(".json").exists()
        if exists and (reason := _damage(partial(read_record, path))):
            found.append(f"{reason}: {path.stem} parses again.")
        return found

    def with_absolute_paths(self) -> Run:
        """Make all paths absolute, for a process with another working directory."""
        task = replace(
            self.task,
            train=self.task.train.absolute(),
            dev=self.task.dev.absolute(),
            config=self.task.config.absolute(),
            code=self.task.code and self.task.code.absolute(),
            others=tuple(path.absolute() for path in self.task.others),
        )
        return replace(self, task=task, gold=self.gold.absolute(), folder=self.folder.absolute())

    def complete(self) -> str:
        """Train and parse in this process, unless the run is complete already.

        Returns:
            The error message; empty if the run succeeds.
        """
        with cleaning_up_on_termination():
            if reason := failure(self._train):
                return reason
            if reason := failure(self._parse):
                reason += f" If the model is damaged, delete {self.model} to train it again."
            return reason

    def _train(self) -> None:
        """Train a model unless there is one. An interrupted training starts over."""
        if self.is_trained():
            return
        attempts = self.model.with_name(f"{self.model.name}.unfinished")
        shutil.rmtree(attempts, ignore_errors=True)
        if self.model.exists():
            # After the training, a damaged model would block the renaming.
            shutil.rmtree(self.model)
        # Each attempt has a folder of its own, because a machine that has lost contact may still
        # be writing an earlier one.
        unfinished = attempts / secrets.token_hex(4)
        unfinished.mkdir(parents=True)
        start = _cpu_seconds()
        try:
            self.contestant.train(self.task, self.seed, unfinished)
        except Exception:
            # Keep the log.
            raise
        except BaseException:
            shutil.rmtree(unfinished, ignore_errors=True)
            _remove_if_empty(attempts)
            raise
        write_minutes((_cpu_seconds() - start) / 60, unfinished)
        unfinished.rename(self.model)
        _remove_if_empty(attempts)

    def _parse(self) -> None:
        model, path = self.model, self.prediction
        gold = list(read_conllu(self.gold))
        if self.raw:
            parsed = self.contestant.parse_text(model, list(paragraphs_of_treebank(gold)))
        else:
            parsed = self.contestant.parse(model, gold)
        curve = self.contestant.learning_curve(model)
        with replacing(path) as file:
            file.write(conllu_text(parsed.sentences).encode("utf-8"))
        write_record(Measurements(parsed.words_per_second, read_minutes(model), curve), path)


def _remove_if_empty(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()


def failure(work: Callable[[], object]) -> str:
    """Call a function and catch its exceptions, so that a failure does not stop other work.

    Args:
        work: The function.

    Returns:
        The error message; empty if the function succeeds.
    """
    try:
        work()
    except (FailedCommandError, OSError, ValueError) as error:
        return str(error)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def _damage(read: Callable[[], object]) -> str:
    """Describe the damage that a reader finds; empty if none. Other exceptions are raised."""
    try:
        read()
    except DamagedFileError as error:
        return str(error)
    return ""


def _cpu_seconds() -> float:
    """CPU time of this process and its terminated children."""
    return sum(os.times()[:4])
