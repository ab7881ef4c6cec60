"""The score of enhanced dependencies.

Source: Bouma, Seddah and Zeman (2020), Overview of the IWPT 2020 Shared Task on Parsing into
Enhanced Universal Dependencies, section 5.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from spacy_npparse.errors import UserError
from spacy_npparse.evaluation.analysis import Analysis
from spacy_npparse.evaluation.attachment import Comparison, Score
from spacy_npparse.treebank.sentence import EMPTY, NUMBER, shortened

_ROOT = -1


class EnhancedDependencyError(UserError, ValueError):
    """A DEPS column that cannot be scored. The message names the word and the remedy."""


def enhanced_score(comparison: Comparison) -> Score:
    """Compute ELAS, the F1 of enhanced arcs with the subtypes of their relations.

    Arcs from empty nodes do not count, because the official evaluation expects them to be
    collapsed.

    Args:
        comparison: The predicted analysis and the gold one.

    Raises:
        EnhancedDependencyError: Both analyses have enhanced dependencies, and some cannot be read.
    """
    gold, system = comparison.gold, comparison.system
    n_gold = sum(1 for deps in gold.deps for _ in _arcs(deps))
    n_system = sum(1 for word in comparison.system_words for _ in _arcs(system.deps[word]))
    if not (n_gold and n_system):
        return Score(0, n_gold, n_system)
    gold_word = {s: g for g, s in enumerate(comparison.aligned) if s is not None}
    gold_word[_ROOT] = _ROOT
    of_gold, of_system = _resolved(gold), _resolved(system)
    correct = 0
    for g, s in enumerate(comparison.aligned):
        if s is None:
            continue
        # A treebank may have the same arc twice.
        predicted = Counter((gold_word.get(head), label) for head, label in of_system[s])
        correct += sum(predicted[arc] for arc in of_gold[g])
    return Score(correct, n_gold, n_system)


def _arcs(deps: str) -> Iterator[tuple[str, str]]:
    """Read the head and the label of the arcs in a DEPS column, except those from empty nodes."""
    if deps in (EMPTY, ""):
        return
    for arc in deps.split("|"):
        head, _, label = arc.partition(":")
        if "." not in head:
            yield head, label


def _resolved(analysis: Analysis) -> list[list[tuple[int, str]]]:
    """Find the heads (indices among all words, or _ROOT) and labels of each word's enhanced
    arcs."""
    return [
        [
            (_head(analysis, word, head, first, end), label)
            for head, label in _arcs(analysis.deps[word])
        ]
        for first, end in analysis.sentence_words
        for word in range(first, end)
    ]


def _head(analysis: Analysis, word: int, head: str, first: int, end: int) -> int:
    if not (NUMBER.fullmatch(head) and int(head) <= end - first):
        raise EnhancedDependencyError(
            f"DEPS {shortened(analysis.deps[word])!r} of the word {analysis.forms[word]!r} (word "
            f"{word - first + 1} of its sentence) is not understood. Write HEAD:RELATION pairs "
            "separated by |, whose heads are words of the sentence, or _ for none."
        )
    return first + int(head) - 1 if int(head) else _ROOT
