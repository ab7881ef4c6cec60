"""Arcs of a treebank that contradict parsers trained on its other parts."""

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
from spacy_npparse.treebank.contraction import uncut_tokens
from spacy_npparse.trees.missing import NO_HEAD


def contradictions_by_fold(
    sentences: Sequence[Sentence], parser: BareParser, task: Task, n_folds: int, seed: int
) -> Iterator[FoundContradictions]:
    """Train a parser on all other parts for each part of a treebank, and find contradictions.

    Every n-th sentence belongs to the same part. One of the other parts calibrates the
    probabilities, and the rest is training data. Sentences with `uncut_tokens` are only trained on.

    Args:
        sentences: The sentences of the treebank.
        parser: The parser to train.
        task: The settings of the trainings. Its files are ignored.
        n_folds: The number of parts, at least 3.
        seed: The random seed of the trainings.

    Yields:
        The contradictions in each part, in order.

    Raises:
        ValueError: There are fewer than 3 parts, or more parts than sentences.
        FailedCommandError: A training has failed.
    """
    if not 3 <= n_folds <= len(sentences):
        raise ValueError(
            f"{n_folds} folds of {len(sentences)} sentences: there must be 3 or more folds, to "
            "train on, to calibrate on and to check, and a sentence in each."
        )
    folds = np.arange(len(sentences)) % n_folds
    has_head = [any(head != NO_HEAD for head in one.heads[1:]) for one in sentences]
    if len(np.unique(folds[has_head])) < n_folds:
        raise ValueError(
            f"{n_folds} folds of {len(sentences)} sentences: the sentences of a fold have no heads "
            f"(sentences 1, {n_folds + 1}, {2 * n_folds + 1} and so on are in the first one). "
            "Remove sentences without heads, or give fewer folds."
        )
    is_cut = np.array([not uncut_tokens(sentence) for sentence in sentences])
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
        _calibrate(nlp, [sentences[number] for number in np.flatnonzero(is_dev & is_cut).tolist()])
        yield contradictions_of(nlp, sentences, np.flatnonzero((folds == fold) & is_cut).tolist())


def _calibrate(nlp: Language, sentences: Sequence[Sentence]) -> None:
    if not sentences:
        return
    encoded = encode_sentences(nlp, sentences)
    gold = read_gold(sentences, encoded.parser.label_data)
    encoded.parser.temperatures = Predictions(encoded, gold).fit_temperatures()
