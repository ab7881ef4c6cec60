"""Arcs of a treebank that parsers contradict: a list for annotators."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from spacy_npparse.treebank import Sentence
from spacy_npparse.treebank.rows import make_sentence, with_misc, without_misc
from spacy_npparse.treebank.sentence import MISSING

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
# Attributes of MISC.
_PREDICTED = "PredictedArc"
_LOG_ODDS = "LogOdds"
_DOUBT = 0.01


@dataclass(frozen=True)
class Contradiction:
    """An arc of a treebank that a parser contradicts.

    Attributes:
        sentence: The number of the sentence in the treebank, from 0.
        word: The dependent, from 1.
        head: Of the arc in the treebank, 0 for the root.
        label: Its label.
        probability: Of head and label, as the parser sees it.
        predicted_head: Of the arc that the parser predicts.
        predicted_label: Its label.
        predicted_probability: Of these.
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
        """The natural logarithm of how many times as probable the parser's own arc is, after a
        hundredth is added to both probabilities: parsers are wrong more often than they believe
        where they hold an arc for all but impossible."""
        return math.log((self.predicted_probability + _DOUBT) / (self.probability + _DOUBT))


def ranked(found: Iterable[Contradiction]) -> list[Contradiction]:
    """Contradictions, the surest first.

    Args:
        found: In any order.

    Returns:
        Sorted by log odds, and then by place.
    """
    return sorted(found, key=lambda one: (-one.log_odds, one.sentence, one.word))


def contradiction_table(found: Sequence[Contradiction], sentences: Sequence[Sentence]) -> str:
    """Write contradictions as tab-separated values.

    Args:
        found: The contradictions.
        sentences: Of the treebank.

    Returns:
        A line for each, with a heading. Sentences and words are counted from 1.
    """
    lines = ["\t".join(_COLUMNS)]
    for one in found:
        sentence = sentences[one.sentence]
        cells = (
            one.sentence + 1,
            sentence.sent_id or MISSING,
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
    """Note contradictions in MISC: `PredictedArc=4:obj|LogOdds=7.31`, and drop such notes of an
    earlier time. Nothing else changes.

    Args:
        found: The contradictions.
        sentences: Of the treebank.

    Returns:
        The sentences of the treebank.
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
        row = without_misc(row, (_PREDICTED, _LOG_ODDS))
        one = by_word.get(int(row.id)) if row.id.isdecimal() else None
        if one is not None:
            arc = f"{one.predicted_head}:{one.predicted_label}"
            row = with_misc(row, {_PREDICTED: arc, _LOG_ODDS: f"{one.log_odds:.2f}"})
        rows.append(row)
    if rows == list(sentence.rows):
        return sentence
    return make_sentence(rows, sentence.metadata, sentence.comments)
