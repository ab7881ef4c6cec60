"""All scores of a prediction, as a table and for JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from spacy_npparse.counts import total
from spacy_npparse.evaluation.alignment import align_words
from spacy_npparse.evaluation.analysis import Analysis, analysis_of_sentences
from spacy_npparse.evaluation.attachment import (
    Comparison,
    Score,
    exact_match,
    las_per_relation,
    rate,
)
from spacy_npparse.evaluation.gold_sentences import comparisons_of_sentences
from spacy_npparse.evaluation.metrics import SEGMENTATION, TAGS, TREES, Metric
from spacy_npparse.evaluation.nonprojective import NonProjectiveScores, nonprojective_scores
from spacy_npparse.evaluation.official import (
    las_of_sentences,
    official_scores,
    scores_of_empty_columns,
)
from spacy_npparse.tables import Column, Table, columns, percent, text
from spacy_npparse.treebank import Sentence
from spacy_npparse.trees.missing import NO_HEAD

# The minimum number of characters that are compared at once.
PART = 50_000
# The scores by their names in `NonProjectiveScores`.
_NONPROJECTIVE = {
    "uas": Metric.NONPROJECTIVE_UAS,
    "las": Metric.NONPROJECTIVE_LAS,
    "precision": Metric.NONPROJECTIVE_PRECISION,
    "recall": Metric.NONPROJECTIVE_RECALL,
    "strict_recall": Metric.NONPROJECTIVE_STRICT_RECALL,
    "share": Metric.NONPROJECTIVE_SHARE,
    "sentence_share": Metric.NONPROJECTIVE_SENTENCE_SHARE,
}


@dataclass(frozen=True)
class Scores:
    """The scores of a predicted analysis.

    Attributes:
        official: The scores of the CoNLL 2018 shared task, from Tokens to BLEX, and ELAS.
        without_gold: The official scores that are meaningless because the gold annotation lacks the
            column.
        without_prediction: The official scores whose column the prediction lacks.
        n_without_head: The number of gold words without a head, which do not count in scores of
            trees.
        n_without_relation: The number of gold words with a head but without a relation, which count
            only in UAS.
        per_relation: The LAS of each universal relation.
        exact_match: The share of gold sentences with all arcs correct; None if no gold tree is
            complete.
        nonprojective: The scores of non-projective trees, see `NonProjectiveScores`.
        las_of_sentences: The LAS of each gold sentence. The counts add up to those of the whole.
    """

    official: dict[Metric, Score]
    without_gold: list[Metric]
    without_prediction: list[Metric]
    n_without_head: int
    n_without_relation: int
    per_relation: dict[str, Score]
    exact_match: Score | None
    nonprojective: NonProjectiveScores
    las_of_sentences: list[Score]

    @property
    def predicts_enhanced(self) -> bool:
        """Whether the prediction has enhanced dependencies. If it has none, ELAS is not shown."""
        return self.official[Metric.ELAS].system > 0

    def fractions(self) -> dict[Metric, tuple[int, int]]:
        """Find the numerator and the denominator of each score. Both add up over sentences."""
        return _fractions(self.official, self.exact_match, self.nonprojective)

    def as_dict(self) -> dict[str, Any]:
        """Convert rates (0 to 1) and counts to JSON."""
        nonprojective = self.nonprojective
        return {
            "official": {
                metric.value: _score_dict(score) for metric, score in self._shown().items()
            },
            "without_gold": [metric.value for metric in self.without_gold],
            "without_prediction": [metric.value for metric in self.without_prediction],
            "words_without_head": self.n_without_head,
            "words_without_relation": self.n_without_relation,
            "exact_match": None if self.exact_match is None else self.exact_match.recall,
            "nonprojective": {
                **{name: getattr(nonprojective, name) for name in nonprojective.fractions()},
                "counts": asdict(nonprojective),
            },
            "las_per_relation": {
                relation: _score_dict(score) for relation, score in self.per_relation.items()
            },
        }

    def table(self) -> str:
        """Write the table of the official evaluation, in percent, and the other scores as text."""
        shown = self._shown()
        lacking = missing_columns(metric for metric in shown if metric in self.without_gold)
        known = [metric for metric in shown if metric not in self.without_gold]
        names = [metric.label for metric in known if metric in self.without_prediction]
        unpredicted = f"The prediction lacks the columns of: {', '.join(names)}." if names else ""
        notes = (lacking, unpredicted, self._unannotated())
        return text(self.official_table(), *notes, self.other_table())

    def official_table(self) -> Table:
        """Make the table of the official evaluation."""
        shown = self._shown()
        headings = ("Precision", "Recall", "F1 Score", "AligndAcc")
        rows = []
        for metric in (*SEGMENTATION, *TAGS, *TREES):
            if metric in shown:
                score = shown[metric]
                accuracy = "" if score.aligned is None else score.aligned_accuracy
                rows.append([metric.label, score.precision, score.recall, score.f1, accuracy])
        return Table("Official scores", [Column("Metric"), *columns(headings, percent)], rows)

    def other_table(self) -> Table:
        """Make the table of exact match and the scores of non-projective trees, with their
        counts."""
        scores = self.nonprojective
        match = self.exact_match
        sentences = f"{scores.gold_sentences} of {scores.n_sentences} gold sentences"
        gold_arcs = f"of {scores.gold_arcs} gold arcs"
        notes = [
            f"{match.correct} of {match.gold} sentences" if match else "no complete gold tree",
            sentences,
            sentences,
            f"of {scores.predicted_arcs} predicted arcs",
            gold_arcs,
            gold_arcs,
            f"{scores.predicted_arcs} of {scores.system_words} arcs",
            f"{scores.predicted_sentences} of {scores.system_sentences} sentences",
        ]
        shown = [item for item in self.fractions().items() if item[0] not in self.official]
        rows = [
            [metric.label, rate(*fraction), note]
            for (metric, fraction), note in zip(shown, notes, strict=True)
        ]
        return Table("Other scores", [Column(""), Column("", percent), Column("", left=True)], rows)

    def _unannotated(self) -> str:
        """State the number of words that do not count in scores of trees. Empty if there are
        none."""
        found = []
        if self.n_without_head:
            found.append(f"{self.n_without_head:,} have no head and are not in the scores of trees")
        if self.n_without_relation:
            found.append(f"{self.n_without_relation:,} have no relation and are in UAS only")
        n_words = self.official[Metric.WORDS].gold
        return f"Of {n_words:,} gold words, {', '.join(found)}." if found else ""

    def _shown(self) -> dict[Metric, Score]:
        return {
            metric: score
            for metric, score in self.official.items()
            if metric is not Metric.ELAS or self.predicts_enhanced
        }


def score_analyses(gold: Analysis, system: Analysis) -> Scores:
    """Score one analysis against another.

    Args:
        gold: The gold analysis.
        system: The predicted analysis.

    Raises:
        TextMismatchError: The analyses have different texts.
    """
    return score_comparison(Comparison(gold, system, align_words(gold, system)))


def score_comparison(comparison: Comparison) -> Scores:
    """Compute all scores of a comparison.

    Args:
        comparison: The predicted analysis and the gold one.
    """
    gold = comparison.gold
    has_head = [head != NO_HEAD for head in gold.heads]
    return Scores(
        official=official_scores(comparison),
        without_gold=scores_of_empty_columns(gold),
        without_prediction=scores_of_empty_columns(comparison.system),
        n_without_head=has_head.count(False),
        n_without_relation=sum(
            known and deprel is None for known, deprel in zip(has_head, gold.deprels, strict=True)
        ),
        per_relation=las_per_relation(comparison),
        exact_match=exact_match(comparison),
        nonprojective=nonprojective_scores(comparison),
        las_of_sentences=las_of_sentences(comparison),
    )


def fractions_of_sentences(comparison: Comparison) -> list[dict[Metric, tuple[int, int]]]:
    """Find the numerator and the denominator of each score in each gold sentence.

    Args:
        comparison: The predicted analysis and the gold one.

    Returns:
        The fractions of each sentence, as `Scores.fractions`; see `comparisons_of_sentences`.
    """
    return [
        _fractions(official_scores(one), exact_match(one), nonprojective_scores(one))
        for one in comparisons_of_sentences(comparison)
    ]


def score_sentences(gold: Iterable[Sentence], system: Iterable[Sentence]) -> Scores:
    """Score CoNLL-U sentences against gold ones.

    Args:
        gold: The gold sentences.
        system: The predicted sentences, which may have other tokens and boundaries.

    Raises:
        TextMismatchError: The texts differ in more than white space.

    Examples:
        >>> from spacy_npparse.treebank import parse_sentence
        >>> gold, system = (
        ...     parse_sentence([f"1\\tGo\\t_\\t_\\t_\\t_\\t0\\t{label}\\t_\\t_"])
        ...     for label in ("root", "dep")
        ... )
        >>> scores = score_sentences([gold], [system])
        >>> scores.official[Metric.UAS].f1, scores.official[Metric.LAS].f1
        (1.0, 0.0)
    """
    scores = ScoreSum(gold)
    for sentence in system:
        scores.add([sentence])
    return scores.finish()


class ScoreSum:
    """The scores of predicted sentences that arrive one after another.

    Gold and predicted sentences are compared as soon as both end with the same token, and are then
    dropped. The counts of such parts add up to those of the whole.

    Args:
        gold: The gold sentences, which are read as needed.
    """

    def __init__(self, gold: Iterable[Sentence]):
        self._remaining = iter(gold)
        self._gold, self._system = _Waiting(), _Waiting()
        self._n_characters = 0
        self._sum: Scores | None = None

    def add(self, system: Iterable[Sentence]) -> None:
        """Compare the next predicted sentences.

        Args:
            system: The sentences.

        Raises:
            TextMismatchError: The text differs from the gold one.
        """
        for sentence in system:
            self._system.add(sentence)
            while self._gold.n_characters < self._system.n_characters:
                next_one = next(self._remaining, None)
                if next_one is None:
                    break
                self._gold.add(next_one)
            # Alignment reaches back over the end of a sentence only if the last tokens differ.
            if self._gold.end == self._system.end and self._system.n_characters >= PART:
                self._compare()

    def finish(self) -> Scores:
        """Compare the remaining sentences.

        Returns:
            The scores of all sentences.

        Raises:
            TextMismatchError: The text differs from the gold one.
        """
        for sentence in self._remaining:
            self._gold.add(sentence)
        if self._sum is None or self._gold.sentences or self._system.sentences:
            self._compare()
        assert self._sum is not None
        return self._sum

    def _compare(self) -> None:
        gold, system = map(analysis_of_sentences, (self._gold.sentences, self._system.sentences))
        aligned = align_words(gold, system, self._n_characters)
        found = score_comparison(Comparison(gold, system, aligned))
        if self._sum is not None:
            # What one part has, the whole has.
            lacking = {
                name: [one for one in getattr(found, name) if one in getattr(self._sum, name)]
                for name in ("without_gold", "without_prediction")
            }
            found = replace(total(self._sum, found), **lacking)
        self._sum = found
        self._n_characters += self._gold.n_characters
        self._gold, self._system = _Waiting(), _Waiting()


class _Waiting:
    """Sentences that have not been compared yet, and the span of their last token."""

    def __init__(self) -> None:
        self.sentences: list[Sentence] = []
        self.end = (0, 0)

    @property
    def n_characters(self) -> int:
        return self.end[1]

    def add(self, sentence: Sentence) -> None:
        analysis = analysis_of_sentences([sentence])
        self.sentences.append(sentence)
        for start, end in analysis.spans[-1:]:
            self.end = (self.n_characters + start, self.n_characters + end)


def missing_columns(metrics: Iterable[Metric]) -> str:
    """State the scores whose columns the gold annotation lacks. Empty if there are none."""
    names = ", ".join(metric.label for metric in metrics)
    return (
        f"The gold annotation lacks the columns of: {names}. These scores are meaningless."
        if names
        else ""
    )


def _fractions(
    official: Mapping[Metric, Score], match: Score | None, nonprojective: NonProjectiveScores
) -> dict[Metric, tuple[int, int]]:
    """Find the numerator and the denominator of each score."""
    others = nonprojective.fractions()
    return {
        **{
            metric: (2 * score.correct, score.gold + score.system)
            for metric, score in official.items()
        },
        Metric.EXACT_MATCH: (match.correct, match.gold) if match else (0, 0),
        **{metric: others[name] for name, metric in _NONPROJECTIVE.items()},
    }


def _score_dict(score: Score) -> dict[str, float | None]:
    return {
        "precision": score.precision,
        "recall": score.recall,
        "f1": score.f1,
        "aligned_accuracy": score.aligned_accuracy,
        **asdict(score),
    }
