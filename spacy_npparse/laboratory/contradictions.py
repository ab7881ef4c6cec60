"""Arcs of a treebank that parsers contradict which were trained on other parts of it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import spacy
from numpy.typing import NDArray
from spacy.language import Language

from spacy_npparse.components.calibration import Predictions, read_gold
from spacy_npparse.components.posteriors import encode_sentences
from spacy_npparse.evaluation.contradictions import Contradiction
from spacy_npparse.files import replacing
from spacy_npparse.laboratory.bare_parser import BareParser
from spacy_npparse.laboratory.contestants import Task
from spacy_npparse.treebank import Sentence
from spacy_npparse.treebank.docs import UD_ROOT
from spacy_npparse.treebank.sentence import MISSING as NO_LABEL
from spacy_npparse.trees.missing import MISSING

# What is less probable than this is taken for as probable: no network knows better.
_LEAST_PROBABILITY = 1e-6


@dataclass(frozen=True)
class FoldResult:
    """What one parser says of the part of a treebank that it has not seen.

    Attributes:
        contradictions: The arcs that it contradicts.
        n_words: Words with arcs that it was asked about.
        n_unknown: Words with labels that its part of the treebank has not; only their heads count.
    """

    contradictions: list[Contradiction]
    n_words: int
    n_unknown: int


def contradictions_by_fold(
    sentences: Sequence[Sentence], parser: BareParser, task: Task, n_folds: int, seed: int
) -> Iterator[FoldResult]:
    """Train a parser for each part of a treebank on the others, and compare.

    Every n-th sentence is of the same part. The checkpoint is selected and the probabilities are
    calibrated on one of the other parts, and the rest is trained on.

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
            "train on, to select checkpoints on and to check, and a sentence in each."
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
            nlp = spacy.load(folder / "model-best")
        _calibrate(nlp, [sentences[number] for number in parts["dev"]])
        yield contradictions_of(nlp, sentences, np.flatnonzero(folds == fold).tolist())


def contradictions_of(
    nlp: Language, sentences: Sequence[Sentence], numbers: Sequence[int]
) -> FoldResult:
    """Find the arcs that a trained parser contradicts.

    Args:
        nlp: A pipeline with one parser.
        sentences: Of the treebank.
        numbers: Of the sentences to look at.

    Returns:
        What it says of them.
    """
    chosen = [sentences[number] for number in numbers]
    encoded = encode_sentences(nlp, chosen)
    labels = encoded.parser.label_data
    gold = read_gold(chosen, labels)
    trees = encoded.trees()
    judged = zip(
        trees,
        encoded.heads(),
        encoded.labels(trees),
        gold.heads,
        gold.labels,
        encoded.labels(gold.heads),
        strict=True,
    )
    found: list[Contradiction] = []
    n_words = n_unknown = 0
    for number, sentence, (tree, by_head, of_tree, heads, numbers_of_labels, of_heads) in zip(
        numbers, chosen, judged, strict=True
    ):
        predicted = _Arcs(tree, by_head, of_tree, of_tree.argmax(axis=1))
        annotated = _Arcs(heads, by_head, of_heads, numbers_of_labels)
        for i in np.flatnonzero(heads != MISSING).tolist():
            deprel = sentence.words[i].deprel
            # Nothing is said of a label that is not annotated, or that the parser cannot know.
            is_labelled = heads[i] == 0 or numbers_of_labels[i] != MISSING
            label = labels[predicted.labels[i]] if tree[i] > 0 else UD_ROOT
            n_words += 1
            n_unknown += not is_labelled and deprel != NO_LABEL
            if tree[i] == heads[i] and (label == deprel or not is_labelled):
                continue
            probabilities = predicted.probability(i), annotated.probability(i)
            if probabilities[0] > probabilities[1]:
                found.append(
                    Contradiction(
                        sentence=number,
                        word=i + 1,
                        head=int(heads[i]),
                        label=deprel,
                        probability=probabilities[1],
                        predicted_head=int(tree[i]),
                        predicted_label=label,
                        predicted_probability=probabilities[0],
                    )
                )
    return FoldResult(found, n_words, n_unknown)


class _Arcs(NamedTuple):
    """The arcs to the words of a sentence, and what the parser believes.

    Attributes:
        heads: [n_words], 0 for the root.
        by_head: [n_words, n_words + 1], the probabilities of all heads.
        by_label: [n_words, n_labels], those of labels given these heads.
        labels: [n_words], their numbers, MISSING if unknown.
    """

    heads: NDArray[np.int32]
    by_head: NDArray[np.float32]
    by_label: NDArray[np.float32]
    labels: NDArray[np.integer]

    def probability(self, i: int) -> float:
        """Of an arc with its label; an unknown one counts as the most probable label."""
        head = self.heads[i]
        of_head = float(self.by_head[i, head])
        if head > 0:
            known = self.labels[i] != MISSING
            of_head *= float(self.by_label[i, self.labels[i]] if known else self.by_label[i].max())
        return max(of_head, _LEAST_PROBABILITY)


def _calibrate(nlp: Language, sentences: Sequence[Sentence]) -> None:
    encoded = encode_sentences(nlp, sentences)
    gold = read_gold(sentences, encoded.parser.label_data)
    encoded.parser.temperatures = Predictions(encoded, gold).fit_temperatures()
