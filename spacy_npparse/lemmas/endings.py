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
        self._endings: defaultdict[str, dict[str, set[str]]] = defaultdict(dict)
        for word, lemma in pairs:
            form, low = word.form.lower(), lemma.lower()
            place = _common_prefix(form, low)
            endings, lemmas = self._endings[word.upos], self._lemmas[word.upos]
            endings.setdefault(form[place:], set()).add(low[place:])
            # The ends of endings are there, too: a search is over at the first that is not.
            for end in range(place + 1, len(form) + 1):
                endings.setdefault(form[end:], set())
            lemmas[low] = lemma if lemmas.get(low, lemma) == lemma else ""

    def find(self, word: Word) -> str:
        """Find the lemma that a form is one of.

        Args:
            word: The form and its part of speech.

        Returns:
            The lemma; empty if there is none, or if there are several.
        """
        if word.upos not in self._lemmas:
            return ""
        form, lemmas, endings = word.form.lower(), self._lemmas[word.upos], self._endings[word.upos]
        found = set()
        for place in range(len(form), -1, -1):
            replacements = endings.get(form[place:])
            if replacements is None:
                break
            for ending in replacements:
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
