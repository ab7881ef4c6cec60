"""Scores of non-projective arcs and sentences.

An arc is non-projective if its head does not dominate every word between head and dependent. A
sentence is non-projective if one of its arcs is.

Source: Kahane, Nasr and Rambow (1998); Nivre and Nilsson (2005, section 2).
"""

from __future__ import annotations

from dataclasses import dataclass

from spacy_npparse.evaluation.analysis import Analysis
from spacy_npparse.evaluation.attachment import Comparison, rate
from spacy_npparse.treebank.sentence import shortened
from spacy_npparse.trees import nonprojective_arcs
from spacy_npparse.trees.missing import NO_HEAD


@dataclass(frozen=True)
class NonProjectiveScores:
    """Counts over sentences with complete gold trees. A rate is None if its denominator is 0.

    Attributes:
        gold_words: The number of words in sentences whose gold tree is non-projective.
        words_head_right: The number of these words with the correct head.
        gold_relations: The number of these words with a relation.
        words_arc_right: The number of the words in `gold_relations` with the correct head and
            relation.
        gold_arcs: The number of non-projective gold arcs.
        found: The number of these arcs whose dependent is predicted with the correct head.
        found_strict: The number of arcs in `found` that are also non-projective in the predicted
            tree.
        predicted_arcs: The number of non-projective predicted arcs.
        predicted_right: The number of these arcs with the correct head.
        system_words: The number of predicted words.
        predicted_sentences: The number of predicted sentences with a non-projective tree.
        system_sentences: The number of predicted sentences.
        gold_sentences: The number of gold sentences with a non-projective tree.
        n_sentences: The number of gold sentences.
    """

    gold_words: int
    words_head_right: int
    gold_relations: int
    words_arc_right: int
    gold_arcs: int
    found: int
    found_strict: int
    predicted_arcs: int
    predicted_right: int
    system_words: int
    predicted_sentences: int
    system_sentences: int
    gold_sentences: int
    n_sentences: int

    def fractions(self) -> dict[str, tuple[int, int]]:
        """The numerator and the denominator of each rate."""
        return {
            "uas": (self.words_head_right, self.gold_words),
            "las": (self.words_arc_right, self.gold_relations),
            "precision": (self.predicted_right, self.predicted_arcs),
            "recall": (self.found, self.gold_arcs),
            "strict_recall": (self.found_strict, self.gold_arcs),
            "share": (self.predicted_arcs, self.system_words),
            "sentence_share": (self.predicted_sentences, self.system_sentences),
        }

    @property
    def uas(self) -> float | None:
        """UAS on the sentences whose gold tree is non-projective."""
        return self._rate("uas")

    @property
    def las(self) -> float | None:
        """LAS on the sentences whose gold tree is non-projective."""
        return self._rate("las")

    @property
    def precision(self) -> float | None:
        """The share of non-projective predicted arcs that have the correct head."""
        return self._rate("precision")

    @property
    def recall(self) -> float | None:
        """The share of non-projective gold arcs whose dependent has the correct head."""
        return self._rate("recall")

    @property
    def strict_recall(self) -> float | None:
        """The recall if the predicted arc must also be non-projective."""
        return self._rate("strict_recall")

    @property
    def share(self) -> float | None:
        """The share of non-projective arcs among all predicted arcs."""
        return self._rate("share")

    @property
    def sentence_share(self) -> float | None:
        """The share of sentences with a non-projective tree among all predicted sentences."""
        return self._rate("sentence_share")

    def _rate(self, name: str) -> float | None:
        return rate(*self.fractions()[name])


def nonprojective_scores(comparison: Comparison) -> NonProjectiveScores:
    """Compute the counts of `NonProjectiveScores`."""
    gold, system = comparison.gold, comparison.system
    gold_np, gold_complete, gold_sentences = nonprojective_words(gold)
    system_np, _, sentences_np = nonprojective_words(system)
    # A predicted arc whose gold counterpart is unknown is neither correct nor incorrect.
    unknown = {
        comparison.aligned[word]
        for word, known in enumerate(gold_complete)
        if not known and comparison.aligned[word] is not None
    }
    system_words = [word for word in comparison.system_words if word not in unknown]
    predicted_sentences = set(sentences_np).intersection(comparison.system_sentences)
    words = [word for one in gold_sentences for word in range(*gold.sentence_words[one])]
    labelled = [word for word in words if gold.deprels[word] is not None]
    gold_arcs = found = found_strict = predicted_right = 0
    for word, right in enumerate(comparison.head_right):
        partner = comparison.aligned[word]
        predicted = partner is not None and system_np[partner]
        gold_arcs += gold_np[word]
        if right and gold_complete[word]:
            found += gold_np[word]
            found_strict += gold_np[word] and predicted
            predicted_right += predicted
    return NonProjectiveScores(
        gold_words=len(words),
        words_head_right=sum(comparison.head_right[word] for word in words),
        gold_relations=len(labelled),
        words_arc_right=sum(comparison.arc_right[word] for word in labelled),
        gold_arcs=gold_arcs,
        found=found,
        found_strict=found_strict,
        predicted_arcs=sum(system_np[word] for word in system_words),
        predicted_right=predicted_right,
        system_words=len(system_words),
        predicted_sentences=len(predicted_sentences),
        system_sentences=len(comparison.system_sentences),
        gold_sentences=len(gold_sentences),
        n_sentences=len(gold.sentences),
    )


def nonprojective_words(analysis: Analysis) -> tuple[list[bool], list[bool], list[int]]:
    """Find the non-projective arcs of an analysis.

    Args:
        analysis: A gold or predicted analysis. Incomplete trees count as projective.

    Returns:
        Whether the arc of each word is non-projective; whether the tree of each word is complete;
        and the indices of the non-projective sentences.

    Raises:
        ValueError: The heads of a sentence form a cycle.
    """
    crossing: list[bool] = []
    complete: list[bool] = []
    sentences: list[int] = []
    for sentence, (first, end) in enumerate(analysis.sentence_words):
        known = NO_HEAD not in analysis.heads[first:end]
        words = [False] * (end - first)
        if known:
            try:
                words = nonprojective_arcs(analysis.local_heads(sentence))[1:]
            except ValueError as error:
                text = shortened(" ".join(analysis.forms[first:end]))
                raise ValueError(
                    f"{text!r}: {error}. Attach one of these words outside the cycle."
                ) from None
        crossing.extend(words)
        complete.extend([known] * (end - first))
        if any(words):
            sentences.append(sentence)
    return crossing, complete, sentences
