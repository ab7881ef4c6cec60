"""Rules that the labels of a treebank obey, learnt from its trees.

The only assumption about labels is that subtypes follow a colon. A rule is about a label with all
its subtypes, or about one of these. It is learnt if the treebank has enough cases in which the rule
could be broken, and breaks it in hardly any of them: treebanks have errors. A label that is unique
with few exceptions has a rule as well, which trees may break at a cost.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal, TypeAlias, get_args

from spacy_npparse.checks import check_choice, check_type

RuleKind: TypeAlias = Literal["unique", "before", "behind", "dependents", "upos"]
_EXCLUDING = ("dependents", "upos")

# The number of cases that a rule needs, and the share of them in which the treebank may break it:
# by error, or because the rule has exceptions.
EVIDENCE = 20
TOLERANCE = 0.002
MOST_EXCEPTIONS = 0.03
# In nats, less than the log-odds of most exceptions, because the scores of labels contain them.
COST_OF_EXCEPTION = 3.0
# The cost is lower because parts of speech are predicted and can be wrong.
COST_OF_UPOS = 0.5
# A label of dependents or a part of speech is excluded only if chance predicts so many cases.
LEAST_EXPECTED = 5.0
# The most dependents that words have on average if their label is that of function words.
MOST_DEPENDENTS = 0.1
_SUBTYPE = ":"

# Label, label of the head, whether the word is before its head, and the part of speech of the word.
_Arc: TypeAlias = tuple[str, str, bool, str]


@dataclass(frozen=True)
class LabelRule:
    """A rule, and how often a treebank obeys it.

    Attributes:
        kind: "unique", if a word has at most one dependent with one of the labels; "before" or
            "behind", if words with these labels stand before or behind their heads; "dependents",
            if words with these labels have no dependents with some labels; "upos", if they are not
            of some parts of speech.
        labels: The labels, which differ in their subtypes only.
        excluded: The labels that dependents do not have, or the parts of speech (UPOS).
        cases: The number of times that the treebank could have broken the rule.
        exceptions: The number of times that it has broken the rule.
    """

    kind: RuleKind
    labels: tuple[str, ...]
    excluded: tuple[str, ...] = ()
    cases: int = 0
    exceptions: int = 0

    @property
    def cost(self) -> float:
        """The cost, in nats, of each violation by the labels of a tree. It is infinite unless
        the treebank has real exceptions or the rule is about parts of speech."""
        if self.kind == "upos":
            return COST_OF_UPOS
        if self.exceptions <= TOLERANCE * self.cases or self.kind == "dependents":
            return math.inf
        return COST_OF_EXCEPTION

    @classmethod
    def from_json(cls, where: str, data: Mapping[str, Any]) -> LabelRule:
        """Read a rule.

        Args:
            where: The name of the rule in error messages.
            data: A dictionary of the attributes, with lists of labels.

        Returns:
            The rule.

        Raises:
            ValueError: The rule is malformed.
        """
        unknown = sorted(map(str, data.keys() - set(cls.__dataclass_fields__)))
        if unknown:
            raise ValueError(
                f"{where} has {', '.join(unknown)}; a rule has kind, labels, excluded, cases and "
                "exceptions."
            )
        check_choice(f"{where}.kind", data.get("kind"), get_args(RuleKind))
        labels, excluded = (data.get(key, []) for key in ("labels", "excluded"))
        for key, value in (("labels", labels), ("excluded", excluded)):
            check_type(f"{where}.{key}", value, list[str])
        if not labels:
            raise ValueError(f"{where} has no labels. Name at least one, or remove the rule.")
        if bool(excluded) != (data["kind"] in _EXCLUDING):
            raise ValueError(
                f"{where}: rules of the kinds {' and '.join(map(repr, _EXCLUDING))} have excluded, "
                "and no others do. Correct its 'excluded', or its kind."
            )
        counts = [data.get(key, 0) for key in ("cases", "exceptions")]
        for key, value in zip(("cases", "exceptions"), counts, strict=True):
            check_type(f"{where}.{key}", value, int)
        return cls(data["kind"], tuple(labels), tuple(excluded), *counts)

    def to_json(self) -> dict[str, Any]:
        """Return the dictionary that `from_json` reads."""
        found: dict[str, Any] = {"kind": self.kind, "labels": list(self.labels)}
        if self.excluded:
            found["excluded"] = list(self.excluded)
        return {**found, "cases": self.cases, "exceptions": self.exceptions}


def read_rules(where: str, data: Any) -> list[LabelRule]:
    """Read a list of rules.

    Args:
        where: The name of the list in error messages.
        data: A list of dictionaries for `LabelRule.from_json`.

    Returns:
        The rules.

    Raises:
        ValueError: The list or a rule is malformed.
    """
    check_type(where, data, list[dict])
    return [LabelRule.from_json(f"{where}[{i}]", one) for i, one in enumerate(data)]


class LabelCounts:
    """Counts of the labels in trees, from which rules are learnt."""

    def __init__(self) -> None:
        self._words: Counter[str] = Counter()
        self._arcs: Counter[_Arc] = Counter()
        # The labels, sorted, of all dependents of a word whose labels differ in subtypes only.
        self._siblings: Counter[tuple[str, ...]] = Counter()

    def add(self, heads: Sequence[int], labels: Sequence[str], upos: Sequence[str]) -> None:
        """Count the labels of a sentence, or of several.

        Args:
            heads: The index of each word's head, from 0; negative if the head is the root or
                unknown.
            labels: The label of each word, empty if unknown.
            upos: The part of speech of each word, empty if unknown.
        """
        arcs = []
        siblings: dict[tuple[int, str], list[str]] = defaultdict(list)
        for place, (head, label, pos) in enumerate(zip(heads, labels, upos, strict=True)):
            if head >= 0 and label:
                arcs.append((label, labels[head], place < head, pos))
                siblings[head, without_subtype(label)].append(label)
        self._words.update(filter(None, labels))
        self._arcs.update(arcs)
        self._siblings.update(tuple(sorted(ones)) for ones in siblings.values())

    def rules(self) -> list[LabelRule]:
        """Learn the rules that the trees obey."""
        return [*self._unique(), *self._sides(), *self._dependents(), *self._parts_of_speech()]

    def _unique(self) -> Iterator[LabelRule]:
        done: set[str] = set()
        for most, kind in product((TOLERANCE, MOST_EXCEPTIONS), self._kinds):
            labels = tuple(label for label in kind if label not in done)
            # Subtypes can be exceptions, as outer subjects are.
            while labels:
                cases = exceptions = 0
                repeated: Counter[str] = Counter()
                for siblings, n in self._siblings.items():
                    own = [label for label in siblings if label in labels]
                    cases += n * (len(own) > 0)
                    exceptions += n * (len(own) > 1)
                    repeated.update(dict.fromkeys(own, n * (len(own) > 1)))
                if _holds(cases, exceptions, most):
                    yield LabelRule("unique", labels, (), cases, exceptions)
                    done.update(labels)
                    break
                worst = max(labels, key=lambda label: (repeated[label] / self._words[label], label))
                labels = tuple(label for label in labels if label != worst)

    def _sides(self) -> Iterator[LabelRule]:
        done: set[str] = set()
        for labels, counts in self._by_kind(lambda arc: arc[0], lambda arc: arc[2]):
            sides: tuple[tuple[RuleKind, int], ...]
            sides = (("before", counts[False]), ("behind", counts[True]))
            for kind, exceptions in sides:
                if not done.issuperset(labels) and _holds(counts.total(), exceptions):
                    yield LabelRule(kind, labels, (), counts.total(), exceptions)
                    done.update(labels)

    def _dependents(self) -> Iterator[LabelRule]:
        of_all = self._counts(lambda arc: arc[0])
        cases = (
            (labels, counts, sum(self._words[label] for label in labels))
            for labels, counts in self._by_kind(lambda arc: arc[1], lambda arc: arc[0])
        )
        function_words = (one for one in cases if one[1].total() <= MOST_DEPENDENTS * one[2])
        n_words = self._words.total()
        return _excluding("dependents", function_words, self._kinds, of_all, n_words)

    def _parts_of_speech(self) -> Iterator[LabelRule]:
        of_all = self._counts(lambda arc: arc[3])
        n_words = of_all.total() - of_all.pop("", 0)
        cases = (
            (labels, counts, counts.total() - counts[""])
            for labels, counts in self._by_kind(lambda arc: arc[0], lambda arc: arc[3])
        )
        return _excluding("upos", cases, [(one,) for one in of_all], of_all, n_words)

    @property
    def _kinds(self) -> list[tuple[str, ...]]:
        """The groups of labels that rules are about: those with all subtypes, then single ones."""
        together: dict[str, list[str]] = defaultdict(list)
        for label in sorted(self._counts(lambda arc: arc[0])):
            together[without_subtype(label)].append(label)
        kinds = [tuple(labels) for labels in together.values()]
        return [*kinds, *((label,) for labels in kinds if len(labels) > 1 for label in labels)]

    def _counts(self, key: Callable[[_Arc], str]) -> Counter[str]:
        found: Counter[str] = Counter()
        for arc, n in self._arcs.items():
            found[key(arc)] += n
        return found

    def _by_kind(
        self, label: Callable[[_Arc], str], key: Callable[[_Arc], Any]
    ) -> Iterator[tuple[tuple[str, ...], Counter[Any]]]:
        """Count a property of arcs for each group of labels that rules are about."""
        by_label: dict[str, Counter[Any]] = defaultdict(Counter)
        for arc, n in self._arcs.items():
            by_label[label(arc)][key(arc)] += n
        for labels in self._kinds:
            yield labels, sum((by_label[one] for one in labels), Counter())


def _excluding(
    kind: RuleKind,
    cases: Iterable[tuple[tuple[str, ...], Counter[str], int]],
    groups: Sequence[tuple[str, ...]],
    of_all: Counter[str],
    n_words: int,
) -> Iterator[LabelRule]:
    """Find rules that exclude properties which words with some labels have far less than by chance.

    cases: labels, the counts of the properties of their words, and the number of these words;
    groups: properties that are excluded together; of_all: the counts for all words.
    """
    done: dict[str, set[str]] = defaultdict(set)
    for labels, counts, n_cases in cases:
        excluded: set[str] = set()
        for others in groups:
            expected = sum(of_all[one] for one in others) * n_cases / n_words
            exceptions = sum(counts[one] for one in others)
            if expected >= LEAST_EXPECTED and _holds(n_cases, exceptions):
                excluded.update(others)
        excluded -= set[str].intersection(*(done[label] for label in labels))
        if excluded:
            exceptions = sum(counts[one] for one in excluded)
            yield LabelRule(kind, labels, tuple(sorted(excluded)), n_cases, exceptions)
            for label in labels:
                done[label] |= excluded


def _holds(cases: int, exceptions: int, most: float = TOLERANCE) -> bool:
    return cases >= EVIDENCE and exceptions <= most * cases


def without_subtype(label: str) -> str:
    """Remove the subtype of a label.

    Args:
        label: The label.
    """
    return label.partition(_SUBTYPE)[0] or label
