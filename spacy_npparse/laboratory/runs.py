"""Runs: a contestant is trained with a seed, and parses. What is interrupted starts over."""

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
from spacy_npparse.workfolder import DamagedFileError


@dataclass(frozen=True)
class Run:
    """A contestant with a seed, in the folder of an `Experiment`.

    Attributes:
        task: What the contestant is trained on.
        gold: CoNLL-U file that it parses.
        folder: The folder of the experiment.
        raw: Whether it parses the plain text of that file.
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
        """The folder of its model."""
        return self.folder / "models" / f"{self.contestant.model_name}-{self.seed}"

    @property
    def prediction(self) -> Path:
        """The file with its predictions."""
        source = "-raw" if self.raw else ""
        name = f"{self.gold.stem}-{checksum(self.gold)[:8]}{source}"
        return self.folder / "predictions" / name / f"{self.contestant.name}-{self.seed}.conllu"

    def record(self) -> Measurements | None:
        """The record of what has ended, None if there is no result."""
        try:
            return read_record(self.prediction)
        except DamagedFileError:
            return None

    def is_trained(self) -> bool:
        """Whether the training of its model has ended."""
        return not _damage(partial(read_minutes, self.model))

    def damage(self) -> list[str]:
        """Describe files that are there, but not as they were written, and what `complete` will do
        about them."""
        found = []
        model, path = self.model, self.prediction
        if model.exists() and (reason := _damage(partial(read_minutes, model))):
            found.append(f"{reason}: {model.name} is trained again.")
        exists = path.exists() or path.with_suffix(".json").exists()
        if exists and (reason := _damage(partial(read_record, path))):
            found.append(f"{reason}: {path.stem} parses again.")
        return found

    def with_absolute_paths(self) -> Run:
        """The same run for a process whose working directory is another one."""
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
        """Do in this process what is missing.

        Returns:
            The error message if the run fails, otherwise nothing.
        """
        with cleaning_up_on_termination():
            return failure(self._train) or failure(self._parse)

    def _train(self) -> None:
        """Train a model unless there is one. An interrupted training starts over."""
        if self.is_trained():
            return
        attempts = self.model.with_name(f"{self.model.name}.unfinished")
        shutil.rmtree(attempts, ignore_errors=True)
        if self.model.exists():
            # Were it still there after the training, this would be lost.
            shutil.rmtree(self.model)
        # Each attempt has a folder of its own: on a machine that has only lost contact, an earlier
        # one may still be writing.
        unfinished = attempts / secrets.token_hex(4)
        unfinished.mkdir(parents=True)
        start = _cpu_seconds()
        try:
            self.contestant.train(self.task, self.seed, unfinished)
        except Exception:
            # Its log stays.
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
            file.write("".join(f"{sentence}\n\n" for sentence in parsed.sentences).encode("utf-8"))
        write_record(Measurements(parsed.words_per_second, read_minutes(model), curve), path)


def _remove_if_empty(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()


def failure(work: Callable[[], object]) -> str:
    """Why some work fails: no failure may stop other work.

    Args:
        work: The work, which is done.

    Returns:
        The error message; empty if it succeeds.
    """
    try:
        work()
    except (FailedCommandError, OSError, ValueError) as error:
        return str(error)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def _damage(read: Callable[[], object]) -> str:
    """What is damaged in a file, empty if nothing is. That it may not be read is no damage."""
    try:
        read()
    except DamagedFileError as error:
        return str(error)
    return ""


def _cpu_seconds() -> float:
    """CPU time of this process and its terminated children."""
    return sum(os.times()[:4])
