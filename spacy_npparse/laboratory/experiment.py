"""Experiments: each contestant trained and evaluated with each seed, resumed where they stopped."""

from __future__ import annotations

import json
import os
import shutil
import signal
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import torch
from filelock import FileLock, Timeout

import spacy_npparse
from spacy_npparse.evaluation import score_sentences
from spacy_npparse.evaluation.leaderboard import Trial
from spacy_npparse.files import checksum, replacing
from spacy_npparse.laboratory.code import import_code
from spacy_npparse.laboratory.commands import FailedCommandError
from spacy_npparse.laboratory.contestants import Contestant, Task
from spacy_npparse.laboratory.records import (
    DamagedFileError,
    Record,
    read_minutes,
    read_record,
    write_minutes,
    write_record,
)
from spacy_npparse.scaling import LostProcessError, Workers, cleaning_up_on_termination
from spacy_npparse.treebank import paragraphs_of_treebank, read_conllu

_NOTE = "experiment.json"
_LOCK = ".lock"
# The seed of contestants that do not depend on it.
_ONLY_SEED = 0


# A contestant and a seed.
Run = tuple[Contestant, int]


class ExperimentMismatchError(ValueError):
    """The folder belongs to another experiment; the message says what differs."""


class FolderInUseError(RuntimeError):
    """Another process runs an experiment in the folder."""


@dataclass(frozen=True)
class FailedRun:
    """A run without result.

    Attributes:
        name: The contestant's name.
        seed: Its seed.
        reason: Error message.
    """

    name: str
    seed: int
    reason: str


