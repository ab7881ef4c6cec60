"""Augmentation of training data, which is resampled in each epoch."""

from __future__ import annotations

import logging
import random
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import DEP, HEAD, LEMMA, MORPH, ORTH, POS, SENT_START, SPACY, TAG
from spacy.language import Language
from spacy.symbols import ADJ, ADV, INTJ, NOUN, NUM, PROPN, VERB
from spacy.tokens import Doc
from spacy.training import Example

from spacy_npparse.checks import MOST_ROWS, check_arguments, check_range
from spacy_npparse.passages import N_READINGS, Passage, has_reader, note_places, word_places
from spacy_npparse.treebank.edges import subtrees
from spacy_npparse.treebank.head_distributions import DISTRIBUTIONS_KEY, doc_distributions
from spacy_npparse.treebank.heads import heads_and_spans
from spacy_npparse.treebank.stored_example import lend
from spacy_npparse.treebank_names import TREEBANK_KEY, copy_treebank
from spacy_npparse.trees.head_distributions import N_HEADS, HeadDistributions
from spacy_npparse.trees.missing import NO_HEAD
from spacy_npparse.word_forms import (
    MULTIWORD_SPANS,
    add_multiword_tokens,
    form_ids,
    multiword_words,
)

logger = logging.getLogger(__name__)

_NONCE = "spacy_npparse.nonce_augmenter.v1"
_EXCERPT = "spacy_npparse.excerpt_augmenter.v1"
_BATCHER = "spacy_npparse.augmenting_batcher.v1"

T = TypeVar("T")
# The attributes of a word in the gold Doc. The last one is SENT_START in the predicted Doc.
_COLUMNS = [ORTH, SPACY, TAG, POS, MORPH, LEMMA, HEAD, DEP, SENT_START, SENT_START]
_FORM, _SPACE, _TAG, _POS, _MORPH, _LEMMA, _HEAD, _DEP, _GOLD_START, _START = range(len(_COLUMNS))
# The columns after these: the slice of the text, and for words of multiword tokens, which multiword
# token, which of its words, and how many words, in 32, 16 and 16 bits.
_TEXT, _MULTIWORD = len(_COLUMNS), len(_COLUMNS) + 1
# The place of the word in passages (int64).
_PLACES = slice(_MULTIWORD + 1, _MULTIWORD + 1 + 2 * N_READINGS)
# The columns that differ between words of the same kind.
_OWN = [_FORM, _TAG, _LEMMA, _TEXT, _MULTIWORD, *range(_PLACES.start, _PLACES.stop)]
_ANNOTATION = slice(_TAG, _GOLD_START + 1)
_STARTS = slice(_GOLD_START, len(_COLUMNS))
# The last columns: the head distribution, with offsets of heads (int64) and probabilities
# (float64).
_HEADS = slice(_PLACES.stop, _PLACES.stop + N_HEADS)
_PROBABILITIES = slice(_HEADS.stop, None)
_NO_START = np.uint64(2**64 - 1)
# The open classes of UD, and numerals.
_CONTENT = frozenset({ADJ, ADV, INTJ, NOUN, NUM, PROPN, VERB})
# The size of the reservoir of each kind. For frequent kinds, its content keeps changing.
_MAX_OF_A_KIND = 200
# The maximum number of words in a subtree. A longer one would dominate the sentence.
_LONGEST_SUBTREE = 12

# Part of speech, features, relation and treebank. Tags and words of another treebank do not fit.
Kind = tuple[int, int, int, str]
# An array [words, columns], see _COLUMNS and _HEADS.
Words = NDArray[np.uint64]
Augmenter = Callable[[Language | None, Example], Iterable[Example]]
Batcher = Callable[[Iterable[Example]], Iterable[list[Example]]]


