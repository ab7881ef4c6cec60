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
from spacy_npparse.components.posteriors import EncodedSentences, encode_sentences
from spacy_npparse.evaluation.contradictions import Contradiction
from spacy_npparse.files import replacing
from spacy_npparse.laboratory.bare_parser import BareParser
from spacy_npparse.laboratory.contestants import Task
from spacy_npparse.treebank import Sentence
from spacy_npparse.treebank.docs import UD_ROOT
from spacy_npparse.treebank.sentence import MISSING as NO_LABEL
from spacy_npparse.trees.missing import MISSING


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
    """Find the arcs that a trained parser contradicts, each by itself: it takes another head or
    label for more probable, with which the sentence would still have a tree if all its other arcs
    remained as they are annotated.

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
    by_head = encoded.heads()
    others = [_best_other_heads(heads, of) for heads, of in zip(gold.heads, by_head, strict=True)]
    judged = zip(
        numbers,
        chosen,
        gold.labels,
        _arcs(gold.heads, by_head, encoded),
        _arcs(others, by_head, encoded),
        strict=True,
    )
    found: list[Contradiction] = []
    n_words = n_unknown = 0
    for number, sentence, known, annotated, other in judged:
        for i in np.flatnonzero(annotated.heads != MISSING).tolist():
            deprel = sentence.words[i].deprel
            head = int(annotated.heads[i])
            # Nothing is said of a label that is not annotated, or that the parser cannot know.
            label = int(known[i]) if head > 0 else MISSING
            is_labelled = head == 0 or label != MISSING
            n_words += 1
            n_unknown += not is_labelled and deprel != NO_LABEL
            probability = annotated.probability(i, label)
            predicted = max(annotated, other, key=lambda arcs: arcs.probability(i))
            if predicted.probability(i) > probability:
                found.append(
                    Contradiction(
                        sentence=number,
                        word=i + 1,
                        head=head,
                        label=deprel,
                        probability=probability,
                        predicted_head=int(predicted.heads[i]),
                        predicted_label=predicted.label(i, labels),
                        predicted_probability=predicted.probability(i),
                    )
                )
    return FoldResult(found, n_words, n_unknown)


class _Arcs(NamedTuple):
    """An arc to each word of a sentence, and what the parser believes of it.

    Attributes:
        heads: [n_words], 0 for the root, MISSING if there is no arc.
        probabilities: [n_words], of the heads; 0 if there is no arc.
        by_label: [n_words, n_labels], those of labels given these heads.
    """

    heads: NDArray[np.int32]
    probabilities: NDArray[np.float32]
    by_label: NDArray[np.float32]

    def probability(self, i: int, label: int = MISSING) -> float:
        """Of an arc with a label, which is the most probable one if it is MISSING."""
        of_head = float(self.probabilities[i])
        if self.heads[i] < 1:
            return of_head
        return of_head * float(
            self.by_label[i].max() if label == MISSING else self.by_label[i, label]
        )

    def label(self, i: int, labels: Sequence[str]) -> str:
        """The most probable one."""
        return labels[self.by_label[i].argmax()] if self.heads[i] > 0 else UD_ROOT


def _arcs(
    trees: Sequence[NDArray[np.int32]],
    by_head: Sequence[NDArray[np.float32]],
    encoded: EncodedSentences,
) -> Iterator[_Arcs]:
    for heads, of_sentence, by_label in zip(trees, by_head, encoded.labels(trees), strict=True):
        probabilities = of_sentence[np.arange(len(heads)), heads]
        yield _Arcs(heads, np.where(heads != MISSING, probabilities, 0), by_label)


def _best_other_heads(heads: NDArray[np.int32], by_head: NDArray[np.float32]) -> NDArray[np.int32]:
    """The most probable other head of each word with which the tree would remain one, MISSING if
    there is none: [n_words]. by_head: see `EncodedSentences.heads`."""
    possible = _leaves_a_tree(heads)
    possible[np.arange(len(heads)), heads] = False
    best = np.where(possible, by_head, -1.0).argmax(axis=1).astype(np.int32)
    return np.where(possible.any(axis=1) & (heads != MISSING), best, np.int32(MISSING))


def _leaves_a_tree(heads: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Whether a word can have another head, all others having theirs, in a tree with a single root:
    bool [n_words, n_words + 1]."""
    possible = np.ones((len(heads), len(heads) + 1), dtype=bool)
    for word in range(1, len(heads) + 1):
        ancestor = word
        while ancestor > 0:
            possible[ancestor - 1, word] = False
            ancestor = int(heads[ancestor - 1])
    possible[:, 0] = ~(heads == 0).any()
    # Only a word without a head could be the root instead.
    possible[heads == 0] &= (heads == MISSING).any()
    return possible


def _calibrate(nlp: Language, sentences: Sequence[Sentence]) -> None:
    encoded = encode_sentences(nlp, sentences)
    gold = read_gold(sentences, encoded.parser.label_data)
    encoded.parser.temperatures = Predictions(encoded, gold).fit_temperatures()
