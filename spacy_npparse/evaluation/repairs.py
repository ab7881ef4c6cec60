"""Repairs, in which non-monotonic transitions change earlier decisions for better or worse.

Source: Honnibal, Goldberg and Johnson (2013, section 7, "frequency analysis"). They count decisions
where a repair is possible. This module counts the effects of repairs on heads.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise
from typing import Any, NamedTuple

from spacy_npparse.tables import Column, Table, columns, count, text
from spacy_npparse.transitions import Derivation
from spacy_npparse.trees.missing import NO_HEAD

_REDUCE = "REDUCE"


class Change(str, Enum):
    """The effect of a repair on the head of a word."""

    REPLACED = "replaced"
    """The word had a head and gets another."""
    REMOVED = "removed"
    """The word had a head, which would now close a cycle."""
    ADDED = "added"
    """REDUCE, which usually adds no arc, attaches a word without a head to the word below it."""


class Outcome(str, Enum):
    """Whether the head is correct before and after a repair. A missing head counts as wrong."""

    WRONG_TO_RIGHT = "wrong_to_right"
    RIGHT_TO_WRONG = "right_to_wrong"
    WRONG_TO_WRONG = "wrong_to_wrong"

    @property
    def label(self) -> str:
        """The outcome, for readers."""
        return self.value.replace("_to_", " → ")


class Repair(NamedTuple):
    """A repair.

    Attributes:
        transition: The name of the transition.
        change: The change of the head.
        outcome: Whether the head is correct before and after.
    """

    transition: str
    change: Change
    outcome: Outcome


def repairs(derivation: Derivation) -> Iterator[Repair]:
    """Find the repairs in a derivation.

    Args:
        derivation: The derivation.

    Yields:
        The repairs, in order, of words whose gold head is known. A word may be repaired several
        times.
    """
    for before, after in pairwise(derivation.steps):
        old, new = before.configuration.heads, after.configuration.heads
        for word, gold in enumerate(derivation.gold or ()):
            if word == 0 or gold == NO_HEAD or old[word] == new[word]:
                continue
            change = _change(str(before.transition), old[word], new[word])
            if change is not None:
                yield Repair(str(before.transition), change, _outcome(old[word], new[word], gold))


def _change(transition: str, old: int, new: int) -> Change | None:
    if old != NO_HEAD:
        return Change.REMOVED if new == NO_HEAD else Change.REPLACED
    return Change.ADDED if transition == _REDUCE else None


def _outcome(old: int, new: int, gold: int) -> Outcome:
    if new == gold:
        return Outcome.WRONG_TO_RIGHT
    return Outcome.RIGHT_TO_WRONG if old == gold else Outcome.WRONG_TO_WRONG


@dataclass(frozen=True)
class RepairCounts:
    """The repairs of many derivations.

    Attributes:
        system: The name of the transition system.
        sentences: The number of derivations with gold trees.
        words: The number of their words whose gold head is known.
        counts: The number of repairs of each kind.
    """

    system: str
    sentences: int
    words: int
    counts: Counter[Repair]

    def table(self) -> str:
        """Write the counts as text."""
        rows = [
            [f"{transition}, head {change.value}", *self._cells(transition, change)]
            for transition, change in self._kinds()
        ]
        heads = columns(["all", *(outcome.label for outcome in Outcome)], count)
        table = Table("Repairs", [Column("repairs by"), *heads], [*rows, ["all", *self._cells()]])
        return text(
            table,
            f"{self.system}: {self.counts.total():,} repairs in the derivations of "
            f"{self.sentences:,} sentences with {self.words:,} words. A word without head counts "
            "as wrong.",
        )

    def as_dict(self) -> dict[str, Any]:
        """Convert the counts to JSON."""
        return {
            "system": self.system,
            "sentences": self.sentences,
            "words": self.words,
            "repairs": [
                {
                    "transition": transition,
                    "change": change.value,
                    **{
                        outcome.value: self.counts[Repair(transition, change, outcome)]
                        for outcome in Outcome
                    },
                }
                for transition, change in self._kinds()
            ],
        }

    def _kinds(self) -> list[tuple[str, Change]]:
        """List the transitions and changes that occur."""
        return sorted({(repair.transition, repair.change) for repair in self.counts})

    def _cells(self, *kind: str | Change) -> list[int]:
        """Count the repairs that begin with these values, in total and by outcome."""
        found = {repair: n for repair, n in self.counts.items() if repair[: len(kind)] == kind}
        outcomes = [
            sum(n for repair, n in found.items() if repair.outcome is outcome)
            for outcome in Outcome
        ]
        return [sum(outcomes), *outcomes]


def count_repairs(derivations: Iterable[Derivation]) -> RepairCounts:
    """Count the repairs in derivations.

    Args:
        derivations: The derivations of one transition system. Those without a gold tree are
            ignored.

    Returns:
        The counts.

    Raises:
        ValueError: No derivation has a gold tree.
    """
    system = ""
    counts: Counter[Repair] = Counter()
    sentences = words = 0
    for derivation in derivations:
        if derivation.gold is not None:
            system = derivation.system.name
            sentences += 1
            words += sum(head != NO_HEAD for head in derivation.gold[1:])
            counts.update(repairs(derivation))
    if not sentences:
        raise ValueError("there is no gold tree to tell right repairs from wrong ones")
    return RepairCounts(system, sentences, words, counts)
