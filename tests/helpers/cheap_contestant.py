"""A contestant for experiments whose training and parsing take no time."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import spacy

from spacy_npparse.laboratory import Task
from spacy_npparse.laboratory.commands import LOG, run_module
from spacy_npparse.laboratory.contestants import Parsed
from spacy_npparse.treebank import Paragraph, Sentence, annotate, sentences_from_doc

# On Windows, every signal kills the process.
KILL = getattr(signal, "SIGKILL", signal.SIGTERM)


def is_first(name: str, attempt: Path) -> bool:
    """Return whether this is the first attempt of a training. attempt: the attempt's folder."""
    witness = attempt.parents[2] / f"{name} was killed"
    if witness.exists():
        return False
    witness.touch()
    return True


@dataclass(frozen=True)
class CheapContestant:
    """A contestant that returns the gold trees.

    Attributes:
        name: See `Contestant`.
        model: The `model_name`; see `Contestant`.
        uses_seeds: See `Contestant`.
        fate: The event during training: "killed" or "killed once" for the process, "endless" for a
            program that never ends, "mistaken" for a bug, or another error message; "" for none.
        killed_in_parsing: Whether the process is killed when it parses.
    """

    name: str
    model: str = "model"
    uses_seeds: bool = True
    fate: str = ""
    killed_in_parsing: bool = False
    is_peer = False

    @property
    def model_name(self) -> str:
        return self.model

    def check(self, task: Task) -> None:
        """Accept any task."""

    def train(self, task: Task, seed: int, folder: Path) -> None:
        if self.fate == "killed" or self.fate == "killed once" and is_first(self.name, folder):
            os.kill(os.getpid(), KILL)
        if self.fate == "endless":
            run_module(["endless", folder / "trained"], folder / LOG)
        if self.fate == "mistaken":
            raise TypeError("no such thing")
        if self.fate and self.fate != "killed once":
            raise ValueError(self.fate)
        with (folder / "trained").open("a") as file:
            file.write(f"{self.name}\n")

    def parse(self, folder: Path, sentences: Sequence[Sentence]) -> Parsed:
        if self.killed_in_parsing:
            os.kill(os.getpid(), KILL)
        assert (folder / "trained").is_file()
        return Parsed(list(sentences), 1000.0)

    def parse_text(self, folder: Path, paragraphs: Sequence[Paragraph]) -> Parsed:
        nlp = spacy.blank("xx")
        docs = annotate(nlp, paragraphs)
        return Parsed([s for doc in docs for s in sentences_from_doc(doc)], 1000.0)

    def learning_curve(self, folder: Path) -> list[tuple[int, float]]:
        return [(5, 99.5)]
