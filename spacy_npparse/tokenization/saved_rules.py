"""Loading of saved rules of multiword tokens. Rules that would make empty words, or that no
training makes, are rejected."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from spacy_npparse.tokenization.rules import Rule
from spacy_npparse.treebank.raw_text import form


def load_rules(saved: Sequence[Any]) -> list[Rule]:
    """Read rules.

    Args:
        saved: The rules, each as a list of its parts.

    Returns:
        The rules.

    Raises:
        ValueError: A rule is malformed.
    """
    return [_rule(number, *parts) for number, parts in enumerate(saved, 1)]


def load_numbers(saved: Mapping[Any, Any]) -> dict[str, Any]:
    """Read the counts of words.

    Args:
        saved: The counts by word.

    Returns:
        The same counts.

    Raises:
        ValueError: A count is not a number, or its key is not a word.
    """
    if "" in saved:
        raise ValueError("its multiword has a count of an empty word")
    return _numbers(saved)


def load_strings(saved: Any) -> list[str]:
    """Read strings that look like addresses.

    Args:
        saved: The strings.

    Returns:
        The same strings.

    Raises:
        ValueError: This is no list of strings.
    """
    if not isinstance(saved, list) or not all(isinstance(text, str) for text in saved):
        raise ValueError("its no_addresses is no list of strings")
    return saved


def load_weights(saved: Any, n_rules: int) -> list[dict[str, float]]:
    """Read the weights of features.

    Args:
        saved: The weights by the name of the feature, those of all rules together and of each rule.
            Versions up to 0.2 saved all of them together, with the number of the rule before the
            name.
        n_rules: The number of rules.

    Returns:
        The weights of all rules together, followed by those of each rule.

    Raises:
        ValueError: A weight is not a number, or its key is not a feature.
    """
    if isinstance(saved, Mapping):
        saved = _by_rule(load_numbers(saved), n_rules)
    if len(saved) != n_rules + 1:
        raise ValueError(f"its multiword has weights of {len(saved) - 1} rules, not of {n_rules}")
    return [_numbers(one) for one in saved]


def _by_rule(saved: Mapping[str, float], n_rules: int) -> list[dict[str, float]]:
    weights: list[dict[str, float]] = [{} for _ in range(n_rules + 1)]
    for name, weight in saved.items():
        if name[0].isdigit():
            number, _, feature = name.partition(" ")
            weights[int(number) + 1][feature] = weight
        else:
            weights[0][name] = weight
    return weights


def _numbers(saved: Mapping[Any, Any]) -> dict[str, Any]:
    values = saved.values()
    are_numbers = {*map(type, values)} <= {int, float} and all(map(math.isfinite, values))
    if not (are_numbers and {*map(type, saved)} <= {str}):
        raise ValueError(
            "its multiword has a value that is not a number, or a name that is not a string"
        )
    return dict(saved)


def _rule(
    number: int, prefix: str, suffix: str, before: Any, beginning: str, ending: str, after: Any
) -> Rule:
    where = f"its multiword has a rule ({number})"
    others = [*before, *after]
    if isinstance(before, str) or isinstance(after, str) or not others:
        raise ValueError(f"{where} that adds no word to the stem")
    if not all(isinstance(text, str) for text in (prefix, suffix, beginning, ending, *others)):
        raise ValueError(f"{where} with words that are not strings")
    if not all(map(form, others)):
        raise ValueError(f"{where} that adds an empty word")
    if any(form(word) != word for word in others):
        raise ValueError(f"{where} that adds a word with white space other than single spaces")
    return Rule(prefix, suffix, tuple(before), beginning, ending, tuple(after))
