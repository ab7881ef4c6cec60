"""Experiments: each contestant trained and evaluated with each seed, resumed where they stopped."""

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
from multiprocessing import active_children, get_context
from pathlib import Path

import torch

import spacy_npparse
from spacy_npparse.evaluation import score_sentences
from spacy_npparse.evaluation.leaderboard import Trial
from spacy_npparse.evaluation.provenance import checksum
from spacy_npparse.files import replacing
from spacy_npparse.laboratory.code import import_code
from spacy_npparse.laboratory.commands import FailedCommandError
from spacy_npparse.laboratory.contestants import Contestant, Task
from spacy_npparse.laboratory.termination import cleaning_up_on_termination
from spacy_npparse.treebank import Sentence, paragraphs_of_treebank, read_conllu

_NOTE = "experiment.json"
_MINUTES = "minutes.json"
_KILLED = "a process was killed, possibly out of memory. Use fewer processes."
# The seed of contestants that do not depend on it.
_ONLY_SEED = 0


class ExperimentMismatchError(ValueError):
    """The folder belongs to another experiment; the message says what differs."""


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
            if seed in _seeds_of(contestant, seeds)
            and not self._prediction(contestant, seed).exists()
        ]

    def run(
        self, runs: Sequence[tuple[Contestant, int]], processes: int
    ) -> Iterator[tuple[Contestant, int, FailedRun | None]]:
        """Train and evaluate. If the iteration is stopped, all runs are.

        Args:
            runs: Contestants and seeds.
            processes: Runs at a time, each on one thread.

        Yields:
            Runs as they end; the failure if one has failed.
        """
        # Contestants that share a model run one after the other.
        waiting: dict[tuple[str, int], list[tuple[Contestant, int]]] = {}
        # Peers first: the longest trainings should not be left for the end.
        for contestant, seed in sorted(runs, key=lambda run: not run[0].is_peer):
            waiting.setdefault((contestant.model_name, seed), []).append((contestant, seed))
        others = set(active_children())
        # Spawned: torch's thread pool does not survive a fork.
        pool = ProcessPoolExecutor(
            processes, get_context("spawn"), _begin_worker, (self.task.code,)
        )
        try:
            futures = {pool.submit(self._complete_all, group): group for group in waiting.values()}
            for future in as_completed(futures):
                try:
                    yield from future.result()
                except BrokenProcessPool:
                    for contestant, seed in futures[future]:
                        yield contestant, seed, FailedRun(contestant.name, seed, _KILLED)
        except BaseException:
            for worker in set(active_children()) - others:
                worker.terminate()
            raise
        finally:
            pool.shutdown(cancel_futures=True)

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
        source = "-raw" if self.raw else ""
        name = f"{self.gold.stem}-{checksum(self.gold)[:8]}{source}"
        return self.folder / "predictions" / name / f"{contestant.name}-{seed}.conllu"

    def _complete_all(
        self, runs: Sequence[tuple[Contestant, int]]
    ) -> list[tuple[Contestant, int, FailedRun | None]]:
        """Complete runs that share a model, in this process."""
        with cleaning_up_on_termination():
            return self._ends(runs)

    def _ends(
        self, runs: Sequence[tuple[Contestant, int]]
    ) -> list[tuple[Contestant, int, FailedRun | None]]:
        gold = list(read_conllu(self.gold))
        untrained = _reason(partial(self._train, *runs[0]))
        ends: list[tuple[Contestant, int, FailedRun | None]] = []
        for contestant, seed in runs:
            reason = untrained or _reason(partial(self._parse, contestant, seed, gold))
            failure = FailedRun(contestant.name, seed, reason) if reason else None
            ends.append((contestant, seed, failure))
        return ends

    def _train(self, contestant: Contestant, seed: int) -> None:
        """Train a model unless it exists. An interrupted training starts over."""
        folder = self._model(contestant, seed)
        if folder.exists():
            return
        unfinished = folder.with_name(f"{folder.name}.unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
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
        minutes = (_cpu_seconds() - start) / 60
        with replacing(unfinished / _MINUTES) as file:
            file.write(json.dumps(minutes).encode())
        unfinished.rename(folder)

    def _parse(self, contestant: Contestant, seed: int, gold: Sequence[Sentence]) -> None:
        model, path = self._model(contestant, seed), self._prediction(contestant, seed)
        if self.raw:
            parsed = contestant.parse_text(model, list(paragraphs_of_treebank(gold)))
        else:
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
    """The error message of `work`, empty if it succeeds: no failure may stop the other runs."""
    try:
        work()
    except (FailedCommandError, OSError, ValueError) as error:
        return str(error)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
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
