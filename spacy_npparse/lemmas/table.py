"""The lemmas of words that occur in a treebank."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from typing import Any

from spacy_npparse.lemmas.endings import Endings
from spacy_npparse.lemmas.word import Word

Key = tuple[str, ...]
Levels = tuple[Callable[[Word], Key], ...]
# From the most tags to the fewest. Tags are predicted, so a form that the treebank has only with
# other tags may have been tagged wrongly. It gets the lemma of the closest tags.
_LEVELS: Levels = (
    lambda word: word,
    lambda word: (word.form, word.upos, word.feats),
    lambda word: (word.form, word.upos),
    lambda word: (word.form.lower(), word.upos),
    lambda word: (word.form,),
)
# The first level with an entry for each word of the treebank.
_COMPLETE = 3


class LemmaTable:
    """The most frequent lemma of each word of a treebank.

    A word that does not occur with the same tags has the lemma of its form with the same part of
    speech, in the same case or else in lower case, or of its form alone. A form that does not occur
    at all may be another form of a known lemma, see `Endings`.

    Args:
        counts: The number of times that each word has each lemma in the treebank.
    """

    def __init__(self, counts: Mapping[tuple[Word, str], int]):
        self._counts = dict(counts)
        self._changing: set[Word] = set()
        self._first_counts: dict[tuple[Word, str], int] = {}
        self._index: _Index | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        # The index contains functions that cannot be pickled.
        return LemmaTable, (self._counts,)

    @property
    def counts(self) -> Mapping[tuple[Word, str], int]:
        """The number of times that each word has each lemma."""
        return self._counts

    def add(self, counts: Mapping[tuple[Word, str], int]) -> None:
        """Count new words with their lemmas, and known words from the first time that they have a
        new lemma. Other words are not counted again, because nothing new is learnt about them.

        Args:
            counts: The number of times that each word has each lemma.
        """
        self._changing.update(word for word, lemma in counts if (word, lemma) not in self._counts)
        for pair, count in counts.items():
            if pair[0] in self._changing:
                self._first_counts.setdefault(pair, self._counts.get(pair, count))
                self._counts[pair] = self._counts.get(pair, 0) + count
                self._index = None

    def frequency(self, word: Word, lemma: str) -> int:
        """Return the number of times that a word has a lemma, without those of repeated passes over
        the data of a further training.

        Args:
            word: A word that has been counted.
            lemma: Its lemma.
        """
        return self._first_counts.get((word, lemma), self._counts[word, lemma])

    def find(self, word: Word) -> str:
        """Find the lemma of a word.

        Args:
            word: The word.

        Returns:
            The lemma; empty if the treebank has neither the form nor a lemma that `Endings` finds.
        """
        if self._index is None:
            self._index = _Index(self._counts)
        return self._index.find(word)


class _Index:
    """An index of words by levels. counts: see `LemmaTable`."""

    def __init__(self, counts: Mapping[tuple[Word, str], int]):
        entries = _make_entries(counts)
        self._levels = list(zip(_LEVELS, entries, strict=True))
        self._complete_levels = self._levels[_COMPLETE:]
        # Forms with entries at earlier levels.
        self._varied = {key[0] for found in entries[:_COMPLETE] for key in found}
        self._endings = Endings(counts)

    def find(self, word: Word) -> str:
        levels = self._levels if word.form in self._varied else self._complete_levels
        for level, entries in levels:
            lemma = entries.get(level(word))
            if lemma:
                return lemma
        return self._endings.find(word)


def _make_entries(counts: Mapping[tuple[Word, str], int]) -> list[dict[Key, str]]:
    """Make the entries of each level. Most forms have only one, because entries that equal the
    later ones are left out."""
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
    """Find the lemma of a word at the first level that has one."""
    return next(
        entries[key]
        for entries, level in zip(made, levels, strict=True)
        if (key := level(word)) in entries
    )


def _preference(lemmas: Mapping[str, int]) -> Callable[[str], tuple[int, int, str]]:
    """Make a key function that is largest for the most frequent lemma, and among several of these
    for the shortest."""
    return lambda lemma: (lemmas[lemma], -len(lemma), lemma)
