"""What a treebank says of lemmas: the words that it has."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple


class Word(NamedTuple):
    """What the lemma of a word depends on. Tags that are not known are empty.

    Attributes:
        form: Its form.
        upos: UPOS.
        xpos: XPOS.
        feats: FEATS, as CoNLL-U has them.
    """

    form: str
    upos: str = ""
    xpos: str = ""
    feats: str = ""


Key = tuple[str, ...]
Levels = tuple[Callable[[Word], Key], ...]
# From the most tags to the fewest. Tags are predicted: a form that the treebank has with other tags
# only may have been tagged wrongly, and has the lemma of the closest tags.
_LEVELS: Levels = (
    lambda word: word,
    lambda word: (word.form, word.upos, word.feats),
    lambda word: (word.form, word.upos),
    lambda word: (word.form.lower(), word.upos),
    lambda word: (word.form,),
)
# Levels that are not looked up where this one has an entry of the same word.
_COMPLETE = 3


class LemmaTable:
    """The most frequent lemma of each word of a treebank.

    A word that the treebank does not have with these tags has the lemma of the form with this part
    of speech, in this case or else in lower case, or of the form alone.

    Args:
        counts: How often each word has each lemma in the treebank.
    """

    def __init__(self, counts: Mapping[tuple[Word, str], int]):
        self._counts = dict(counts)
        self._entries: list[dict[Key, str]] | None = None
        self._parts_of_speech: defaultdict[str, set[str]] = defaultdict(set)
        for word, lemma in self._counts:
            self._parts_of_speech[lemma].add(word.upos)

    @property
    def counts(self) -> Mapping[tuple[Word, str], int]:
        """How often each word has each lemma."""
        return self._counts

    def add(self, pairs: Iterable[tuple[Word, str]]) -> None:
        """Add words with their lemmas, as if the treebank had each once; those that it has do not
        count.

        Args:
            pairs: The words and their lemmas.
        """
        for word, lemma in pairs:
            if (word, lemma) not in self._counts:
                self._counts[word, lemma] = 1
                self._parts_of_speech[lemma].add(word.upos)
                self._entries = None

    def look_up(self, word: Word) -> str | None:
        """Look the lemma of a word up.

        Args:
            word: The word.

        Returns:
            Its lemma; None if the treebank does not have the form.
        """
        if self._entries is None:
            self._entries = _make_entries(self._counts)
        # A form that the treebank does not have is looked up in lower case only.
        start = 0 if (word.form,) in self._entries[-1] else _COMPLETE
        for level, entries in zip(_LEVELS[start:], self._entries[start:], strict=True):
            lemma = entries.get(level(word))
            if lemma is not None:
                return lemma
        return None

    def has_lemma(self, lemma: str, upos: str) -> bool:
        """Tell whether a word of the treebank has a lemma.

        Args:
            lemma: The lemma.
            upos: The part of speech that the word must have; if empty, any.
        """
        found = self._parts_of_speech.get(lemma)
        return found is not None and (not upos or upos in found)


def _make_entries(counts: Mapping[tuple[Word, str], int]) -> list[dict[Key, str]]:
    """The lemmas at each level. Most forms have one: an entry that says the same as those that are
    looked up after it is left out."""
    made: list[dict[Key, str]] = []
    for number in reversed(range(len(_LEVELS))):
        level = _LEVELS[number]
        found: defaultdict[Key, Counter[str]] = defaultdict(Counter)
        words = {}
        for (word, lemma), count in counts.items():
            key = level(word)
            found[key][lemma] += count
            words[key] = word
        best = {key: max(lemmas, key=_preference(lemmas)) for key, lemmas in found.items()}
        if number < _COMPLETE:
            best = {
                key: lemma
                for key, lemma in best.items()
                if lemma != _first(made, _LEVELS[number + 1 :], words[key])
            }
        made.insert(0, best)
    return made


def _first(made: list[dict[Key, str]], levels: Levels, word: Word) -> str:
    """The lemma of a word of the treebank at the first of some levels that has one."""
    return next(
        entries[key]
        for entries, level in zip(made, levels, strict=True)
        if (key := level(word)) in entries
    )


def _preference(lemmas: Mapping[str, int]) -> Callable[[str], tuple[int, int, str]]:
    """The most frequent lemma, and of several the shortest, is the largest."""
    return lambda lemma: (lemmas[lemma], -len(lemma), lemma)
