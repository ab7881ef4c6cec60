"""Learning of label rules from the trees of a treebank.

A rule is learnt if the treebank has enough cases in which the rule could be broken, and breaks it
in hardly any of them: treebanks have errors. A label that is unique with few exceptions has a rule
as well, which trees may break at a cost. Unique labels that exclude each other, such as those of
nominal and of clausal subjects, share a rule.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, groupby, product, starmap
from typing import Any, TypeAlias

from spacy_npparse.trees.label_rules import TOLERANCE, LabelRule, RuleKind, without_subtype

# The number of cases that a rule needs.
EVIDENCE = 20
# Unique labels may have exceptions, and labels that exclude each other may occur together, if this
# happens at most in this share of the cases that chance predicts.
MOST_OF_CHANCE = 0.2
# A label of dependents or a part of speech is excluded only if chance predicts so many cases.
LEAST_EXPECTED = 5.0
# The maximum average number of dependents of words whose label is that of function words.
MOST_DEPENDENTS = 0.1

# Label, label of the head, whether the word is before its head, and the part of speech of the word.
_Arc: TypeAlias = tuple[str, str, bool, str]
# The label and the part of speech of a word.
_Head: TypeAlias = tuple[str, str]
# The labels, sorted, of all dependents of a word.
_Siblings: TypeAlias = tuple[str, ...]


class LabelCounts:
    """Counts of the labels in trees, from which rules are learnt."""

    def __init__(self) -> None:
        self._words: Counter[str] = Counter()
        self._arcs: Counter[_Arc] = Counter()
        self._families: Counter[tuple[_Head, _Siblings]] = Counter()

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

    def cases(self, rule: LabelRule) -> tuple[int, int]:
        """Count how often the trees obey a rule.

        Args:
            rule: The rule.

        Returns:
            The number of times that the trees could have broken the rule, and that they have.
        """
        labels, excluded = {*rule.labels}, {*rule.excluded}
        match rule.kind:
            case "unique":
                families = self._families.items()
                return _unique_cases(labels, ((siblings, n) for (_, siblings), n in families))
            case "dependents":
                of_head = [(arc, n) for arc, n in self._arcs.items() if arc[1] in labels]
                cases = sum(self._words[label] for label in labels)
                return cases, sum(n for arc, n in of_head if arc[0] in excluded)
        own = [(arc, n) for arc, n in self._arcs.items() if arc[0] in labels]
        if rule.kind == "upos":
            cases = sum(n for arc, n in own if arc[3])
            return cases, sum(n for arc, n in own if arc[3] in excluded)
        is_before = rule.kind == "before"
        return sum(n for _, n in own), sum(n for arc, n in own if arc[2] != is_before)

    def _unique(self) -> list[LabelRule]:
        by_kind: dict[str, Counter[_Siblings]] = defaultdict(Counter)
        for (_, siblings), n in self._families.items():
            for kind, own in groupby(sorted(siblings, key=without_subtype), without_subtype):
                by_kind[kind][tuple(own)] += n
        chance = _Chance(self._families)
        found: list[LabelRule] = []
        done: set[str] = set()
        for with_exceptions, kind_labels in product((False, True), self._kinds):
            labels = tuple(label for label in kind_labels if label not in done)
            # Subtypes can be exceptions, as outer subjects are.
            while labels:
                siblings_of_kind = by_kind[without_subtype(labels[0])]
                rule = _unique_rule(labels, siblings_of_kind, chance)
                if _is_unique(rule) if with_exceptions else _holds(rule.cases, rule.exceptions):
                    found.append(rule)
                    done.update(labels)
                    break
                repeated = _repetitions(labels, siblings_of_kind)
                worst = max(labels, key=lambda label: (repeated[label] / self._words[label], label))
                labels = tuple(label for label in labels if label != worst)
        return self._joined(found, chance)

    def _joined(self, rules: list[LabelRule], chance: _Chance) -> list[LabelRule]:
        """Join the rules of labels that exclude each other, such as those of nominal and clausal
        subjects: a word has at most one dependent with any of these labels.

        Labels exclude each other if words hardly ever have both, although words with the same label
        and part of speech often have either.
        """
        siblings: Counter[_Siblings] = Counter()
        together: Counter[tuple[str, str]] = Counter()
        for (_, labels), n in self._families.items():
            siblings[labels] += n
            together.update(dict.fromkeys(combinations(dict.fromkeys(labels), 2), n))

        def deficit(first: LabelRule, second: LabelRule) -> float:
            pairs = [*product(first.labels, second.labels)]
            observed = sum(together[min(pair), max(pair)] for pair in pairs)
            expected = sum(starmap(chance.together, pairs))
            is_exclusive = expected >= LEAST_EXPECTED and observed <= MOST_OF_CHANCE * expected
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
                if _is_unique(_unique_rule(_labels([*first, *second]), siblings, chance)):
                    first += second
                    groups.remove(second)
            rules = [_unique_rule(_labels(group), siblings, chance) for group in groups]
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


class _Chance:
    """The numbers of words that would have several dependents with some labels if the dependents
    with each label were distributed at random over the words of each label and part of speech."""

    def __init__(self, families: Mapping[tuple[_Head, _Siblings], int]):
        self._heads: Counter[_Head] = Counter()
        self._heads_with: dict[str, Counter[_Head]] = defaultdict(Counter)
        self._dependents: dict[str, Counter[_Head]] = defaultdict(Counter)
        for (head, labels), n in families.items():
            self._heads[head] += n
            for label, n_own in Counter(labels).items():
                self._heads_with[label][head] += n
                self._dependents[label][head] += n * n_own

    def together(self, label: str, other: str) -> float:
        """The expected number of words that have dependents with both labels."""
        of_other = self._heads_with[other]
        return sum(
            n * of_other[head] / self._heads[head] for head, n in self._heads_with[label].items()
        )

    def repeated(self, labels: Iterable[str]) -> float:
        """The expected number of words that have several dependents with any of the labels: of
        each kind of words, these numbers of dependents have a Poisson distribution."""
        found = 0.0
        for head, n in sum((self._dependents[label] for label in labels), Counter()).items():
            mean = n / self._heads[head]
            found += self._heads[head] * (1 - math.exp(-mean) * (1 + mean))
        return found


def _is_unique(rule: LabelRule) -> bool:
    is_rare = rule.exceptions <= MOST_OF_CHANCE * rule.expected
    return _holds(rule.cases, rule.exceptions) or (rule.cases >= EVIDENCE and is_rare)


def _unique_rule(
    labels: tuple[str, ...], all_siblings: Mapping[_Siblings, int], chance: _Chance
) -> LabelRule:
    cases, exceptions = _unique_cases(labels, all_siblings.items())
    return LabelRule("unique", labels, (), cases, exceptions, round(chance.repeated(labels), 1))


def _unique_cases(
    labels: Collection[str], all_siblings: Iterable[tuple[_Siblings, int]]
) -> tuple[int, int]:
    """Count the words that have a dependent with one of the labels, and that have several."""
    cases = exceptions = 0
    for siblings, n in all_siblings:
        n_own = sum(label in labels for label in siblings)
        cases += n * (n_own > 0)
        exceptions += n * (n_own > 1)
    return cases, exceptions


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


def _holds(cases: int, exceptions: int) -> bool:
    return cases >= EVIDENCE and exceptions <= TOLERANCE * cases
