"""Rules that split multiword tokens into syntactic words.

One of the words, the stem, is what the token is without its affixes: these, or what they replace
of the stem, are the other words. -u is -e le in French "du", -ki a word in Turkish "evdeki", ha- a
word in Hebrew "habayit".
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import accumulate, pairwise
from typing import NamedTuple

MultiwordToken = tuple[str, tuple[str, ...]]


def lower(form: str) -> str:
    """The form in lower case, as long as before: the lower case of İ has two characters."""
    low = form.lower()
    # The lower case of Σ depends on what follows.
    if len(low) == len(form) and "Σ" not in form:
        return low
    return "".join(char.lower()[:1] for char in form)


class Rule(NamedTuple):
    """How a multiword token is split, in lower case.

    Attributes:
        prefix: The beginning of the token that the rule replaces.
        suffix: The end that it replaces.
        before: The words before the stem.
        beginning: Of the stem, instead of the prefix.
        ending: Of the stem, instead of the suffix.
        after: The words after the stem.
    """

    prefix: str
    suffix: str
    before: tuple[str, ...]
    beginning: str
    ending: str
    after: tuple[str, ...]

    def stem(self, form: str) -> str:
        """The stem in a token that has prefix and suffix."""
        kept = form[len(self.prefix) : len(form) - len(self.suffix)]
        return self.beginning + kept + self.ending

    def split(self, form: str) -> tuple[str, ...]:
        """The words of a token that has prefix and suffix. They have the capitals of the token if
        they spell it, else its case: upper, or title for the first word."""
        words = (*self.before, self.stem(form), *self.after)
        if lower("".join(words)) == lower(form):
            bounds = accumulate(map(len, words), initial=0)
            return tuple(form[start:end] for start, end in pairwise(bounds))
        if form.isupper() and len(form) > 1:
            return tuple(word.upper() for word in words)
        if form[:1].isupper():
            return (words[0][:1].upper() + words[0][1:], *words[1:])
        return words


def choose_rules(tokens: Iterable[MultiwordToken]) -> dict[MultiwordToken, Rule]:
    """Choose a rule for each multiword token of a treebank: of all that split it, the one that
    splits most different tokens, so that it may split unknown ones.

    Args:
        tokens: The tokens, each with its words.

    Returns:
        Their rules, by tokens and words in lower case.
    """
    possible = {token: list(_rules(*token)) for token in map(lowered, tokens)}
    counts = Counter(rule for rules in possible.values() for rule in set(rules))
    return {token: max(rules, key=counts.__getitem__) for token, rules in possible.items()}


def lowered(token: MultiwordToken) -> MultiwordToken:
    """A multiword token and its words in lower case."""
    form, words = token
    return lower(form), tuple(map(lower, words))


def _rules(form: str, words: Sequence[str]) -> Iterator[Rule]:
    """The rules that split a token: first by its suffix only, then by its prefix only, then with
    the longest stem of each word."""
    last = len(words) - 1
    yield _rule(form, words, 0, 0, 0, len(os.path.commonprefix([form, words[0]])))
    size = len(os.path.commonprefix([form[::-1], words[last][::-1]]))
    yield _rule(form, words, last, len(form) - size, len(words[last]) - size, size)
    for i, word in enumerate(words):
        yield _rule(
            form, words, i, *SequenceMatcher(None, form, word, autojunk=False).find_longest_match()
        )


def _rule(form: str, words: Sequence[str], i: int, place: int, start: int, size: int) -> Rule:
    """The rule by which the stem is the i-th word, and has `size` characters of the token: from
    `place` in the token and from `start` in the word."""
    return Rule(
        form[:place],
        form[place + size :],
        tuple(words[:i]),
        words[i][:start],
        words[i][start + size :],
        tuple(words[i + 1 :]),
    )
