"""Rules that the labels of a treebank obey, learnt from its trees.

The only assumption about labels is that subtypes follow a colon. A rule is about a label with all
its subtypes, or about one of these. It is learnt if the treebank has enough cases in which the rule
could be broken, and breaks it in hardly any of them: treebanks have errors. A label that is unique
with few exceptions has a rule as well, which trees may break at a cost. Unique labels that exclude
each other, such as those of nominal and of clausal subjects, share a rule.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby, product, starmap
from typing import Any, Literal, TypeAlias, get_args

from spacy_npparse.checks import check_choice, check_type

RuleKind: TypeAlias = Literal["unique", "before", "behind", "dependents", "upos"]
_EXCLUDING = ("dependents", "upos")

# The number of cases that a rule needs, and the share of them in which the treebank may break it:
# by error, or because the rule has exceptions.
EVIDENCE = 20
TOLERANCE = 0.002
MOST_EXCEPTIONS = 0.03
# In nats. The cost is low because parts of speech are predicted and can be wrong.
COST_OF_UPOS = 0.5
# A label of dependents or a part of speech is excluded only if chance predicts so many cases.
LEAST_EXPECTED = 5.0
# Two unique labels exclude each other if words have both in at most this share of the cases that
# chance predicts from the labels of the words.
MOST_TOGETHER = 0.2
# The most dependents that words have on average if their label is that of function words.
MOST_DEPENDENTS = 0.1
_SUBTYPE = ":"

# Label, label of the head, whether the word is before its head, and the part of speech of the word.
_Arc: TypeAlias = tuple[str, str, bool, str]
# The labels, sorted, of all dependents of a word.
_Siblings: TypeAlias = tuple[str, ...]


@dataclass(frozen=True)
class LabelRule:
    """A rule, and how often a treebank obeys it.

    Attributes:
        kind: "unique", if a word has at most one dependent with one of the labels; "before" or
            "behind", if words with these labels stand before or behind their heads; "dependents",
            if words with these labels have no dependents with some labels; "upos", if they are not
            of some parts of speech.
        labels: The labels. Except for unique labels, they differ only in their subtypes.
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
        the treebank has real exceptions or the rule is about parts of speech. The cost of an
        exception is minus the logarithm of their share of the cases."""
        if self.kind == "upos":
            return COST_OF_UPOS
        if self.exceptions <= TOLERANCE * self.cases or self.kind == "dependents":
            return math.inf
        return max(math.log(self.cases / self.exceptions), 0.0) if self.cases else 0.0

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
        # The label and the part of speech of a word, and the sorted labels of its dependents.
        self._families: Counter[tuple[tuple[str, str], _Siblings]] = Counter()

    def add(self, heads: Sequence[int], labels: Sequence[str], upos: Sequence[str]) -> None:
        """Count the labels of a sentence, or of several.

        Args:
            heads: The index of each word's head, from 0; negative if the head is the root or
                unknown.
            labels: The label of each word, empty if unknown.
            upos: The part of speech of each word, empty if unknown.
        """
        arcs = []
        siblings: dict[int, list[str]] = defaultdict(list)
        for place, (head, label, pos) in enumerate(zip(heads, labels, upos, strict=True)):
            if head >= 0 and label:
                arcs.append((label, labels[head], place < head, pos))
                siblings[head].append(label)
        self._words.update(filter(None, labels))
        self._arcs.update(arcs)
        self._families.update(
            ((labels[head], upos[head]), tuple(sorted(ones))) for head, ones in siblings.items()
        )

    def rules(self) -> list[LabelRule]:
        """Learn the rules that the trees obey."""
        return [*self._unique(), *self._sides(), *self._dependents(), *self._parts_of_speech()]

    def _unique(self) -> list[LabelRule]:
        by_kind: dict[str, Counter[_Siblings]] = defaultdict(Counter)
        for (_, siblings), n in self._families.items():
            for kind, own in groupby(sorted(siblings, key=without_subtype), without_subtype):
                by_kind[kind][tuple(own)] += n
        found: list[LabelRule] = []
        done: set[str] = set()
        for most, kind_labels in product((TOLERANCE, MOST_EXCEPTIONS), self._kinds):
            labels = tuple(label for label in kind_labels if label not in done)
            # Subtypes can be exceptions, as outer subjects are.
            while labels:
                siblings_of_kind = by_kind[without_subtype(labels[0])]
                rule = _unique_rule(labels, siblings_of_kind)
                if _holds(rule.cases, rule.exceptions, most):
                    found.append(rule)
                    done.update(labels)
                    break
                repeated = _repetitions(labels, siblings_of_kind)
                worst = max(labels, key=lambda label: (repeated[label] / self._words[label], label))
                labels = tuple(label for label in labels if label != worst)
        return self._joined(found)

    def _joined(self, rules: list[LabelRule]) -> list[LabelRule]:
        """Join the rules of labels that exclude each other, such as those of nominal and clausal
        subjects: a word has at most one dependent with any of these labels.

        Labels exclude each other if words hardly ever have both, although words with the same label
        and part of speech often have either.
        """
        siblings: Counter[_Siblings] = Counter()
        together: Counter[tuple[str, str]] = Counter()
        n_heads: Counter[tuple[str, str]] = Counter()
        n_with: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
        for (head, labels), n in self._families.items():
            siblings[labels] += n
            n_heads[head] += n
            for label in {*labels}:
                n_with[label][head] += n
            together.update(dict.fromkeys(combinations(dict.fromkeys(labels), 2), n))

        def deficit(first: LabelRule, second: LabelRule) -> float:
            pairs = [*product(first.labels, second.labels)]
            observed = sum(together[min(pair), max(pair)] for pair in pairs)
            expected = sum(
                n * n_with[other][head] / n_heads[head]
                for label, other in pairs
                for head, n in n_with[label].items()
            )
            is_exclusive = expected >= LEAST_EXPECTED and observed <= MOST_TOGETHER * expected
            return expected - observed if is_exclusive else 0.0

        # Subtypes of one label are joined first, because there is more evidence about all of them.
        for of_one_kind in (True, False):
            groups = [[rule] for rule in rules]
            pairs = [
                pair
                for pair in combinations(rules, 2)
                if not of_one_kind or len({without_subtype(one.labels[0]) for one in pair}) == 1
            ]
            for parts in sorted(pairs, key=lambda pair: -deficit(*pair)):
                first, second = (next(one for one in groups if part in one) for part in parts)
                if first is second or not all(starmap(deficit, product(first, second))):
                    continue
                rule = _unique_rule(_labels([*first, *second]), siblings)
                if _holds(rule.cases, rule.exceptions, MOST_EXCEPTIONS):
                    first += second
                    groups.remove(second)
            rules = [_unique_rule(_labels(group), siblings) for group in groups]
        return rules

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


def _unique_rule(labels: tuple[str, ...], all_siblings: Mapping[_Siblings, int]) -> LabelRule:
    cases = exceptions = 0
    for siblings, n in all_siblings.items():
        n_own = sum(label in labels for label in siblings)
        cases += n * (n_own > 0)
        exceptions += n * (n_own > 1)
    return LabelRule("unique", labels, (), cases, exceptions)


def _labels(rules: Iterable[LabelRule]) -> tuple[str, ...]:
    return tuple(label for rule in rules for label in rule.labels)


def _repetitions(labels: tuple[str, ...], all_siblings: Mapping[_Siblings, int]) -> Counter[str]:
    """Count the exceptions to a rule for unique labels in which each label occurs."""
    found: Counter[str] = Counter()
    for siblings, n in all_siblings.items():
        own = [label for label in siblings if label in labels]
        if len(own) > 1:
            found.update(dict.fromkeys(own, n))
    return found


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
