"""The characters, tags and edits of a treebank, numbered for a network."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spacy_npparse.lemmas.edits import COPY, DELETE, KINDS, MOST_CHARS, Edit, find_edits
from spacy_npparse.lemmas.word import Word
from spacy_npparse.models.speller_net import BEGIN, FIRST_CHAR, UNKNOWN, SpellingBatch

# An edit that occurs with a single pair of form and lemma is not a rule. The table has these words.
_LEAST_PAIRS = 2
# The maximum number of cached sets of tags. Most words share theirs with others.
_MOST_TAG_SETS = 2**14


class Symbols:
    """Characters, tags and edits, with their numbers.

    Args:
        chars: The characters of forms.
        tags: The values of UPOS, XPOS and FEATS, as `_tags` spells them.
        edits: The edits.
    """

    def __init__(self, chars: str, tags: Sequence[str], edits: Sequence[Edit]):
        self.chars = chars
        self.tags = list(tags)
        self.edits = list(edits)
        # By code point. The last one stands for all higher ones.
        points = _code_points(chars).astype(np.int64)
        self._char_numbers = np.full(points.max(initial=0) + 2, UNKNOWN)
        self._char_numbers[points] = np.arange(FIRST_CHAR, FIRST_CHAR + len(points))
        self._tag_numbers = {tag: i for i, tag in enumerate(tags)}
        self._edit_numbers = {edit: i for i, edit in enumerate(edits)}
        self._copies = np.array([edit == (COPY, "") for edit in edits], dtype=bool)
        self._deletes = np.array([edit.kind == DELETE for edit in edits], dtype=bool)
        self._added = np.array([edit.added for edit in edits], dtype=object)
        # The edits of words in a training.
        self._gold: dict[tuple[str, str], list[int] | None] = {}
        self._numbers_of_tags: dict[tuple[str, ...], list[int]] = {}

    @classmethod
    def collect(cls, pairs: Iterable[tuple[Word, str]]) -> Symbols:
        """Collect the symbols of a treebank.

        Args:
            pairs: Pairs of different words and their lemmas.

        Returns:
            The symbols, the most frequent ones first.
        """
        chars: Counter[str] = Counter()
        tags: set[str] = set()
        spellings = set()
        for word, lemma in pairs:
            tags.update(_tags(word))
            spellings.add((word.form, lemma))
        edits: Counter[Edit] = Counter()
        for form, lemma in sorted(spellings):
            if is_spellable(form, lemma):
                chars.update(form)
                # The order of a set would differ between processes.
                edits.update(dict.fromkeys(find_edits(form, lemma), 1))
        frequent = [edit for edit, n in edits.most_common() if n >= _LEAST_PAIRS]
        ordered = "".join(char for char, _ in chars.most_common())
        return cls(ordered, sorted(tags), frequent or [*edits])

    @property
    def sizes(self) -> dict[str, int]:
        """The number of symbols of each kind that a network has to know."""
        return {
            "n_chars": len(self.chars) + FIRST_CHAR,
            # A table of embeddings has at least one row.
            "n_tags": max(1, len(self.tags)),
            "n_edits": len(self.edits),
        }

    def to_json(self) -> dict[str, Any]:
        """Convert the symbols to JSON."""
        return {"chars": self.chars, "tags": self.tags, "edits": list(map(list, self.edits))}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Symbols:
        """Read saved symbols.

        Raises:
            ValueError: The data is malformed.
        """
        edits = [Edit(*edit) for edit in data["edits"]]
        if not all(edit.kind in KINDS and isinstance(edit.added, str) for edit in edits):
            raise ValueError("the edits are invalid")
        return cls("".join(data["chars"]), list(map(str, data["tags"])), edits)

    def gold(self, word: Word, lemma: str) -> list[int] | None:
        """Number the edits that spell the lemma of a word.

        Args:
            word: The word.
            lemma: The lemma of the word.

        Returns:
            The number of the edit of each cell; None if an edit has no number.
        """
        key = word.form, lemma
        if key not in self._gold:
            numbers = None
            if is_spellable(*key):
                found = [self._edit_numbers.get(edit) for edit in find_edits(*key)]
                numbers = [number for number in found if number is not None]
                numbers = numbers if len(numbers) == len(found) else None
            self._gold[key] = numbers
        return self._gold[key]

    def spell(self, forms: Sequence[str], numbers: NDArray[np.int64]) -> list[str]:
        """Spell lemmas.

        Args:
            forms: At least one form.
            numbers: int64 [n_cells], the numbers of the edits of all cells, one form after another.

        Returns:
            The lemmas.
        """
        starts, ends, text = _cells(forms)
        parts = np.array(list(text), dtype=object)
        parts[starts] = ""
        # Nearly all other edits are deletions.
        is_deleted = self._deletes[numbers]
        parts[is_deleted] = self._added[numbers[is_deleted]]
        for cell in np.flatnonzero(~(is_deleted | self._copies[numbers])).tolist():
            parts[cell] = self.edits[numbers[cell]].of(parts[cell])
        spelled = parts.tolist()
        return [
            "".join(spelled[start:end])
            for start, end in zip(starts.tolist(), ends.tolist(), strict=True)
        ]

    def knows(self, forms: Sequence[str]) -> NDArray[np.bool_]:
        """Check whether forms are in a known script, which means that most of their characters are
        known.

        Args:
            forms: At least one form.

        Returns:
            bool [n_forms], whether each form is.
        """
        starts, ends, text = _cells(forms)
        chars = self._numbers_of_chars(text)
        chars[starts] = UNKNOWN
        n_known = np.add.reduceat(chars != UNKNOWN, starts, dtype=np.int64)
        return 2 * n_known > ends - starts - 1

    def batch(self, words: Sequence[Word]) -> SpellingBatch:
        """Make a batch of words.

        Args:
            words: The words, at least one.

        Returns:
            The input of the network.
        """
        starts, ends, text = _cells([word.form for word in words])
        chars = self._numbers_of_chars(text)
        chars[starts] = BEGIN
        tags = list(map(self._tags_of, words))
        return SpellingBatch(
            chars, ends - starts, _array(chain.from_iterable(tags)), _array(map(len, tags))
        )

    def _numbers_of_chars(self, text: str) -> NDArray[np.int64]:
        last = len(self._char_numbers) - 1
        return self._char_numbers[np.minimum(_code_points(text), last)]

    def _tags_of(self, word: Word) -> list[int]:
        """Find the numbers of the known tags of a word."""
        found = self._numbers_of_tags.get(word[1:])
        if found is None:
            numbers = self._tag_numbers
            found = [numbers[tag] for tag in _tags(word) if tag in numbers]
            if len(self._numbers_of_tags) > _MOST_TAG_SETS:
                self._numbers_of_tags.clear()
            self._numbers_of_tags[word[1:]] = found
        return found


def is_spellable(form: str, lemma: str) -> bool:
    """Check whether a lemma can be learnt from the characters of a form."""
    return 0 < len(form) <= MOST_CHARS and 0 < len(lemma) <= MOST_CHARS


def _tags(word: Word) -> list[str]:
    """Spell the tags of a word, each after the name of its column."""
    found = [f"FEATS:{pair}" for pair in word.feats.split("|") if pair]
    if word.upos:
        found.append(f"UPOS:{word.upos}")
    if word.xpos:
        found.append(f"XPOS:{word.xpos}")
    return found


def _cells(forms: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64], str]:
    """Find the first cell of each form, the end of its cells, and the characters of all cells. The
    character of a form's beginning is arbitrary."""
    ends = np.cumsum(_array(map(len, forms)) + 1)
    return np.append(0, ends[:-1]), ends, "".join([f" {form}" for form in forms])


def _code_points(text: str) -> NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")


def _array(numbers: Iterable[int]) -> NDArray[np.int64]:
    return np.fromiter(numbers, dtype=np.int64)