@dataclass(frozen=True)
class Experiment:
    """Trained models and their predictions in a folder.

    Attributes:
        task: What the models are trained on.
        gold: CoNLL-U file that they parse.
        folder: Has models/NAME-SEED, predictions/GOLD/NAME-SEED.conllu and, beside it, a JSON file
            with speed and learning curve.
        raw: Whether they parse the plain text of that file, instead of its tokens and sentences.
            The models are the same.
    """

    task: Task
    gold: Path
    folder: Path
    raw: bool = False

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes from running an experiment in the folder.

        The operating system unlocks it when this process ends, even if it is killed.

        Raises:
            FolderInUseError: Another process runs one.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(self.folder / _LOCK, timeout=0)
        try:
            lock.acquire()
        except Timeout:
            raise FolderInUseError(
                f"Another process is making a leaderboard in {self.folder}. Wait until it has "
                "ended, or give another folder."
            ) from None
        try:
            yield
        finally:
            lock.release()

    def begin(self) -> None:
        """Record in the folder what determines the models.

        Raises:
            ExperimentMismatchError: The folder belongs to another experiment.
        """
        path = self.folder / _NOTE
        task = self.task
        note = {
            "train": checksum(task.train),
            "dev": checksum(task.dev),
            "config": checksum(task.config),
            "code": task.code and checksum(task.code),
            "updates": task.updates,
            "version": spacy_npparse.__version__,
        }
        if path.exists():
            try:
                known = dict(json.loads(path.read_text(encoding="utf-8")))
            except (TypeError, ValueError):
                raise ExperimentMismatchError(
                    f"{path} is damaged: with which settings the models beside it were trained is "
                    "not known. Give another folder, or delete this file if they were the same."
                ) from None
            changed = [name for name, value in note.items() if known.get(name) != value]
            if changed:
                raise ExperimentMismatchError(
                    f"{self.folder} holds models that were trained with other settings "
                    f"({', '.join(changed)}). Give another folder."
                )
        with replacing(path) as file:
            file.write(json.dumps(note, indent=2).encode())

    def missing(self, contestants: Sequence[Contestant], seeds: Sequence[int]) -> list[Run]:
        """List the runs without result.

        Args:
            contestants: The contestants.
            seeds: Seeds of those that depend on them.

        Returns:
            Contestants and seeds.
        """
        return [
            (contestant, seed)
            for seed in dict.fromkeys([*seeds, _ONLY_SEED])
            for contestant in contestants
            if seed in _seeds_of(contestant, seeds) and self._record(contestant, seed) is None
        ]

    def damage(self, runs: Sequence[Run]) -> list[str]:
        """Describe the files that there are of runs without result.

        Args:
            runs: Contestants and seeds.

        Returns:
            What is missing or damaged, and what `run` will do about it.
        """
        found = []
        for contestant, seed in runs:
            model, path = self._model(contestant, seed), self._prediction(contestant, seed)
            if model.exists() and (reason := _damage(partial(read_minutes, model))):
                found.append(f"{reason}: {model.name} is trained again.")
            exists = path.exists() or path.with_suffix(".json").exists()
            if exists and (reason := _damage(partial(read_record, path))):
                found.append(f"{reason}: {path.stem} parses again.")
        return list(dict.fromkeys(found))

    def run(
        self, runs: Sequence[Run], processes: int
    ) -> Generator[tuple[Contestant, int, FailedRun | None], None, None]:
        """Train and evaluate. If the iteration is stopped, all runs are.

        Args:
            runs: Contestants and seeds.
            processes: Runs at a time, each on one thread.

        Yields:
            Runs as they end; the failure if one has failed.
        """
        # Contestants that share a model run one after the other.
        groups: dict[tuple[str, int], list[Run]] = {}
        # Peers first: the longest trainings should not be left for the end.
        for contestant, seed in sorted(runs, key=lambda run: not run[0].is_peer):
            groups.setdefault((contestant.model_name, seed), []).append((contestant, seed))
        waiting = deque(groups.values())
        with Workers[list[Run], str](processes, _begin_worker, self.task.code) as workers:
            while waiting or workers.running:
                while waiting and workers.idle:
                    group = waiting.popleft()
                    workers.start(group, self._complete, *group[0])
                for group, end in workers.ended():
                    lost = isinstance(end, LostProcessError)
                    reason = f"{end}. Use fewer processes." if lost else str(end)
                    ended = group if reason and not self._is_trained(*group[0]) else group[:1]
                    if others := group[len(ended) :]:
                        waiting.appendleft(others)
                    for contestant, seed in ended:
                        failure = FailedRun(contestant.name, seed, reason) if reason else None
                        yield contestant, seed, failure

    def results(
        self, contestants: Sequence[Contestant], seeds: Sequence[int]
    ) -> dict[str, list[Trial]]:
        """Read the results that there are.

        Args:
            contestants: The contestants.
            seeds: Seeds of those that depend on them.

        Returns:
            Trials by the contestant's name.
        """
        gold = list(read_conllu(self.gold))
        found: dict[str, list[Trial]] = {}
        for contestant in contestants:
            for seed in _seeds_of(contestant, seeds):
                if (record := self._record(contestant, seed)) is not None:
                    path = self._prediction(contestant, seed)
                    scores = score_sentences(gold, read_conllu(path))
                    trial = Trial(seed=seed, file=str(path), scores=scores, **asdict(record))
                    found.setdefault(contestant.name, []).append(trial)
        return found

    def _record(self, contestant: Contestant, seed: int) -> Record | None:
        """The record of a run, None if it has no result."""
        try:
            return read_record(self._prediction(contestant, seed))
        except DamagedFileError:
            return None

    def _model(self, contestant: Contestant, seed: int) -> Path:
        return self.folder / "models" / f"{contestant.model_name}-{seed}"

    def _prediction(self, contestant: Contestant, seed: int) -> Path:
        source = "-raw" if self.raw else ""
        name = f"{self.gold.stem}-{checksum(self.gold)[:8]}{source}"
        return self.folder / "predictions" / name / f"{contestant.name}-{seed}.conllu"

    def _is_trained(self, contestant: Contestant, seed: int) -> bool:
        return not _damage(partial(read_minutes, self._model(contestant, seed)))

    def _complete(self, contestant: Contestant, seed: int) -> str:
        """Complete a run in this process; the error message if it fails."""
        with cleaning_up_on_termination():
            return _reason(partial(self._train, contestant, seed)) or _reason(
                partial(self._parse, contestant, seed)
            )

    def _train(self, contestant: Contestant, seed: int) -> None:
        """Train a model unless there is one. An interrupted training starts over."""
        if self._is_trained(contestant, seed):
            return
        folder = self._model(contestant, seed)
        unfinished = folder.with_name(f"{folder.name}.unfinished")
        for path in (folder, unfinished):
            shutil.rmtree(path, ignore_errors=True)
        unfinished.mkdir(parents=True)
        start = _cpu_seconds()
        try:
            contestant.train(self.task, seed, unfinished)
        except Exception:
            # Its log stays.
            raise
        except BaseException:
            shutil.rmtree(unfinished)
            raise
        write_minutes((_cpu_seconds() - start) / 60, unfinished)
        unfinished.rename(folder)

    def _parse(self, contestant: Contestant, seed: int) -> None:
        model, path = self._model(contestant, seed), self._prediction(contestant, seed)
        gold = list(read_conllu(self.gold))
        if self.raw:
            parsed = contestant.parse_text(model, list(paragraphs_of_treebank(gold)))
        else:
            parsed = contestant.parse(model, gold)
        curve = contestant.learning_curve(model)
        with replacing(path) as file:
            file.write("".join(f"{sentence}\n\n" for sentence in parsed.sentences).encode("utf-8"))
        write_record(Record(parsed.words_per_second, read_minutes(model), curve), path)


def _reason(work: Callable[[], object]) -> str:
    """The error message of `work`, empty if it succeeds: no failure may stop the other runs."""
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


def _seeds_of(contestant: Contestant, seeds: Sequence[int]) -> Sequence[int]:
    return seeds if contestant.uses_seeds else [_ONLY_SEED]


def _begin_worker(code: Path | None) -> None:
    # Ctrl-C ends a worker instead of only its current run.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    torch.set_num_threads(1)
    import_code(code)


def _cpu_seconds() -> float:
    """CPU time of this process and its terminated children."""
    return sum(os.times()[:4])
