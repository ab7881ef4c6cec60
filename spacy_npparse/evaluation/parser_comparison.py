"""A comparison of parsers on the same text: their scores, and the significance of differences.

Approximate randomisation over sentences (for every score) and McNemar's test over words (for UAS
and LAS) test whether a difference generalises to other text. The Wilcoxon signed-rank test over
seeds tests whether it generalises to other trainings.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from statistics import mean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spacy_npparse.counts import total
from spacy_npparse.evaluation.alignment import TextMismatchError, align_words
from spacy_npparse.evaluation.analysis import Analysis, analysis_of_sentences
from spacy_npparse.evaluation.attachment import Comparison
from spacy_npparse.evaluation.breakdowns import Breakdown, Group, breakdowns
from spacy_npparse.evaluation.metrics import ArcProperty, Metric
from spacy_npparse.evaluation.scores import Scores, fractions_of_sentences, score_comparison
from spacy_npparse.evaluation.seeds import TrainedParser, informative_scores, known
from spacy_npparse.evaluation.significance import (
    CONFIDENCE,
    SAMPLES,
    SEED,
    Counts,
    bootstrap,
    mcnemar,
    percentile_intervals,
    randomisation_of_rates,
    wilcoxon_signed_rank,
)
from spacy_npparse.treebank import Sentence, raw_texts


@dataclass(frozen=True)
class Prediction:
    """The predictions of a parser trained with one seed.

    Attributes:
        file: The name of the file with the predictions.
        scores: The scores of the whole.
        fractions: [sentences, scores, 2], the numerators and denominators of the scores of each
            gold sentence.
        comparison: The word-by-word comparison with the gold analysis.
        breakdowns: The accuracy by property of arcs, see `breakdowns.breakdowns`.
    """

    file: str
    scores: Scores
    fractions: Counts
    comparison: Comparison
    breakdowns: dict[ArcProperty, Breakdown]


@dataclass(frozen=True)
class Parser(TrainedParser):
    """A parser in a comparison.

    Attributes:
        name: The name of the parser.
        seeds: The predictions with each seed.
    """

    name: str
    seeds: list[Prediction]

    def all_scores(self) -> list[Scores]:
        """The scores with each seed."""
        return [seed.scores for seed in self.seeds]

    def breakdown(self, by: ArcProperty) -> Breakdown:
        """The breakdown by a property, summed over the seeds."""
        groups: Breakdown = {}
        for seed in self.seeds:
            for kind, group in seed.breakdowns[by].items():
                groups[kind] = total(groups.get(kind), group)
        return groups

    def correct_words(self, sentence: int) -> float:
        """Count the words of a sentence with correct head and relation, averaged over the seeds."""
        return mean(seed.scores.las_of_sentences[sentence].correct for seed in self.seeds)

    def mean_fractions(self) -> Counts:
        """Average the numerators and denominators over the seeds: [sentences, scores, 2]."""
        result: Counts = np.mean([seed.fractions for seed in self.seeds], axis=0)
        return result


@dataclass(frozen=True)
class Difference:
    """The difference of a score, second parser minus first, and its significance.

    Attributes:
        difference: The difference of the means over seeds. It is None, like everything else, if the
            score is undefined for a parser.
        interval: The 95 % confidence interval, by bootstrap over sentences.
        p_sentences: The p-value of approximate randomisation over sentences.
        p_words: The p-value of McNemar's test over words, only for UAS and LAS, if both parsers
            have the same number of seeds. A word counts for the parser that is correct with more
            seeds.
        p_seeds: The p-value of the Wilcoxon signed-rank test over seeds, only if both parsers have
            the same number of seeds, at least two.
    """

    difference: float | None
    interval: tuple[float, float] | None
    p_sentences: float | None
    p_words: float | None
    p_seeds: float | None


@dataclass(frozen=True)
class Pair:
    """A pair of parsers.

    Attributes:
        first: The name of the first parser.
        second: The name of the second parser.
        differences: The differences of all scores, second parser minus first.
    """

    first: str
    second: str
    differences: dict[Metric, Difference]


@dataclass(frozen=True)
class ParserComparison:
    """A comparison; see `compare_parsers`.

    Attributes:
        gold: The gold sentences.
        parsers: The parsers in the given order.
        pairs: All pairs of parsers.
    """

    gold: list[Sentence]
    parsers: list[Parser]
    pairs: list[Pair]

    @property
    def score_names(self) -> list[Metric]:
        """The scores that are compared, in the order in which `score` prints them."""
        return informative_scores(self.parsers)

    @property
    def breakdown_names(self) -> list[ArcProperty]:
        """The properties of arcs by which scores are broken down."""
        return list(self.parsers[0].seeds[0].breakdowns)

    def breakdown(self, by: ArcProperty) -> dict[str, list[Group]]:
        """Find the counts of all parsers for each kind of arcs by a property."""
        found = [parser.breakdown(by) for parser in self.parsers]
        kinds = dict.fromkeys(kind for groups in found for kind in groups)
        return {kind: [groups.get(kind, Group()) for groups in found] for kind in kinds}

    def gold_arcs(self, groups: Sequence[Group]) -> int:
        """Find the number of gold arcs of a kind, given the counts of all parsers."""
        return groups[0].gold // len(self.parsers[0].seeds)

    def pairs_with(self, first: Parser) -> list[Pair]:
        """Find the pairs whose first parser is the given one."""
        return [pair for pair in self.pairs if pair.first == first.name]

    def most_different(self, limit: int) -> list[int]:
        """Find the sentences in which the parsers' numbers of correct words differ most.

        Args:
            limit: The maximum number of sentences.

        Returns:
            The indices of the sentences, by descending difference.
        """
        gaps = []
        for sentence in range(len(self.gold)):
            correct = [parser.correct_words(sentence) for parser in self.parsers]
            gaps.append(max(correct) - min(correct))
        differing = [sentence for sentence, gap in enumerate(gaps) if gap > 0]
        differing.sort(key=lambda s: (-gaps[s], len(self.gold[s].words), s))
        return differing[:limit]

    def as_dict(self, limit: int) -> dict[str, Any]:
        """Convert the comparison to JSON.

        Args:
            limit: The maximum number of differing sentences.
        """
        return {
            "sentences": len(self.gold),
            "words": sum(len(sentence.words) for sentence in self.gold),
            "tests": {"samples": SAMPLES, "seed": SEED, "confidence": CONFIDENCE},
            "parsers": {parser.name: _parser_dict(parser, self) for parser in self.parsers},
            "pairs": [_pair_dict(pair, self) for pair in self.pairs],
            "most_different": [
                {
                    "sentence": sentence + 1,
                    "text": sentence_text(self.gold[sentence]),
                    "words": len(self.gold[sentence].words),
                    "correct": {
                        parser.name: [
                            seed.scores.las_of_sentences[sentence].correct for seed in parser.seeds
                        ]
                        for parser in self.parsers
                    },
                }
                for sentence in self.most_different(limit)
            ],
        }


def compare_parsers(
    gold: Sequence[Sentence], predictions: Mapping[str, Mapping[str, Sequence[Sentence]]]
) -> ParserComparison:
    """Compare the predictions of parsers for the same text.

    Args:
        gold: The gold sentences.
        predictions: The predictions of each parser by name, with each seed by file name. If parsers
            have the same number of seeds, seeds are paired in order. Predicted tokens, words and
            sentences may differ from the gold ones. The significance tests exchange gold sentences,
            with the predicted words that count in them (see `gold_sentences`).

    Raises:
        TextMismatchError: The texts differ in more than white space.
    """
    gold = list(gold)
    analysis = analysis_of_sentences(gold)
    parsers = [
        Parser(name, [_prediction(analysis, *item) for item in files.items()])
        for name, files in predictions.items()
    ]
    fractions = np.stack([parser.mean_fractions() for parser in parsers])
    samples = bootstrap(fractions)
    pairs = []
    for (i, first), (j, second) in combinations(enumerate(parsers), 2):
        p_values = randomisation_of_rates(fractions[i], fractions[j])
        intervals = percentile_intervals(samples[:, j] - samples[:, i])
        metrics = parsers[0].seeds[0].scores.fractions()
        differences = {
            metric: _difference(metric, first, second, interval, p)
            for metric, interval, p in zip(metrics, intervals, p_values.tolist(), strict=True)
        }
        pairs.append(Pair(first.name, second.name, differences))
    return ParserComparison(gold, parsers, pairs)


def sentence_text(sentence: Sentence) -> str:
    """Find the raw text of a sentence."""
    return "".join(raw_texts([sentence])).strip()


def _prediction(gold: Analysis, file: str, predicted: Sequence[Sentence]) -> Prediction:
    system = analysis_of_sentences(predicted)
    try:
        comparison = Comparison(gold, system, align_words(gold, system))
    except TextMismatchError as error:
        raise TextMismatchError(f"{file}: {error}") from error
    fractions = [list(found.values()) for found in fractions_of_sentences(comparison)]
    return Prediction(
        file=file,
        scores=score_comparison(comparison),
        fractions=np.array(fractions, dtype=np.float64),
        comparison=comparison,
        breakdowns=breakdowns(comparison),
    )


def _difference(
    metric: Metric,
    first: Parser,
    second: Parser,
    interval: tuple[float, float] | None,
    p: float,
) -> Difference:
    a, b = first.mean(metric), second.mean(metric)
    if a is None or b is None:
        return Difference(None, None, None, None, None)
    paired = len(first.seeds) == len(second.seeds)
    right = {Metric.UAS: "head_right", Metric.LAS: "arc_right"}.get(metric)
    p_words = p_seeds = None
    if paired and right:
        more = _times_right(second, right) - _times_right(first, right)
        p_words = mcnemar(int((more < 0).sum()), int((more > 0).sum()))
    if paired and len(first.seeds) > 1:
        p_seeds = wilcoxon_signed_rank(known(first.score(metric)), known(second.score(metric)))
    return Difference(b - a, interval, None if math.isnan(p) else p, p_words, p_seeds)


def _times_right(parser: Parser, right: str) -> NDArray[np.int64]:
    """Count for each word the seeds with which it is correct."""
    return np.sum([getattr(seed.comparison, right) for seed in parser.seeds], axis=0)


def _pair_dict(pair: Pair, comparison: ParserComparison) -> dict[str, Any]:
    differences = {
        metric.value: asdict(pair.differences[metric]) for metric in comparison.score_names
    }
    return {"first": pair.first, "second": pair.second, "differences": differences}


def _parser_dict(parser: Parser, comparison: ParserComparison) -> dict[str, Any]:
    return {
        "files": [seed.file for seed in parser.seeds],
        "scores": {
            metric.value: {
                "mean": parser.mean(metric),
                "standard_deviation": parser.deviation(metric),
                "seeds": parser.score(metric),
            }
            for metric in comparison.score_names
        },
        "details": [seed.scores.as_dict() for seed in parser.seeds],
        "breakdowns": {
            by.value: {
                kind: {**asdict(group), "recall": group.recall, "precision": group.precision}
                for kind, group in parser.breakdown(by).items()
            }
            for by in comparison.breakdown_names
        },
    }
