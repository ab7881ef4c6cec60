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
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby, product, starmap
from typing import Any, Literal, TypeAlias, get_args

from spacy_npparse.checks import check_choice, check_type

RuleKind: TypeAlias = Literal["unique", "before", "behind", "dependents", "upos"]
_EXCLUDING = ("dependents", "upos")

# The number of cases that a rule needs, and the share of them that may be errors of the treebank.
EVIDENCE = 20
TOLERANCE = 0.002
# Unique labels may have exceptions, and labels that exclude each other may occur together, if this
# happens at most in this share of the cases that chance predicts.
MOST_OF_CHANCE = 0.2
# In nats. The cost is low because parts of speech are predicted and can be wrong.
COST_OF_UPOS = 0.5
# Other trees contradict a rule if they break it more than this number of times, and more often by
# this factor than the treebank that it was learnt from.
MOST_ERRORS = 3
# A label of dependents or a part of speech is excluded only if chance predicts so many cases.
LEAST_EXPECTED = 5.0
# The maximum average number of dependents of words whose label is that of function words.
MOST_DEPENDENTS = 0.1
_SUBTYPE = ":"

# Label, label of the head, whether the word is before its head, and the part of speech of the word.
_Arc: TypeAlias = tuple[str, str, bool, str]
# The label and the part of speech of a word.
_Head: TypeAlias = tuple[str, str]
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
        expected: The number of times that chance would break a rule of unique labels, with one
            decimal; 0 if unknown, and for the other kinds.
    """

    kind: RuleKind
    labels: tuple[str, ...]
    excluded: tuple[str, ...] = ()
    cases: int = 0
    exceptions: int = 0
    expected: float = 0.0

    @property
    def cost(self) -> float:
        """The cost, in nats, of each violation by the labels of a tree. It is infinite unless
        the treebank has real exceptions or the rule is about parts of speech. The cost of an
        exception is the logarithm of how many times rarer exceptions are than by chance, because
        the network scores each label as if it were independent of the others. If this is unknown,
        each case is expected to be an exception."""
        if self.kind == "upos":
            return COST_OF_UPOS
        if self.exceptions <= TOLERANCE * self.cases or self.kind == "dependents":
            return math.inf
        expected = self.expected or self.cases
        return max(math.log(expected / self.exceptions), 0.0) if expected else 0.0

    def is_contradicted(self, cases: int, exceptions: int) -> bool:
        """Check whether other trees contradict the rule. A rule without counts is never
        contradicted, because a person has made it.

        Args:
            cases: The number of times that the trees could have broken the rule.
            exceptions: The number of times that they have broken it.
        """
        if not self.cases:
            return False
        rate = max(TOLERANCE, self.exceptions / self.cases)
        return exceptions > MOST_ERRORS * (1 + rate * cases)

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
                f"{where} has {', '.join(unknown)}; a rule has kind, labels, excluded, cases, "
                "exceptions and expected."
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
        cases, exceptions = (data.get(key, 0) for key in ("cases", "exceptions"))
        expected = data.get("expected", 0.0)
        for key, value, of_type in (
            ("cases", cases, int),
            ("exceptions", exceptions, int),
            ("expected", expected, float),
        ):
            check_type(f"{where}.{key}", value, of_type)
        # JSON does not keep all digits.
        expected = round(expected, 1)
        return cls(data["kind"], tuple(labels), tuple(excluded), cases, exceptions, expected)

    def to_json(self) -> dict[str, Any]:
        """Return the dictionary that `from_json` reads."""
        found: dict[str, Any] = {"kind": self.kind, "labels": list(self.labels)}
        if self.excluded:
            found["excluded"] = list(self.excluded)
        found |= {"cases": self.cases, "exceptions": self.exceptions}
        if self.expected:
            found["expected"] = self.expected
        return found


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


def without_subtype(label: str) -> str:
    """Remove the subtype of a label.

    Args:
        label: The label.
    """
    return label.partition(_SUBTYPE)[0] or label
