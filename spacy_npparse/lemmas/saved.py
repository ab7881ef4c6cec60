"""Saving and loading of the words of a treebank."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from spacy_npparse.lemmas.symbols import Symbols
from spacy_npparse.lemmas.table import LemmaTable
from spacy_npparse.lemmas.word import Word

_STRINGS, _WORDS, _SYMBOLS = "strings", "words", "symbols"
# The columns are form, UPOS, XPOS, FEATS, lemma, and the number of times that the word has it.
_WIDTH = 6


class Lexicon(NamedTuple):
    """The words of a treebank.

    Attributes:
        table: The lemmas of the words.
        symbols: The symbols of the network.
    """

    table: LemmaTable
    symbols: Symbols


def lexicon_to_dict(lexicon: Lexicon) -> dict[str, Any]:
    """Prepare a lexicon for saving.

    Args:
        lexicon: The lexicon.

    Returns:
        Strings, numbers, lists and dictionaries: the different strings, sorted; and the words,
        sorted, as numbers of strings.
    """
    pairs = sorted(lexicon.table.counts.items())
    strings = sorted({text for (word, lemma), _ in pairs for text in (*word, lemma)})
    number = {text: i for i, text in enumerate(strings)}
    words: list[int] = []
    for (word, lemma), count in pairs:
        words += (*map(number.__getitem__, (*word, lemma)), count)
    return {_STRINGS: strings, _WORDS: words, _SYMBOLS: lexicon.symbols.to_json()}


def lexicon_from_dict(data: Mapping[str, Any]) -> Lexicon:
    """Read a lexicon.

    Args:
        data: The dictionary that `lexicon_to_dict` returned.

    Returns:
        The lexicon.

    Raises:
        ValueError: The dictionary is malformed.
    """
    strings, words = data[_STRINGS], data[_WORDS]
    if not all(isinstance(text, str) for text in strings):
        raise ValueError("a form, tag or lemma is not a string")
    if len(words) % _WIDTH or not all(type(number) is int and number >= 0 for number in words):
        raise ValueError("its words are incomplete")
    counts = {}
    for start in range(0, len(words), _WIDTH):
        *numbers, count = words[start : start + _WIDTH]
        *parts, lemma = (strings[number] for number in numbers)
        counts[Word(*parts), lemma] = count
    return Lexicon(LemmaTable(counts), Symbols.from_json(data[_SYMBOLS]))
