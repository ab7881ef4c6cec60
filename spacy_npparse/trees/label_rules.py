"""Rules that the labels of a treebank obey.

The only assumption about labels is that subtypes follow a colon. A rule is about a label with all
its subtypes, or about one of these. `LabelCounts` learns rules from trees.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from spacy_npparse.checks import check_choice, check_type

RuleKind: TypeAlias = Literal["unique", "before", "behind", "dependents", "upos"]
_EXCLUDING = ("dependents", "upos")

# The share of the cases of a rule that may be errors of the treebank.
TOLERANCE = 0.002
# In nats. The cost is low because parts of speech are predicted and can be wrong.
COST_OF_UPOS = 0.5
# Other trees contradict a rule if they break it more than this number of times, and more often by
# this factor than the treebank that it was learnt from.
MOST_ERRORS = 3
_SUBTYPE = ":"


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


def without_subtype(label: str) -> str:
    """Remove the subtype of a label.

    Args:
        label: The label.
    """
    return label.partition(_SUBTYPE)[0] or label
