"""Arcs of a treebank that parsers contradict which were trained on other parts of it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from spacy.language import Language

from spacy_npparse.annotation.calibration import Predictions, read_gold
from spacy_npparse.annotation.contradictions import FoundContradictions, contradictions_of
from spacy_npparse.annotation.posteriors import encode_sentences
from spacy_npparse.files import replacing
from spacy_npparse.laboratory.bare_parser import BareParser
from spacy_npparse.laboratory.contestants import Task
from spacy_npparse.treebank import Sentence


def contradictions_by_fold(
    sentences: Sequence[Sentence], parser: BareParser, task: Task, n_folds: int, seed: int
) -> Iterator[FoundContradictions]:
    """Train a parser for each part of a treebank on the others, and compare.

    Every n-th sentence is of the same part. The probabilities are calibrated on one of the other
    parts, and the rest is trained on.

    Args:
        sentences: Of the treebank.
        parser: What is trained.
        task: How; its files are not looked at.
        n_folds: Number of parts, 3 or more.
        seed: Of the trainings.

    Yields:
        The results of one part after the other.

    Raises:
        ValueError: If there are too few parts, or more than sentences.
        FailedCommandError: A training has failed.
    """
    if not 3 <= n_folds <= len(sentences):
        raise ValueError(
            f"{n_folds} folds of {len(sentences)} sentences: there must be 3 or more folds, to "
            "train on, to calibrate on and to check, and a sentence in each."
        )
    folds = np.arange(len(sentences)) % n_folds
    for fold in range(n_folds):
        dev_fold = (fold + 1) % n_folds
        with tempfile.TemporaryDirectory(prefix="npparse-check-") as name:
            folder = Path(name)
            is_dev = folds == dev_fold
            parts = {
                "train": np.flatnonzero(~is_dev & (folds != fold)).tolist(),
                "dev": np.flatnonzero(is_dev).tolist(),
            }
            for part, numbers in parts.items():
                with replacing(folder / f"{part}.conllu") as file:
                    for number in numbers:
                        file.write(f"{sentences[number]}\n\n".encode())
            files = replace(task, train=folder / "train.conllu", dev=folder / "dev.conllu")
            parser.train(files, seed, folder)
            nlp = parser.load(folder)
        _calibrate(nlp, [sentences[number] for number in parts["dev"]])
        yield contradictions_of(nlp, sentences, np.flatnonzero(folds == fold).tolist())


def _calibrate(nlp: Language, sentences: Sequence[Sentence]) -> None:
    encoded = encode_sentences(nlp, sentences)
    gold = read_gold(sentences, encoded.parser.label_data)
    encoded.parser.temperatures = Predictions(encoded, gold).fit_temperatures()
