"""Accuracy broken down by the properties of arcs.

Recall is broken down by a property of the gold arc, and precision by that of the predicted arc.

Source: McDonald and Nivre (2007), Characterizing the errors of data-driven dependency parsing
models, section 4.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from spacy_npparse.evaluation.analysis import Analysis
from spacy_npparse.evaluation.attachment import Comparison, rate
from spacy_npparse.evaluation.metrics import ArcProperty
from spacy_npparse.evaluation.nonprojective import nonprojective_words
from spacy_npparse.trees.missing import NO_HEAD

ARC_LENGTHS = (1, 2, 3, 4, 5, 7, 10, 15)
SENTENCE_LENGTHS = (1, 6, 11, 16, 21, 31, 41, 61)
DEPTHS = (1, 2, 3, 4, 5, 6, 8)


@dataclass(frozen=True)
class Group:
    """The counts of the arcs of one kind, in sentences with complete gold trees.

    Attributes:
        gold: The number of gold arcs.
        heads_found: The number of gold arcs whose dependent is predicted with the correct head.
        arcs_found: The number of gold arcs whose dependent is predicted with the correct head and
            relation.
        predicted: The number of predicted arcs.
        heads_right: The number of predicted arcs with the correct head.
        arcs_right: The number of predicted arcs with the correct head and relation.
    """

    gold: int = 0
    heads_found: int = 0
    arcs_found: int = 0
    predicted: int = 0
    heads_right: int = 0
    arcs_right: int = 0

    @property
    def recall(self) -> float | None:
        """Labelled recall; None without gold arcs."""
        return rate(self.arcs_found, self.gold)

    @property
    def precision(self) -> float | None:
        """Labelled precision; None without predicted arcs."""
        return rate(self.arcs_right, self.predicted)


Breakdown = dict[str, Group]
Kinds = list[str | None]


def breakdowns(comparison: Comparison) -> dict[ArcProperty, Breakdown]:
    """Break the accuracy down by each property of arcs.

    The properties are arc length in words (undefined for arcs from the root), sentence length,
    distance from the root to the dependent in arcs, projectivity, and relation. Sentences with a
    missing gold head or relation are ignored.

    Args:
        comparison: The predicted analysis and the gold one.
    """
    gold = comparison.gold
    counted = [
        known
        for first, end in gold.sentence_words
        for known in [NO_HEAD not in gold.heads[first:end] and None not in gold.deprels[first:end]]
        * (end - first)
    ]
    properties: dict[ArcProperty, tuple[Callable[[Analysis], Kinds], Sequence[str]]] = {
        ArcProperty.ARC_LENGTH: (_arc_lengths, _labels(ARC_LENGTHS)),
        ArcProperty.SENTENCE_LENGTH: (_sentence_lengths, _labels(SENTENCE_LENGTHS)),
        ArcProperty.ROOT_DISTANCE: (_depths, _labels(DEPTHS)),
        ArcProperty.PROJECTIVITY: (_projectivity, ("projective", "non-projective")),
        ArcProperty.RELATION: (lambda analysis: analysis.deprels, _by_frequency(comparison)),
    }
    return {
        by: _breakdown(comparison, counted, kinds_of, order)
        for by, (kinds_of, order) in properties.items()
    }


def _breakdown(
    comparison: Comparison,
    counted: Sequence[bool],
    kinds_of: Callable[[Analysis], Kinds],
    order: Sequence[str],
) -> Breakdown:
    """Count the groups in order, including empty ones."""
    gold, system, aligned = comparison.gold, comparison.system, comparison.aligned
    unknown = {aligned[word] for word, known in enumerate(counted) if not known}
    words = {word for word, known in enumerate(counted) if known}
    heads, arcs = (
        [word for word in words if right[word]]
        for right in (comparison.head_right, comparison.arc_right)
    )

    def tallies(kinds: Kinds, *selections: Iterable[int | None]) -> Iterator[Counter[str | None]]:
        for selected in selections:
            yield Counter(kinds[word] for word in selected if word is not None)

    partners = [[aligned[word] for word in right] for right in (heads, arcs)]
    counts = [
        *tallies(kinds_of(gold), words, heads, arcs),
        *tallies(kinds_of(system), set(range(len(system))) - unknown, *partners),
    ]
    return {kind: Group(*(count[kind] for count in counts)) for kind in order}


def _arc_lengths(analysis: Analysis) -> Kinds:
    labels = _labels(ARC_LENGTHS)
    return [
        None if head in (NO_HEAD, word) else _label(abs(head - word), ARC_LENGTHS, labels)
        for word, head in enumerate(analysis.heads)
    ]


def _sentence_lengths(analysis: Analysis) -> Kinds:
    labels = _labels(SENTENCE_LENGTHS)
    kinds: Kinds = []
    for first, end in analysis.sentence_words:
        kinds += [_label(end - first, SENTENCE_LENGTHS, labels)] * (end - first)
    return kinds


def _depths(analysis: Analysis) -> Kinds:
    labels = _labels(DEPTHS)
    kinds: Kinds = []
    for word in range(len(analysis)):
        depth, node, head = 1, word, analysis.heads[word]
        while head not in (NO_HEAD, node):
            depth, node, head = depth + 1, head, analysis.heads[head]
        kinds.append(None if head == NO_HEAD else _label(depth, DEPTHS, labels))
    return kinds


def _projectivity(analysis: Analysis) -> Kinds:
    crossing, complete, _ = nonprojective_words(analysis)
    return [
        None if not known else "non-projective" if crosses else "projective"
        for crosses, known in zip(crossing, complete, strict=True)
    ]


def _by_frequency(comparison: Comparison) -> list[str]:
    """List the relations by descending frequency in the gold trees."""
    frequency = Counter(deprel for deprel in comparison.gold.deprels if deprel is not None)
    predicted = {deprel for deprel in comparison.system.deprels if deprel is not None}
    return sorted(predicted | set(frequency), key=lambda deprel: (-frequency[deprel], deprel))


def _labels(bounds: Sequence[int]) -> list[str]:
    """Label the ranges with these lower bounds."""
    labels = []
    for low, above in pairwise(bounds):
        labels.append(f"{low}" if above == low + 1 else f"{low}–{above - 1}")
    return [*labels, f"{bounds[-1]}+"]


def _label(value: int, bounds: Sequence[int], labels: Sequence[str]) -> str:
    return labels[bisect_right(bounds, value) - 1]