class _Rows:
    """A converter from examples to words and back, which warns once of examples that cannot be
    augmented. name: the name of the augmenter."""

    def __init__(self, name: str):
        self._name = name
        self._has_warned = False
        self._n_multiword = 0
        # All passages of words, and their numbers.
        self._passages: list[Passage] = []
        self._numbers: dict[Passage, int] = {}

    def read(self, example: Example) -> Words | None:
        """Read the words of an example. None if the Docs have different words, or if something else
        would be lost."""
        gold, predicted = example.reference, example.predicted
        words = [doc.to_array(_COLUMNS[:-1]) for doc in (gold, predicted)]
        texts = words[1][:, _FORM].copy()
        for doc, found in zip((gold, predicted), words, strict=True):
            found[:, _FORM] = form_ids(doc)
        same = np.array_equal(words[0][:, _FORM], words[1][:, _FORM])
        if same and not (_has_other_annotation(gold) or _has_other_data(predicted)):
            heads, probabilities = doc_distributions(gold) or HeadDistributions.unknown(len(gold))
            of_heads = [
                heads.astype(np.int64).view(np.uint64),
                probabilities.astype(np.float64).view(np.uint64),
            ]
            tokens = np.column_stack([words[1][:, -1], texts, self._multiword(predicted)])
            every: Words = np.hstack([words[0], tokens, self._places(predicted), *of_heads])
            # Otherwise arcs would be cut.
            _, below = heads_and_spans(every[:, _HEAD], every[:, _DEP])
            every[below, _GOLD_START] = _NO_START
            return every
        if not self._has_warned:
            logger.warning(
                "%s: examples whose predicted and gold tokens differ, or that have entities, "
                "spans, categories, extension attributes or other user data, are not augmented.",
                self._name,
            )
        self._has_warned = True
        return None

    def example(self, source: Example, words: Words) -> Example:
        """Make an example with other words from the same treebank."""
        strings = source.reference.vocab.strings
        texts = words[:, _FORM].copy()
        multiword = []
        for start, end in _whole_multiword_tokens(words[:, _MULTIWORD]):
            multiword.append((start, tuple(strings[form] for form in texts[start:end].tolist())))
            texts[start:end] = words[start:end, _TEXT]
        forms = [strings[text] for text in texts.tolist()]
        spaces = words[:, _SPACE].astype(bool).tolist()
        predicted, reference = (
            Doc(source.reference.vocab, words=forms, spaces=spaces) for _ in range(2)
        )
        starts = words[:, _START : _START + 1]
        predicted.from_array([SENT_START], np.ascontiguousarray(starts))  # type: ignore[arg-type]
        annotation = np.ascontiguousarray(words[:, _ANNOTATION])
        reference.from_array(_COLUMNS[_ANNOTATION], annotation)  # type: ignore[arg-type]
        # Set last, because spaCy derives sentence starts from the heads.
        reference.from_array([SENT_START], np.ascontiguousarray(annotation[:, -1:]))  # type: ignore[arg-type]
        if words[:, _PROBABILITIES].any():
            reference.user_data[DISTRIBUTIONS_KEY] = HeadDistributions(
                words[:, _HEADS].view(np.int64).astype(np.int32),
                words[:, _PROBABILITIES].view(np.float64).astype(np.float32),
            )
        if has_reader():
            places = words[:, _PLACES].astype(np.int64).reshape(-1, N_READINGS, 2)
            note_places(predicted, self._passages, places)
        for doc in (predicted, reference):
            copy_treebank(source.predicted, doc)
            if multiword:
                add_multiword_tokens(doc, multiword)
        return Example(predicted, reference)

    def _multiword(self, doc: Doc) -> NDArray[np.uint64]:
        """Number the words of multiword tokens, see `_MULTIWORD`."""
        codes = np.zeros(len(doc), dtype=np.uint64)
        for start, end, _ in multiword_words(doc):
            self._n_multiword += 1
            codes[start:end] = (self._n_multiword << 32) + (end - start)
            codes[start:end] += np.arange(end - start, dtype=np.uint64) << 16
        return codes

    def _places(self, doc: Doc) -> Words:
        """Find the places of the words in passages, with the numbers of passages in this object."""
        if not has_reader():
            return np.zeros((len(doc), 2 * N_READINGS), dtype=np.uint64)
        passages, places = word_places(doc)
        places = places.copy()
        used, numbers = np.unique(places[:, :, 0], return_inverse=True)
        renumbered = [self._number(passages[number]) for number in used.tolist()]
        places[:, :, 0] = np.array(renumbered, dtype=np.int64)[numbers].reshape(places.shape[:2])
        return places.reshape(len(doc), -1).view(np.uint64)

    def _number(self, passage: Passage) -> int:
        number = self._numbers.setdefault(passage, len(self._passages))
        if number == len(self._passages):
            self._passages.append(passage)
        return number


