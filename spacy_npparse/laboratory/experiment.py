"""Contestants trained and measured, each with every seed; what is done is never done again."""

from __future__ import annotations

import json
import os
import shutil
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import torch

import spacy_npparse
from spacy_npparse.evaluation import score_sentences
from spacy_npparse.evaluation.leaderboard import Trial
from spacy_npparse.evaluation.provenance import checksum
from spacy_npparse.files import replacing
from spacy_npparse.laboratory.commands import FailedCommandError
from spacy_npparse.laboratory.contestants import Contestant, Task
from spacy_npparse.treebank import Sentence, read_conllu

_NOTE = "experiment.json"
_MINUTES = "minutes.json"
_KILLED = "a process was killed. Is there memory enough for so many? Give the command again."
# Of contestants without seeds.
_ONLY_SEED = 0


class ExperimentMismatchError(ValueError):
    """A folder holds another experiment. The message says what differs."""


@dataclass(frozen=True)
class FailedRun:
    """A run that came to no result. reason: for people."""

    name: str
    seed: int
    reason: str


@dataclass(frozen=True)
class Experiment:
    """Trained models and their predictions in a folder.

    task: what the models are trained for. gold: CoNLL-U file that they parse. folder: has
    models/NAME-SEED, and predictions/GOLD/NAME-SEED.conllu with a file of its speed.
    """

    task: Task
    gold: Path
    folder: Path

    def begin(self) -> None:
        """Note in the folder what the experiment is about.

        Raises ExperimentMismatchError if it is about something else already."""
        path = self.folder / _NOTE
        files = {name: checksum(getattr(self.task, name)) for name in ("train", "dev", "config")}
        note = {**files, "updates": self.task.updates, "version": spacy_npparse.__version__}
        if path.exists():
            known = json.loads(path.read_text(encoding="utf-8"))
            changed = [name for name, value in note.items() if known.get(name) != value]
            if changed:
                raise ExperimentMismatchError(
                    f"{self.folder} holds models that were trained with other settings "
                    f"({', '.join(changed)}). Give another folder."
                )
        with replacing(path) as file:
            file.write(json.dumps(note, indent=2).encode())

    def missing(
        self, contestants: Sequence[Contestant], seeds: Sequence[int]
    ) -> list[tuple[Contestant, int]]:
        """The runs that have no result yet."""
        return [
            (contestant, seed)
            for seed in dict.fromkeys([*seeds, _ONLY_SEED])
            for contestant in contestants
            if seed in _seeds_of(contestant, seeds)
            and not self._prediction(contestant, seed).exists()
        ]

    def run(
        self, runs: Sequence[tuple[Contestant, int]], processes: int
    ) -> Iterator[tuple[Contestant, int, FailedRun | None]]:
        """Train and measure, several runs at a time, each on one thread.

        yields: runs as they end, and why if one has failed.
        """
        # Contestants with the same model wait for each other.
        waiting: dict[tuple[str, int], list[tuple[Contestant, int]]] = {}
        # Peers first: the longest trainings should not be alone in the end.
        for contestant, seed in sorted(runs, key=lambda run: not run[0].is_peer):
            waiting.setdefault((contestant.model_name, seed), []).append((contestant, seed))
        # Started anew, since neither torch nor its threads outlive a fork.
        pool = ProcessPoolExecutor(processes, get_context("spawn"), _one_thread)
        try:
            futures = {pool.submit(self._complete_all, group): group for group in waiting.values()}
            for future in as_completed(futures):
                try:
                    yield from future.result()
                except BrokenProcessPool:
                    for contestant, seed in futures[future]:
                        yield contestant, seed, FailedRun(contestant.name, seed, _KILLED)
        finally:
            # Whoever stops early does not wait for what has not begun.
            pool.shutdown(cancel_futures=True)

    def results(
        self, contestants: Sequence[Contestant], seeds: Sequence[int]
    ) -> dict[str, list[Trial]]:
        """The results of contestants, by their names, as far as there are any."""
        gold = list(read_conllu(self.gold))
        found: dict[str, list[Trial]] = {}
        for contestant in contestants:
            for seed in _seeds_of(contestant, seeds):
                if self._prediction(contestant, seed).exists():
                    trials = found.setdefault(contestant.name, [])
                    trials.append(self._trial(contestant, seed, gold))
        return found

    def _trial(self, contestant: Contestant, seed: int, gold: Sequence[Sentence]) -> Trial:
        path = self._prediction(contestant, seed)
        known = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
        scores = score_sentences(gold, read_conllu(path))
        return Trial(seed=seed, file=str(path), scores=scores, **known)

    def _model(self, contestant: Contestant, seed: int) -> Path:
        return self.folder / "models" / f"{contestant.model_name}-{seed}"

    def _prediction(self, contestant: Contestant, seed: int) -> Path:
        place = self.folder / "predictions" / f"{self.gold.stem}-{checksum(self.gold)[:8]}"
        return place / f"{contestant.name}-{seed}.conllu"

    def _complete_all(
        self, runs: Sequence[tuple[Contestant, int]]
    ) -> list[tuple[Contestant, int, FailedRun | None]]:
        """Do some runs with the same model in this process."""
        gold = list(read_conllu(self.gold))
        untrained = _reason(partial(self._train, *runs[0]))
        ends: list[tuple[Contestant, int, FailedRun | None]] = []
        for contestant, seed in runs:
            reason = untrained or _reason(partial(self._parse, contestant, seed, gold))
            failure = FailedRun(contestant.name, seed, reason) if reason else None
            ends.append((contestant, seed, failure))
        return ends

    def _train(self, contestant: Contestant, seed: int) -> None:
        """Train a model unless that is done. A training that was stopped begins again."""
        folder = self._model(contestant, seed)
        if folder.exists():
            return
        unfinished = folder.with_name(f"{folder.name}.unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        start = _cpu_seconds()
        contestant.train(self.task, seed, unfinished)
        minutes = (_cpu_seconds() - start) / 60
        (unfinished / _MINUTES).write_text(json.dumps(minutes), encoding="utf-8")
        unfinished.rename(folder)

    def _parse(self, contestant: Contestant, seed: int, gold: Sequence[Sentence]) -> None:
        model, path = self._model(contestant, seed), self._prediction(contestant, seed)
        parsed = contestant.parse(model, gold)
        known = {
            "words_per_second": parsed.words_per_second,
            "training_minutes": json.loads((model / _MINUTES).read_text(encoding="utf-8")),
            "curve": contestant.learning_curve(model),
        }
        with replacing(path.with_suffix(".json")) as file:
            file.write(json.dumps(known).encode())
        with replacing(path) as file:
            file.write("".join(f"{sentence}\n\n" for sentence in parsed.sentences).encode("utf-8"))


def _reason(work: Callable[[], None]) -> str:
    """Do something, and tell why it failed, if it did: nothing that goes wrong in one run may stop
    the others."""
    try:
        work()
    except (FailedCommandError, OSError, ValueError) as error:
        return str(error)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def _seeds_of(contestant: Contestant, seeds: Sequence[int]) -> Sequence[int]:
    return seeds if contestant.uses_seeds else [_ONLY_SEED]


def _one_thread() -> None:
    # Stopped by the user, a worker ends, and does not go on with the next run.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    torch.set_num_threads(1)


def _cpu_seconds() -> float:
    """Of this process and all that it has started and seen end."""
    return sum(os.times()[:4])
