"""New forms of lemmas that a treebank has: what the endings of forms are replaced by."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from spacy_npparse.lemmas.word import Word


class Endings:
    """The endings of the forms of a treebank, and those of their lemmas.

    The ending of a form is what follows the longest prefix that it shares with its lemma. A form
    that the treebank does not have is one of a lemma that it has if one ending replaced by another
    makes this lemma, as in another word with the same part of speech. Upper case is lower case.

    Args:
        pairs: Words and their lemmas.

    Source: rules of endings that are checked against a lexicon of lemmas, Mikheev (1997).
    """

    def __init__(self, pairs: Iterable[tuple[Word, str]]):
        # By parts of speech. Of lemmas that differ in their case only, none is found.
        self._lemmas: defaultdict[str, dict[str, str]] = defaultdict(dict)
        self._endings: defaultdict[str, defaultdict[str, set[str]]] = defaultdict(
            lambda: defaultdict(set)
        )
        for word, lemma in pairs:
            form, low = word.form.lower(), lemma.lower()
            place = _common_prefix(form, low)
            self._endings[word.upos][form[place:]].add(low[place:])
            lemmas = self._lemmas[word.upos]
            lemmas[low] = lemma if lemmas.get(low, lemma) == lemma else ""
        self._longest = {upos: max(map(len, endings)) for upos, endings in self._endings.items()}

    def find(self, word: Word) -> str:
        """Find the lemma that a form is one of.

        Args:
            word: The form and its part of speech.

        Returns:
            The lemma; empty if there is none, or if there are several.
        """
        if word.upos not in self._longest:
            return ""
        form, lemmas = word.form.lower(), self._lemmas[word.upos]
        get = self._endings[word.upos].get
        found = set()
        for place in range(max(0, len(form) - self._longest[word.upos]), len(form) + 1):
            for ending in get(form[place:], ()):
                lemma = form[:place] + ending
                if lemma in lemmas:
                    found.add(lemma)
        return lemmas[found.pop()] if len(found) == 1 else ""


def _common_prefix(one: str, two: str) -> int:
    """The length of the longest prefix that two strings share."""
    for place, (char, other) in enumerate(zip(one, two, strict=False)):
        if char != other:
            return place
    return min(len(one), len(two))