class NonceAugmenter:
    """An augmenter that makes nonce sentences: it replaces content words, optionally with their
    subtrees, by others with the same part of speech, features and relation.

    The sentences are meaningless, but their trees are well-formed. A parser that cannot memorise
    the few words and trees of a small treebank has to learn from morphology and word order.
    Replacements are sampled from the examples of the same treebank that have been seen so far.
    Function words, which distinguish relations, and untagged words are not replaced. Subtrees are
    contiguous and have at most 12 words. If a word of a multiword token is replaced, its words
    become separate tokens. An example remains unchanged, with one warning, if its predicted and
    gold tokens differ, or if it has entities, spans, categories, extension attributes or other user
    data, which would be lost.

    Registered as the augmenter `spacy_npparse.nonce_augmenter.v1`.

    Args:
        probability: The probability of replacing a content word.
        subtree_probability: The probability of replacing a content word and its subtree, except for
            roots and words inside a larger subtree that is replaced.

    Raises:
        ValueError: A probability is not a number in [0, 1], or, when called, the heads of a gold
            tree form a cycle.

    Source: Gulordava et al. (2018); for parsing Vania et al. (2019); with subtrees Dehouck and
    Gómez-Rodríguez (2020).
    """

    def __init__(self, probability: float = 0.2, subtree_probability: float = 0.0):
        rates = dict(probability=probability, subtree_probability=subtree_probability)
        check_arguments(_NONCE, NonceAugmenter.__init__, rates)
        for name, rate in rates.items():
            check_range(f"{_NONCE}: {name}", rate, 0.0, 1.0)
        self.probability = probability
        self.subtree_probability = subtree_probability
        self._words: dict[Kind, list[Words]] = defaultdict(list)
        # With the position of the head in the subtree.
        self._subtrees: dict[Kind, list[tuple[Words, int]]] = defaultdict(list)
        self._rows = _Rows(_NONCE)

    def __call__(self, nlp: Language | None, example: Example) -> Iterator[Example]:
        """Yield the augmented example."""
        old = self._rows.read(example)
        if old is None:
            yield example
            return
        treebank = str(example.predicted.user_data.get(TREEBANK_KEY, ""))
        moved = self._exchange_subtrees(example.reference, old, treebank)
        new = self._exchange_words(moved, treebank)
        yield example if np.array_equal(old, new) else self._rows.example(example, new)

    def _exchange_words(self, words: Words, treebank: str) -> Words:
        new = words.copy()
        for number, kind in enumerate(_kinds(words, treebank)):
            if kind[0] in _CONTENT:
                _remember(words[number, _OWN], self._words[kind])
                if random.random() < self.probability:
                    new[number, _OWN] = random.choice(self._words[kind])
        return new

    def _exchange_subtrees(self, gold: Doc, words: Words, treebank: str) -> Words:
        if not self.subtree_probability:
            return words
        kinds = _kinds(words, treebank)
        starting: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for top, (start, end) in _movable_subtrees(gold, words).items():
            if kinds[top][0] in _CONTENT:
                starting[start].append((end, top))
                _remember((words[start:end].copy(), top - start), self._subtrees[kinds[top]])
        parts: list[Words] = []
        # The new indices of the remaining words, and of the heads of subtrees.
        numbers = np.full(len(words), NO_HEAD)
        word = length = 0
        while word < len(words):
            end, top, part, place = word + 1, word, words[word : word + 1], 0
            for end_of_subtree, top_of_subtree in sorted(starting[word], reverse=True):
                if random.random() < self.subtree_probability:
                    end, top = end_of_subtree, top_of_subtree
                    part, place = random.choice(self._subtrees[kinds[top]])
                    part = part.copy()
                    part[0, _STARTS] = words[word, _STARTS]
                    part[-1, _SPACE] = words[end - 1, _SPACE]
                    _forget_heads_outside(part)
                    break
            parts.append(part)
            numbers[top] = length + place
            length += len(part)
            word = end
        new = np.concatenate([words[:0], *parts])
        _connect(words, new, numbers)
        return new


