"""Counts of correct words, and the attachment scores that are not official ones.

Punctuation counts, and subtypes of relations do not. Words without a gold head or relation are
ignored on both sides. Complete treebanks have none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from spacy_npparse.evaluation.analysis import Analysis, beginning_within
from spacy_npparse.trees.missing import NO_HEAD


@dataclass(frozen=True)
class Score:
    """The counts of a score. Rates range from 0 to 1, and are 0 if their denominator is 0.

    Attributes:
        correct: The number of correct predictions.
        gold: The number of items (words, tokens or sentences) in the gold analysis.
        system: The number of items in the predicted analysis.
        aligned: The number of aligned words; None if the items are not words.
    """

    correct: int
    gold: int
    system: int
    aligned: int | None = None

    @property
    def precision(self) -> float:
        """The share of predicted items that are correct."""
        return self.correct / self.system if self.system else 0.0

    @property
    def recall(self) -> float:
        """The share of gold items that are found."""
        return self.correct / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        total = self.gold + self.system
        return 2 * self.correct / total if total else 0.0

    @property
    def aligned_accuracy(self) -> float | None:
        """The share of aligned words that are correct; None if the items are not words."""
        if self.aligned is None:
            return None
        return self.correct / self.aligned if self.aligned else 0.0


class Comparison:
    """A word-by-word comparison of a predicted analysis with the gold one.

    Attributes:
        gold: The gold analysis.
        system: The predicted analysis.
        aligned: The predicted word of each gold word; see `align_words`.
        system_words: The predicted words that count. These are all words, unless the comparison is
            that of a sentence; see `comparisons_of_sentences`.
        system_tokens: The predicted tokens that count.
        system_sentences: The indices of the predicted sentences that count.
        head_right: Whether each gold word is aligned and has the correct head.
        arc_right: Whether each gold word also has the correct universal relation.
    """

    def __init__(
        self,
        gold: Analysis,
        system: Analysis,
        aligned: list[int | None],
        system_words: Sequence[int] | None = None,
    ) -> None:
        self.gold = gold
        self.system = system
        self.aligned = aligned
        self.system_words = range(len(system)) if system_words is None else system_words
        begin, end = (gold.sentences[0][0], gold.sentences[-1][1]) if gold.sentences else (0, 0)
        self.system_tokens = system.tokens[beginning_within(system.tokens, begin, end)]
        sentences = range(len(system.sentences))
        self.system_sentences = sentences[beginning_within(system.sentences, begin, end)]
        self.head_right = [self._head_right(word) for word in range(len(gold))]
        self.arc_right = [
            right and gold.deprels[word] == system.deprels[_known(aligned[word])]
            for word, right in enumerate(self.head_right)
        ]

    def _head_right(self, word: int) -> bool:
        partner, head = self.aligned[word], self.gold.heads[word]
        if partner is None or head == NO_HEAD:
            return False
        # On both sides, a root is its own head.
        wanted = self.aligned[head]
        return wanted is not None and self.system.heads[partner] == wanted


def rate(part: float, whole: float) -> float | None:
    """Compute a ratio; None if the denominator is 0."""
    return part / whole if whole else None


def las_per_relation(comparison: Comparison) -> dict[str, Score]:
    """Compute the LAS of each universal relation."""
    gold, system, aligned = comparison.gold, comparison.system, comparison.aligned
    correct: Counter[str] = Counter()
    in_gold: Counter[str] = Counter()
    in_system = Counter(deprel for deprel in system.deprels if deprel is not None)
    for word, deprel in enumerate(gold.deprels):
        partner = aligned[word]
        if deprel is not None and gold.heads[word] != NO_HEAD:
            in_gold[deprel] += 1
            correct[deprel] += comparison.arc_right[word]
        elif partner is not None and (predicted := system.deprels[partner]) is not None:
            in_system[predicted] -= 1
    return {
        relation: Score(correct[relation], in_gold[relation], in_system[relation])
        for relation in sorted(in_gold | in_system)
    }


def exact_match(comparison: Comparison) -> Score | None:
    """Compute the share of gold sentences in which all words have the correct head and relation.

    Sentences with missing heads or relations are ignored. None if no sentence remains.
    """
    gold = comparison.gold
    correct = n_sentences = 0
    for first, end in gold.sentence_words:
        if NO_HEAD in gold.heads[first:end] or None in gold.deprels[first:end]:
            continue
        n_sentences += 1
        correct += all(comparison.arc_right[first:end])
    return Score(correct, n_sentences, n_sentences) if n_sentences else None


def _known(word: int | None) -> int:
    assert word is not None
    return word
