"""The saved rules of multiword tokens, as they are loaded: those that would make empty words, and
whatever else no training makes, are refused."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from spacy_npparse.tokenization.rules import Rule
from spacy_npparse.treebank.raw_text import form


def load_rules(saved: Sequence[Any]) -> list[Rule]:
    """Read rules.

    Args:
        saved: Each as a list of its parts.

    Returns:
        The rules.

    Raises:
        ValueError: One of them is none.
    """
    return [_rule(number, *parts) for number, parts in enumerate(saved, 1)]


def load_numbers(saved: Mapping[Any, Any]) -> dict[str, Any]:
    """Read the counts of words, or the weights of features.

    Args:
        saved: Numbers by the names of what they belong to.

    Returns:
        The same.

    Raises:
        ValueError: One of them is no number, or belongs to nothing.
    """
    values = saved.values()
    are_names = {*map(type, saved)} <= {str} and "" not in saved
    are_numbers = {*map(type, values)} <= {int, float} and all(map(math.isfinite, values))
    if not (are_names and are_numbers):
        raise ValueError("its multiword has something else instead of a number, or of its name")
    return dict(saved)


def _rule(
    number: int, prefix: str, suffix: str, before: Any, beginning: str, ending: str, after: Any
) -> Rule:
    where = f"its multiword has a rule ({number})"
    others = [*before, *after]
    if isinstance(before, str) or isinstance(after, str) or not others:
        raise ValueError(f"{where} that gives no word beside the stem")
    if not all(isinstance(text, str) for text in (prefix, suffix, beginning, ending, *others)):
        raise ValueError(f"{where} with words that are no text")
    if not all(map(form, others)):
        raise ValueError(f"{where} that gives an empty word")
    if any(form(word) != word for word in others):
        raise ValueError(f"{where} that gives a word with other white space than single spaces")
    return Rule(prefix, suffix, tuple(before), beginning, ending, tuple(after))
