"""The scores of the CoNLL 2018 shared task, and exact match.

Punctuation counts, subtypes of relations do not. All scores are F1 over aligned words, which equals
accuracy under gold tokenisation. Words whose gold head (for LAS and CLAS: head or relation) is
missing are ignored on both sides; complete treebanks have none.

Source: Zeman et al. (2018), CoNLL 2018 Shared Task: Multilingual Parsing from Raw Text to
Universal Dependencies, section 5.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from spacy_npparse.evaluation.analysis import Analysis
from spacy_npparse.evaluation.metrics import Metric

CONTENT_RELATIONS = frozenset(
    "nsubj obj iobj csubj ccomp xcomp obl vocative expl dislocated advcl advmod discourse nmod "
    "appos nummod acl amod conj fixed flat compound list parataxis orphan goeswith reparandum "
    "root dep".split()
)
UNIVERSAL_FEATURES = frozenset(
    "PronType NumType Poss Reflex Foreign Abbr Gender Animacy Number Case Definite Degree "
    "VerbForm Mood Tense Aspect Voice Evident Polarity Person Polite".split()
)


@dataclass(frozen=True)
class Score:
    """The counts of a score. The rates are 0..1, and 0 if their denominator is 0.

    Attributes:
        correct: Number of correct predictions.
        gold: Number of items (words, tokens or sentences) in the gold analysis.
        system: Number of items in the predicted analysis.
        aligned: Number of aligned words, None if the items are not words.
    """

    correct: int
    gold: int
    system: int
    aligned: int | None = None

    @property
    def precision(self) -> float:
        """Share of the predicted items that are correct."""
        return self.correct / self.system if self.system else 0.0

    @property
    def recall(self) -> float:
        """Share of the gold items that are found."""
        return self.correct / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        total = self.gold + self.system
        return 2 * self.correct / total if total else 0.0

    @property
    def aligned_accuracy(self) -> float | None:
        """Share of the aligned words that are correct, None if the items are not words."""
        if self.aligned is None:
            return None
        return self.correct / self.aligned if self.aligned else 0.0


class Comparison:
    """Word by word comparison of a predicted analysis with the gold one.

    Attributes:
        gold: The gold analysis.
        system: The predicted analysis.
        aligned: System word of each gold word; see `align_words`.
        head_right: For each gold word, whether it is aligned and has the correct head.
        arc_right: For each gold word, whether its universal relation is correct as well.
    """

    def __init__(self, gold: Analysis, system: Analysis, aligned: list[int | None]) -> None:
        self.gold = gold
        self.system = system
        self.aligned = aligned
        self.head_right = [self._head_right(word) for word in range(len(gold))]
        self.arc_right = [
            right and gold.deprels[word] == system.deprels[_known(aligned[word])]
            for word, right in enumerate(self.head_right)
        ]

    def _head_right(self, word: int) -> bool:
        partner, head = self.aligned[word], self.gold.heads[word]
        if partner is None or head is None:
            return False
        # A root is its own head, on both sides.
        wanted = self.aligned[head]
        return wanted is not None and self.system.heads[partner] == wanted


def rate(part: float, whole: float) -> float | None:
    """The ratio, None if the denominator is 0."""
    return part / whole if whole else None


def attachment_scores(comparison: Comparison) -> dict[Metric, Score]:
    """The official scores, from Tokens to CLAS."""
    gold, system = comparison.gold, comparison.system
    pairs = [(g, s) for g, s in enumerate(comparison.aligned) if s is not None]

    def tags(right: Callable[[int, int], bool]) -> Score:
        correct = sum(right(g, s) for g, s in pairs)
        return Score(correct, len(gold), len(system), len(pairs))

    gold_feats = [_universal_features(feats) for feats in gold.feats]
    system_feats = [_universal_features(feats) for feats in system.feats]
    return {
        Metric.TOKENS: _span_score(gold.tokens, system.tokens),
        Metric.SENTENCES: _span_score(gold.sentences, system.sentences),
        Metric.WORDS: Score(len(pairs), len(gold), len(system)),
        Metric.UPOS: tags(lambda g, s: gold.upos[g] == system.upos[s]),
        Metric.XPOS: tags(lambda g, s: gold.xpos[g] == system.xpos[s]),
        Metric.UFEATS: tags(lambda g, s: gold_feats[g] == system_feats[s]),
        Metric.ALL_TAGS: tags(
            lambda g, s: (
                gold.upos[g] == system.upos[s]
                and gold.xpos[g] == system.xpos[s]
                and gold_feats[g] == system_feats[s]
            )
        ),
        Metric.LEMMAS: tags(lambda g, s: gold.lemmas[g] in ("_", system.lemmas[s])),
        Metric.UAS: _arc_score(comparison, labelled=False),
        Metric.LAS: _arc_score(comparison, labelled=True),
        Metric.CLAS: _arc_score(comparison, labelled=True, relations=CONTENT_RELATIONS),
    }


def las_per_relation(comparison: Comparison) -> dict[str, Score]:
    """LAS of each universal relation."""
    gold, system, aligned = comparison.gold, comparison.system, comparison.aligned
    correct: Counter[str] = Counter()
    in_gold: Counter[str] = Counter()
    in_system = Counter(deprel for deprel in system.deprels if deprel is not None)
    for word, deprel in enumerate(gold.deprels):
        partner = aligned[word]
        if deprel is not None and gold.heads[word] is not None:
            in_gold[deprel] += 1
            correct[deprel] += comparison.arc_right[word]
        elif partner is not None and (predicted := system.deprels[partner]) is not None:
            in_system[predicted] -= 1
    return {
        relation: Score(correct[relation], in_gold[relation], in_system[relation])
        for relation in sorted(in_gold | in_system)
    }


def exact_match(comparison: Comparison) -> Score | None:
    """Share of the gold sentences all of whose words have the correct head and relation.

    Sentences with missing heads or relations are ignored; None if no sentence remains.
    """
    gold = comparison.gold
    correct = n_sentences = 0
    for first, end in gold.sentence_words:
        if None in gold.heads[first:end] or None in gold.deprels[first:end]:
            continue
        n_sentences += 1
        correct += all(comparison.arc_right[first:end])
    return Score(correct, n_sentences, n_sentences) if n_sentences else None


def _arc_score(
    comparison: Comparison, *, labelled: bool, relations: frozenset[str] | None = None
) -> Score:
    gold, system = comparison.gold, comparison.system
    right = comparison.arc_right if labelled else comparison.head_right
    unknown = {
        word
        for word in range(len(gold))
        if gold.heads[word] is None or (labelled and gold.deprels[word] is None)
    }
    ignored = {comparison.aligned[word] for word in unknown}
    counted = [
        word
        for word in range(len(gold))
        if word not in unknown and (relations is None or gold.deprels[word] in relations)
    ]
    n_system = sum(
        word not in ignored and (relations is None or deprel in relations)
        for word, deprel in enumerate(system.deprels)
    )
    return Score(
        sum(right[word] for word in counted),
        len(counted),
        n_system,
        sum(comparison.aligned[word] is not None for word in counted),
    )


def _span_score(gold: list[tuple[int, int]], system: list[tuple[int, int]]) -> Score:
    return Score(len(set(gold) & set(system)), len(gold), len(system))


def _universal_features(feats: str) -> frozenset[str]:
    return frozenset(
        feature for feature in feats.split("|") if feature.split("=", 1)[0] in UNIVERSAL_FEATURES
    )


def _known(word: int | None) -> int:
    assert word is not None
    return word
