"""Recognition of new forms of known lemmas by their endings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from os.path import commonprefix

from spacy_npparse.lemmas.word import Word


class Endings:
    """The endings of the forms of a treebank and of their lemmas.

    The ending of a form is what follows the longest prefix that it shares with its lemma. A form
    that does not occur in the treebank belongs to a lemma that does if the replacement of one
    ending by another, as in another word with the same part of speech, results in this lemma. Case
    is ignored.

    Args:
        pairs: Pairs of a word and its lemma.

    Source: Mikheev (1997), rules of endings that are checked against a lexicon of lemmas.
    """

    def __init__(self, pairs: Iterable[tuple[Word, str]]):
        # By part of speech. Lemmas that differ only in case are excluded.
        self._lemmas: defaultdict[str, dict[str, str]] = defaultdict(dict)
        self._endings: defaultdict[str, dict[str, set[str]]] = defaultdict(dict)
        for word, lemma in pairs:
            form, low = word.form.lower(), lemma.lower()
            place = len(commonprefix([form, low]))
            endings, lemmas = self._endings[word.upos], self._lemmas[word.upos]
            endings.setdefault(form[place:], set()).add(low[place:])
            lemmas[low] = lemma if lemmas.get(low, lemma) == lemma else ""
        self._longest = max((len(one) for by in self._endings.values() for one in by), default=0)

    def find(self, word: Word) -> str:
        """Find the known lemma of a new form.

        Args:
            word: The form and its part of speech.

        Returns:
            The lemma; empty if there is none or several.
        """
        if word.upos not in self._lemmas:
            return ""
        form, lemmas, endings = word.form.lower(), self._lemmas[word.upos], self._endings[word.upos]
        found = set()
        for place in range(max(0, len(form) - self._longest), len(form) + 1):
            for ending in endings.get(form[place:], ()):
                lemma = form[:place] + ending
                if lemma in lemmas:
                    found.add(lemma)
        return lemmas[found.pop()] if len(found) == 1 else ""