class ExcerptAugmenter:
    """An augmenter that cuts long examples into excerpts of consecutive sentences, which differ in
    each epoch.

    A parser that finds sentences has to see texts of several sentences that begin and end anywhere,
    but also single sentences. Shuffling the sentences keeps it from memorising the words on either
    side of a boundary. Examples that `NonceAugmenter` leaves unchanged remain whole and in order,
    with one warning.

    Registered as the augmenter `spacy_npparse.excerpt_augmenter.v1`.

    Args:
        max_words: The length of an excerpt is drawn uniformly from 1 to this number of words. The
            excerpt ends with the sentence that reaches it.
        shuffle_probability: The probability of shuffling the sentences of an example first.

    Raises:
        ValueError: `max_words` is not a positive integer, or `shuffle_probability` is not a number
            in [0, 1].
    """

    def __init__(self, max_words: int, shuffle_probability: float = 0.0):
        settings = dict(max_words=max_words, shuffle_probability=shuffle_probability)
        check_arguments(_EXCERPT, ExcerptAugmenter.__init__, settings)
        check_range(f"{_EXCERPT}: max_words", max_words, most=MOST_ROWS)
        check_range(f"{_EXCERPT}: shuffle_probability", shuffle_probability, 0.0, 1.0)
        self.max_words = max_words
        self.shuffle_probability = shuffle_probability
        self._rows = _Rows(_EXCERPT)

    def __call__(self, nlp: Language | None, example: Example) -> Iterator[Example]:
        """Yield the excerpts in order."""
        words = self._rows.read(example)
        if words is None:
            yield example
            return
        if random.random() < self.shuffle_probability:
            words = _shuffled(words)
        starts = np.flatnonzero(words[:, _GOLD_START] == 1).tolist()
        first = 0
        while first < len(words):
            wanted = first + random.randint(1, self.max_words)
            place = bisect_left(starts, wanted)
            end = starts[place] if place < len(starts) else len(words)
            yield self._rows.example(example, words[first:end].copy())
            first = end


def _has_other_annotation(gold: Doc) -> bool:
    """Check whether a gold Doc has annotation or user data that an augmented one would lack."""
    # Tokens that are known not to be entities count as annotation, too.
    spans = set(gold.spans) - {MULTIWORD_SPANS}
    return bool(gold.has_annotation("ENT_IOB") or spans or gold.cats) or _has_other_data(gold)


def _has_other_data(doc: Doc) -> bool:
    """Check whether a Doc has user data, such as extension attributes, of other packages."""
    names = (key[1] if isinstance(key, tuple) else key for key in doc.user_data)
    return not all(str(name).startswith("spacy_npparse.") for name in names)


