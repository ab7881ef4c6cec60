"""Simulation of tagging errors in training."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import torch

from spacy_npparse.lemmas.word import Word

# Words with the same last characters, of this number, are confused.
_ENDING = 2
_RATE = 0.2


class Mistagging:
    """A function that gives some words the tags of another word of the treebank with the same
    ending.

    A network that has seen only gold tags trusts them more than the characters, although the tags
    of a text are predicted.

    Args:
        words: The words of the treebank.
    """

    def __init__(self, words: Iterable[Word]):
        found: defaultdict[str, set[tuple[str, ...]]] = defaultdict(set)
        for word in words:
            found[word.form[-_ENDING:]].add(word[1:])
        self._tags = {ending: sorted(tags) for ending, tags in found.items()}

    def __call__(self, words: Sequence[Word]) -> list[Word]:
        """Draw tags for words.

        Args:
            words: Words of the treebank.

        Returns:
            The same words, some with other tags.
        """
        draws = torch.rand(2, len(words)).tolist()
        return [
            self._mistag(word, place) if draw < _RATE else word
            for word, draw, place in zip(words, *draws, strict=True)
        ]

    def _mistag(self, word: Word, draw: float) -> Word:
        tags = self._tags.get(word.form[-_ENDING:], [word[1:]])
        return Word(word.form, *tags[int(draw * len(tags))])
