"""Arcs of a treebank that a parser contradicts, for annotators."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from spacy.language import Language

from spacy_npparse.annotation.calibration import read_gold
from spacy_npparse.annotation.posteriors import EncodedSentences, encode_sentences
from spacy_npparse.annotation.selection import PREDICTED_ARC, PROBABILITY
from spacy_npparse.treebank import Sentence
from spacy_npparse.treebank.rows import make_sentence, with_misc, without_misc
from spacy_npparse.treebank.sentence import EMPTY, UD_ROOT
from spacy_npparse.trees.missing import NO_HEAD

_COLUMNS = (
    "sentence",
    "sent_id",
    "word",
    "form",
    "head",
    "deprel",
    "probability",
    "predicted head",
    "predicted deprel",
    "predicted probability",
    "log odds",
)
# The attribute of MISC beside the predicted arc.
_LOG_ODDS = "LogOdds"
_DOUBT = 0.01


@dataclass(frozen=True)
class Contradiction:
    """An arc of a treebank that a parser contradicts.

    Attributes:
        sentence: The number of the sentence in the treebank, from 0.
        word: The dependent, from 1.
        head: The head of the arc in the treebank, 0 for the root.
        label: The label of the arc in the treebank.
        probability: The probability of this head and label according to the parser.
        predicted_head: The head of the arc that the parser predicts.
        predicted_label: The label of the arc that the parser predicts.
        predicted_probability: The probability of the predicted head and label.
    """

    sentence: int
    word: int
    head: int
    label: str
    probability: float
    predicted_head: int
    predicted_label: str
    predicted_probability: float

    @property
    def log_odds(self) -> float:
        """The natural logarithm of the ratio of the probabilities of the predicted arc and of the
        annotated one. A hundredth is added to both, because a parser is wrong more often than it
        believes if it holds an arc to be almost impossible."""
        return math.log((self.predicted_probability + _DOUBT) / (self.probability + _DOUBT))


@dataclass(frozen=True)
class FoundContradictions:
    """The contradictions of a parser in a part of a treebank that it has not seen.

    Attributes:
        contradictions: The arcs that the parser contradicts.
        n_words: The number of words with arcs.
        n_unknown: The number of words with labels that do not occur in the parser's training data.
            Only their heads are compared.
    """

    contradictions: list[Contradiction]
    n_words: int
    n_unknown: int


def ranked(found: Iterable[Contradiction]) -> list[Contradiction]:
    """Sort contradictions, the most certain first.

    Args:
        found: The contradictions in any order.

    Returns:
        The contradictions, sorted by log odds and then by place.
    """
    return sorted(found, key=lambda one: (-one.log_odds, one.sentence, one.word))


def contradiction_table(found: Sequence[Contradiction], sentences: Sequence[Sentence]) -> str:
    """Write contradictions as tab-separated values.

    Args:
        found: The contradictions.
        sentences: The sentences of the treebank.

    Returns:
        A heading, and a line for each contradiction. Sentences and words are counted from 1.
    """
    lines = ["\t".join(_COLUMNS)]
    for one in found:
        sentence = sentences[one.sentence]
        cells = (
            one.sentence + 1,
            sentence.sent_id or EMPTY,
            one.word,
            sentence.words[one.word - 1].form,
            one.head,
            one.label,
            f"{one.probability:.6f}",
            one.predicted_head,
            one.predicted_label,
            f"{one.predicted_probability:.6f}",
            f"{one.log_odds:.3f}",
        )
        lines.append("\t".join(map(str, cells)))
    return "\n".join(lines) + "\n"


def with_contradictions(
    found: Iterable[Contradiction], sentences: Sequence[Sentence]
) -> list[Sentence]:
    """Note contradictions in MISC, as in `PredictedArc=4:obj|LogOdds=7.31`, and remove earlier
    notes. Nothing else changes.

    Args:
        found: The contradictions.
        sentences: The sentences of the treebank.

    Returns:
        The sentences with notes.
    """
    by_sentence: dict[int, dict[int, Contradiction]] = {}
    for one in found:
        by_sentence.setdefault(one.sentence, {})[one.word] = one
    return [
        _noted(sentence, by_sentence.get(number, {})) for number, sentence in enumerate(sentences)
    ]


def _noted(sentence: Sentence, by_word: dict[int, Contradiction]) -> Sentence:
    rows = []
    for row in sentence.rows:
        # `select` notes the probability of an arc. Alone, it may be of another program.
        others = (PROBABILITY,) if PREDICTED_ARC in row.misc else ()
        row = without_misc(row, (PREDICTED_ARC, _LOG_ODDS, *others))
        one = by_word.get(int(row.id)) if row.id.isdecimal() else None
        if one is not None:
            arc = f"{one.predicted_head}:{one.predicted_label}"
            row = with_misc(row, {PREDICTED_ARC: arc, _LOG_ODDS: f"{one.log_odds:.2f}"})
        rows.append(row)
    if rows == list(sentence.rows):
        return sentence
    return make_sentence(rows, sentence.metadata, sentence.comments)


def contradictions_of(
    nlp: Language, sentences: Sequence[Sentence], numbers: Sequence[int]
) -> FoundContradictions:
    """Find the arcs that a trained parser contradicts. For such an arc, the parser assigns a higher
    probability to another head or label that would also give a tree if all other arcs remained as
    they are annotated.

    Args:
        nlp: A pipeline with one parser.
        sentences: The sentences of the treebank.
        numbers: The numbers of the sentences to compare.

    Returns:
        The contradictions in these sentences.
    """
    chosen = [sentences[number] for number in numbers]
    encoded = encode_sentences(nlp, chosen)
    labels = encoded.parser.label_data
    gold = read_gold(chosen, labels)
    by_head = encoded.heads()
    others = [best_other_heads(heads, of) for heads, of in zip(gold.heads, by_head, strict=True)]
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
        for i in np.flatnonzero(annotated.heads != NO_HEAD).tolist():
            deprel = sentence.words[i].deprel
            head = int(annotated.heads[i])
            # A label that is not annotated or unknown to the parser is not compared.
            label = int(known[i]) if head > 0 else NO_HEAD
            is_labelled = head == 0 or label != NO_HEAD
            n_words += 1
            n_unknown += not is_labelled and deprel != EMPTY
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
    return FoundContradictions(found, n_words, n_unknown)


class _Arcs(NamedTuple):
    """An arc to each word of a sentence, and its probabilities.

    Attributes:
        heads: [n_words], 0 for the root, NO_HEAD if there is no arc.
        probabilities: [n_words], the probabilities of the heads; 0 if there is no arc.
        by_label: [n_words, n_labels], the probabilities of labels given these heads.
    """

    heads: NDArray[np.int32]
    probabilities: NDArray[np.float32]
    by_label: NDArray[np.float32]

    def probability(self, i: int, label: int = NO_HEAD) -> float:
        """Find the probability of an arc with a label, or with the most probable one if it is
        NO_HEAD."""
        of_head = float(self.probabilities[i])
        if self.heads[i] < 1:
            return of_head
        return of_head * float(
            self.by_label[i].max() if label == NO_HEAD else self.by_label[i, label]
        )

    def label(self, i: int, labels: Sequence[str]) -> str:
        """Find the most probable label."""
        return labels[self.by_label[i].argmax()] if self.heads[i] > 0 else UD_ROOT


def _arcs(
    trees: Sequence[NDArray[np.int32]],
    by_head: Sequence[NDArray[np.float32]],
    encoded: EncodedSentences,
) -> Iterator[_Arcs]:
    for heads, of_sentence, by_label in zip(trees, by_head, encoded.labels(trees), strict=True):
        probabilities = of_sentence[np.arange(len(heads)), heads]
        yield _Arcs(heads, np.where(heads != NO_HEAD, probabilities, 0), by_label)


def best_other_heads(heads: NDArray[np.int32], by_head: NDArray[np.float32]) -> NDArray[np.int32]:
    """Find the most probable other head of each word with which there would still be a tree.

    Args:
        heads: int32 [n_words], the heads of the tree, NO_HEAD where one is missing.
        by_head: float32 [n_words, n_words + 1], the probabilities of all heads.

    Returns:
        int32 [n_words], the heads, NO_HEAD where there is none.
    """
    possible = _leaves_a_tree(heads)
    possible[np.arange(len(heads)), heads] = False
    best = np.where(possible, by_head, -1.0).argmax(axis=1).astype(np.int32)
    return np.where(possible.any(axis=1) & (heads != NO_HEAD), best, np.int32(NO_HEAD))


def _leaves_a_tree(heads: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Check whether each word can have another head in a tree without further roots if all others
    keep theirs: bool [n_words, n_words + 1]."""
    possible = np.ones((len(heads), len(heads) + 1), dtype=bool)
    for word in range(1, len(heads) + 1):
        ancestor = word
        while ancestor > 0:
            possible[ancestor - 1, word] = False
            ancestor = int(heads[ancestor - 1])
    possible[:, 0] = ~(heads == 0).any()
    # A root gets another head only if there is a second one, or if a word without a head can become
    # the root.
    possible[heads == 0] &= (heads == NO_HEAD).any() or (heads == 0).sum() > 1
    return possible
