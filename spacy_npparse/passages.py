"""Passages, which pretrained encoders read separately, and the places of a Doc's words in them.

A pretrained encoder gives a word a vector in its context. A passage is such a context: a sentence
or, if the sentences are unknown, a text that ends with final punctuation. A passage depends only on
its own text. Except for rounding, a word therefore has the same vector in a document as alone.

Augmenters move words to other sentences. The words keep their original places, so their vectors
need not be computed again, and are those of natural text.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import SENT_START, SPACY
from spacy.pipeline import Sentencizer
from spacy.tokens import Doc

from spacy_npparse.word_forms import multiword_tokens, word_forms

# The key of doc.user_data for the `WordPlaces` of augmented examples.
PLACES_KEY = "spacy_npparse.word_places"
# The readings of a Doc: with its sentence starts, and as plain text.
AS_GIVEN, AS_TEXT = range(2)
N_READINGS = 2
_FINAL = frozenset(Sentencizer.default_punct_chars) | {"…"}

# The words of a passage, each with the space after it.
Passage: TypeAlias = tuple[str, ...]


class WordPlaces(NamedTuple):
    """The passages that the words of a Doc are from.

    Attributes:
        passages: These passages, and possibly others.
        places: int64 [n_words, N_READINGS, 2], for each reading the index of the passage and that
            of the word in it.
    """

    passages: Sequence[Passage]
    places: NDArray[np.int64]

    def __deepcopy__(self, memo: Any) -> WordPlaces:
        """Return the same object, which never changes. In each update, `nlp.update` copies the
        Docs of a batch with their notes, and the passages are those of a whole treebank."""
        return self


class _Readers:
    """Whether an encoder of this process reads passages."""

    are_there = False


def expect_reader() -> None:
    """Make augmenters note the places of words from now on. If no encoder reads passages, this
    would only take memory and time."""
    _Readers.are_there = True


def has_reader() -> bool:
    """Check whether `expect_reader` has been called."""
    return _Readers.are_there


def word_places(doc: Doc) -> WordPlaces:
    """Find the places of a Doc's words in passages.

    Args:
        doc: The Doc.

    Returns:
        The places that an augmenter noted, or for any other Doc, the places in its own passages.
    """
    noted = doc.user_data.get(PLACES_KEY)
    if noted is not None and len(noted[1]) == len(doc):
        return WordPlaces(*noted)
    passages: list[Passage] = []
    places = np.empty((len(doc), N_READINGS, 2), dtype=np.int64)
    for reading in (AS_GIVEN, AS_TEXT):
        found = doc_passages(doc, reading)
        lengths = [len(passage) for passage in found]
        numbers = np.arange(len(passages), len(passages) + len(found))
        places[:, reading, 0] = np.repeat(numbers, lengths)
        places[:, reading, 1] = np.concatenate([np.arange(0), *map(np.arange, lengths)])
        passages += found
    return WordPlaces(passages, places)


def doc_passages(doc: Doc, reading: int) -> list[Passage]:
    """Cut a Doc into passages.

    Args:
        doc: The Doc.
        reading: `AS_GIVEN` if known sentence starts begin passages, and known non-starts do not;
            `AS_TEXT` to ignore them.

    Returns:
        The passages, which contain the words of the Doc in order. The words of multiword tokens are
        written separately.
    """
    if not len(doc):
        return []
    forms = word_forms(doc)
    is_start = _after_final_punctuation(forms)
    if reading == AS_GIVEN:
        starts = doc.to_array(SENT_START).astype(np.int64)
        is_start = (starts == 1) | (is_start & (starts == 0))
    is_start[0] = True
    spaces = doc.to_array(SPACY).astype(bool)
    for token in multiword_tokens(doc):
        spaces[token.start : token.end - 1] = True
    # The space after a passage is not part of it.
    spaces[np.append(np.flatnonzero(is_start)[1:], len(doc)) - 1] = False
    words = [form + " " * space for form, space in zip(forms, spaces.tolist(), strict=True)]
    bounds = np.append(np.flatnonzero(is_start), len(words)).tolist()
    return [tuple(words[a:b]) for a, b in pairwise(bounds)]


def note_places(doc: Doc, passages: Sequence[Passage], places: NDArray[np.int64]) -> None:
    """Note in a Doc where its words are from.

    Args:
        doc: The Doc.
        passages: The passages, see `WordPlaces`.
        places: int64 [n_words, N_READINGS, 2], the places of the words.
    """
    value: Any = WordPlaces(passages, places)
    doc.user_data[PLACES_KEY] = value


def _after_final_punctuation(forms: Iterable[str]) -> NDArray[np.bool_]:
    """Check whether each word is the first one after final punctuation, closing quotes and
    brackets, and white space."""
    found = []
    is_over = False
    for form in forms:
        starts = False
        if _FINAL.issuperset(form):
            is_over = True
        elif is_over and not _goes_with_punctuation(form):
            starts, is_over = True, False
        found.append(starts)
    return np.array(found, dtype=bool)


def _goes_with_punctuation(form: str) -> bool:
    return form.isspace() or all(unicodedata.category(char)[0] == "P" for char in form)