def _whole_multiword_tokens(codes: NDArray[np.uint64]) -> Iterator[tuple[int, int]]:
    """Find the first word and the end of each multiword token of which no word has been replaced.
    codes: the column `_MULTIWORD`."""
    if codes.any():
        first = ((codes >> 16) & 0xFFFF == 0) & (codes > 0)
        for start in np.flatnonzero(first).tolist():
            end = start + int(codes[start] & 0xFFFF)
            expected = codes[start] + (np.arange(end - start, dtype=np.uint64) << 16)
            if np.array_equal(codes[start:end], expected):
                yield start, end


def _shuffled(words: Words) -> Words:
    """Put the sentences in random order."""
    bounds = np.flatnonzero(words[1:, _GOLD_START] == 1) + 1
    if not len(bounds):
        return words
    words = words.copy()
    # The first word of a Doc always starts a sentence, even if the Doc leaves the other starts
    # open.
    words[0, _STARTS] = words[bounds[0], _STARTS]
    sentences = np.split(words, bounds)
    random.shuffle(sentences)
    return np.concatenate(sentences)


def _forget_heads_outside(subtree: Words) -> None:
    """Remove the heads outside the subtree from head distributions."""
    heads = np.arange(len(subtree))[:, None] + subtree[:, _HEADS].view(np.int64)
    outside = (heads < 0) | (heads >= len(subtree))
    for part in (_HEADS, _PROBABILITIES):
        subtree[:, part][outside] = 0


def _connect(old: Words, new: Words, numbers: NDArray[np.int64]) -> None:
    """Attach words to the heads that they had. numbers: [old words], their new indices, NO_HEAD if
    they have been removed."""
    kept = np.flatnonzero(numbers != NO_HEAD)
    places = numbers[kept]
    # Heads are offsets. That of a root is 0.
    heads = numbers[kept + old[kept, _HEAD].view(np.int64)]
    new[places, _HEAD] = (heads - places).view(np.uint64)
    probable = numbers[kept[:, None] + old[kept, _HEADS].view(np.int64)]
    is_there = probable != NO_HEAD
    distances = np.where(is_there, probable - places[:, None], 0)
    new[places, _HEADS] = distances.view(np.uint64)
    new[places, _PROBABILITIES] = np.where(is_there, old[kept, _PROBABILITIES], 0)


def _kinds(words: Words, treebank: str) -> list[Kind]:
    rows = words[:, [_POS, _MORPH, _DEP]].tolist()
    return [(pos, morph, dep, treebank) for pos, morph, dep in rows]


def _remember(one: T, others: list[T]) -> None:
    if len(others) < _MAX_OF_A_KIND:
        others.append(one)
    else:
        others[random.randrange(_MAX_OF_A_KIND)] = one


def _movable_subtrees(gold: Doc, words: Words) -> dict[int, tuple[int, int]]:
    """Find the first word and the end of each contiguous subtree that is not too long, by its head.
    Roots, whose subtree is the sentence, are excluded."""
    return {
        top: (first, last + 1)
        for top, (first, last, size) in enumerate(subtrees(gold))
        if size <= _LONGEST_SUBTREE and size == last - first + 1 and words[top, _HEAD]
    }


def augmenting_batcher(batcher: Batcher, augmenter: Augmenter) -> Batcher:
    """Make a batcher that augments examples before it batches them.

    spaCy augments examples in the corpus reader, once before the first epoch. This batcher augments
    them in every epoch, so that the model never sees the same noise twice.

    Registered as the batcher `spacy_npparse.augmenting_batcher.v1`.

    Args:
        batcher: Any batcher of spaCy.
        augmenter: Any augmenter of spaCy that does not use the pipeline.

    Raises:
        ValueError: An argument cannot be called.
    """

    check_arguments(_BATCHER, augmenting_batcher, {"batcher": batcher, "augmenter": augmenter})

    def batch(examples: Iterable[Example]) -> Iterable[list[Example]]:
        return batcher(new for example in examples for new in augmenter(None, lend(example)))

    return batch
