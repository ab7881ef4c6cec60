"""Experiments, in which each contestant is trained and evaluated with each seed. They can be
resumed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import spacy_npparse
from spacy_npparse.evaluation import score_sentences
from spacy_npparse.evaluation.leaderboard import Trial
from spacy_npparse.files import checksum
from spacy_npparse.laboratory.contestants import Contestant, Task
from spacy_npparse.laboratory.runs import Run
from spacy_npparse.treebank import read_conllu
from spacy_npparse.workfolder import (
    FolderInUseError,
    FolderMismatchError,
    check_same,
    claim,
    read_json,
    write_json,
)

_NOTE = "experiment.json"
_LOCK = ".lock"
# The seed of contestants whose training does not depend on it.
_ONLY_SEED = 0


@dataclass(frozen=True)
class Experiment:
    """Trained models and their predictions in a folder.

    Attributes:
        task: The task of the trainings.
        gold: The CoNLL-U file that the models parse.
        folder: The folder, with models/NAME-SEED, predictions/GOLD/NAME-SEED.conllu and, beside it,
            a JSON file with the speed and the learning curve.
        raw: Whether the models parse the plain text of that file, instead of its tokens and
            sentences. The models are the same.
    """

    task: Task
    gold: Path
    folder: Path
    raw: bool = False

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes from running an experiment in the folder.

        The operating system releases the lock when this process ends, even if it is killed.

        Raises:
            FolderInUseError: Another process runs an experiment in the folder.
        """
        lock = claim(self.folder / _LOCK)
        if lock is None:
            raise FolderInUseError(
                f"Another process is making a leaderboard in {self.folder}. Wait until it has "
                "ended, or give another folder."
            )
        try:
            yield
        finally:
            lock.release()

    def begin(self) -> None:
        """Record in the folder what determines the models.

        Raises:
            FolderMismatchError: The folder belongs to another experiment.
        """
        path = self.folder / _NOTE
        task = self.task
        note = {
            "train": checksum(task.train),
            "dev": checksum(task.dev),
            "config": checksum(task.config),
            "code": task.code and checksum(task.code),
            "updates": task.updates,
            "also_train": list(map(checksum, task.others)) or None,
            "version": spacy_npparse.__version__,
        }
        if path.exists():
            try:
                known = dict(read_json(path))
            except (TypeError, ValueError):
                raise FolderMismatchError(
                    f"{path} is damaged, so it is not known with which settings the models next "
                    "to it were trained. Give another folder, or delete this file if the "
                    "settings were the same."
                ) from None
            check_same(known, note, self.folder)
        write_json(note, path, indent=2)

    def runs(self, contestants: Sequence[Contestant], seeds: Sequence[int]) -> list[Run]:
        """List all runs.

        Args:
            contestants: The contestants.
            seeds: The seeds of contestants that depend on them.

        Returns:
            The runs, one seed after another.
        """
        return [
            Run(self.task, self.gold, self.folder, self.raw, contestant, seed)
            for seed in dict.fromkeys([*seeds, _ONLY_SEED])
            for contestant in contestants
            if seed in (seeds if contestant.uses_seeds else [_ONLY_SEED])
        ]

    def missing(self, contestants: Sequence[Contestant], seeds: Sequence[int]) -> list[Run]:
        """List the runs without a result.

        Args:
            contestants: The contestants.
            seeds: The seeds of contestants that depend on them.

        Returns:
            The runs, for `complete_runs`.
        """
        return [run for run in self.runs(contestants, seeds) if run.record() is None]

    def results(
        self, contestants: Sequence[Contestant], seeds: Sequence[int]
    ) -> dict[str, list[Trial]]:
        """Read the existing results.

        Args:
            contestants: The contestants.
            seeds: The seeds of contestants that depend on them.

        Returns:
            The trials by the name of the contestant.
        """
        gold = list(read_conllu(self.gold))
        found: dict[str, list[Trial]] = {}
        for contestant in contestants:
            for run in self.runs([contestant], seeds):
                if (record := run.record()) is not None:
                    path = run.prediction
                    scores = score_sentences(gold, read_conllu(path))
                    trial = Trial(seed=run.seed, file=str(path), scores=scores, **asdict(record))
                    found.setdefault(contestant.name, []).append(trial)
        return found
