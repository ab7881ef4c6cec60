"""Rules that split multiword tokens into syntactic words.

A rule removes a prefix and a suffix of the token. The rest, with a new beginning and ending if the
rule has them, is one of the words, the stem. Other words stand before and after it: French "du" is
"de le", Turkish "evdeki" is "evde ki", and Hebrew "habayit" is "ha bayit".
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
    """Lower a form without changing its length, although İ has two characters in lower case."""
    low = form.lower()
    # The lower case of Σ depends on what follows.
    if len(low) == len(form) and "Σ" not in form:
        return low
    return "".join(char.lower()[:1] for char in form)


class Rule(NamedTuple):
    """A rule that splits multiword tokens in lower case.

    Attributes:
        prefix: The beginning of the token that the rule replaces.
        suffix: The end of the token that the rule replaces.
        before: The words before the stem.
        beginning: The beginning of the stem, in place of the prefix.
        ending: The end of the stem, in place of the suffix.
        after: The words after the stem.
    """

    prefix: str
    suffix: str
    before: tuple[str, ...]
    beginning: str
    ending: str
    after: tuple[str, ...]

    def stem(self, form: str) -> str:
        """Find the stem in a token that has the prefix and the suffix."""
        kept = form[len(self.prefix) : len(form) - len(self.suffix)]
        return self.beginning + kept + self.ending

    def split(self, form: str) -> tuple[str, ...]:
        """Split a token that has the prefix and the suffix. If the words spell the token, they keep
        its capitals. Otherwise they copy its case: all upper, or a capital first letter."""
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
    """Choose a rule for each multiword token of a treebank: the one that splits the most distinct
    tokens, because it is the most likely to split unknown ones.

    Args:
        tokens: The tokens, each with its words.

    Returns:
        The rules, by tokens and words in lower case.
    """
    possible = {token: list(_rules(*token)) for token in map(lowered, tokens)}
    counts = Counter(rule for rules in possible.values() for rule in set(rules))
    return {token: max(rules, key=counts.__getitem__) for token, rules in possible.items()}


def lowered(token: MultiwordToken) -> MultiwordToken:
    """Lower a multiword token and its words."""
    form, words = token
    return lower(form), tuple(map(lower, words))


def _rules(form: str, words: Sequence[str]) -> Iterator[Rule]:
    """Yield rules that split a token: by its suffix only, by its prefix only, and with each word
    as the stem, as long as possible."""
    last = len(words) - 1
    yield _rule(form, words, 0, 0, 0, len(os.path.commonprefix([form, words[0]])))
    size = len(os.path.commonprefix([form[::-1], words[last][::-1]]))
    yield _rule(form, words, last, len(form) - size, len(words[last]) - size, size)
    for i, word in enumerate(words):
        yield _rule(
            form, words, i, *SequenceMatcher(None, form, word, autojunk=False).find_longest_match()
        )


def _rule(form: str, words: Sequence[str], i: int, place: int, start: int, size: int) -> Rule:
    """Make the rule whose stem is the i-th word. Both share `size` characters: from `place` in the
    token and from `start` in the word."""
    return Rule(
        form[:place],
        form[place + size :],
        tuple(words[:i]),
        words[i][:start],
        words[i][start + size :],
        tuple(words[i + 1 :]),
    )
