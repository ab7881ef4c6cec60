"""Data augmentation for small treebanks, drawn anew at each epoch."""

from __future__ import annotations

import random
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
from spacy.vocab import Vocab

T = TypeVar("T")
# What is known of a word. The last two say whether it starts a sentence of the gold Doc and of the
# predicted one; all others are gold.
_COLUMNS = [ORTH, SPACY, TAG, POS, MORPH, LEMMA, HEAD, DEP, SENT_START, SENT_START]
_FORM, _SPACE, _, _POS, _MORPH, _, _HEAD, _DEP, _, _ = range(len(_COLUMNS))
_ANNOTATION = slice(2, -1)
_STARTS = slice(-2, None)
# UD's open classes, and numerals.
_CONTENT = frozenset({ADJ, ADV, INTJ, NOUN, NUM, PROPN, VERB})
# Enough to draw from; of frequent kinds it changes all the time what is there.
_MAX_OF_A_KIND = 200
# Words; a longer subtree would be most of the sentence that it comes to.
_LONGEST_SUBTREE = 12

# Part of speech, features and relation.
Kind = tuple[int, int, int]
# Rows of words, see _COLUMNS.
Words = NDArray[np.uint64]
Augmenter = Callable[[Language | None, Example], Iterable[Example]]
Batcher = Callable[[Iterable[Example]], Iterable[list[Example]]]


class NonceAugmenter:
    """Exchanges content words for others of the same part of speech, features and relation, alone
    or together with all that hangs on them.

    The sentences that come out mean nothing, but their trees are as good as before: a parser that
    cannot lean on the few words and trees of a small treebank has to learn from their form and
    order. The words to draw from are those of the examples that have passed by. Function words,
    which tell one relation from another, are left alone, and so are untagged words and examples
    whose predicted and gold tokens differ. Subtrees have no gaps and 12 words at most.

    probability: share of the content words that are exchanged.
    subtree_probability: share of the content words below others that are exchanged with their
        subtrees, unless they are part of a larger subtree that is.

    Source: Gulordava et al. (2018); for parsing Vania et al. (2019); with subtrees Dehouck and
    Gómez-Rodríguez (2020).
    """

    def __init__(self, probability: float = 0.2, subtree_probability: float = 0.0):
        rates = dict(probability=probability, subtree_probability=subtree_probability)
        for name, rate in rates.items():
            if not 0.0 <= rate <= 1.0:
                raise ValueError(
                    f"spacy_npparse.nonce_augmenter.v1: {name} must be in [0, 1], not {rate}"
                )
        self.probability = probability
        self.subtree_probability = subtree_probability
        self._words: dict[Kind, list[int]] = defaultdict(list)
        # With the place of the word that the others hang on.
        self._subtrees: dict[Kind, list[tuple[Words, int]]] = defaultdict(list)

    def __call__(self, nlp: Language | None, example: Example) -> Iterator[Example]:
        """Yield one example in place of another."""
        gold, predicted = example.reference, example.predicted
        words = [doc.to_array(_COLUMNS[:-1]) for doc in (gold, predicted)]
        if not np.array_equal(words[0][:, _FORM], words[1][:, _FORM]):
            yield example
            return
        old = np.hstack([words[0], words[1][:, -1:]])
        new = self._exchange_words(self._exchange_subtrees(old))
        yield example if np.array_equal(old, new) else _example(gold.vocab, new)

    def _exchange_words(self, words: Words) -> Words:
        forms = []
        for form, kind in zip(words[:, _FORM].tolist(), _kinds(words), strict=True):
            if kind[0] in _CONTENT:
                _remember(form, self._words[kind])
                if random.random() < self.probability:
                    form = random.choice(self._words[kind])
            forms.append(form)
        words = words.copy()
        words[:, _FORM] = forms
        return words

    def _exchange_subtrees(self, words: Words) -> Words:
        if not self.subtree_probability:
            return words
        kinds = _kinds(words)
        starting: dict[int, list[tuple[int, int]]] = defaultdict(list)
        heads, subtrees = _heads_and_subtrees(words)
        for top, (start, end) in subtrees.items():
            if kinds[top][0] in _CONTENT:
                starting[start].append((end, top))
                _remember((words[start:end].copy(), top - start), self._subtrees[kinds[top]])
        parts: list[Words] = []
        # New numbers of the words that stay, and of those that subtrees hang on.
        numbers: dict[int, int] = {}
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
                    break
            parts.append(part)
            numbers[top] = length + place
            length += len(part)
            word = end
        new = np.concatenate([words[:0], *parts])
        # Heads are told by their distance.
        for old_number, number in numbers.items():
            new[number, _HEAD] = np.int64(numbers[heads[old_number]] - number).view(np.uint64)
        return new


def _kinds(words: Words) -> list[Kind]:
    return [(pos, morph, dep) for pos, morph, dep in words[:, [_POS, _MORPH, _DEP]].tolist()]


def _remember(one: T, others: list[T]) -> None:
    if len(others) < _MAX_OF_A_KIND:
        others.append(one)
    else:
        others[random.randrange(_MAX_OF_A_KIND)] = one


def _heads_and_subtrees(words: Words) -> tuple[list[int], dict[int, tuple[int, int]]]:
    """The head of each word, itself if it has none; first word and end of the subtrees below
    others that have no gaps and are not too long."""
    # Token.left_edge and right_edge are too narrow in some trees that are not projective.
    n = len(words)
    heads = (np.arange(n) + words[:, _HEAD].astype(np.int64)).tolist()
    first, last, size = list(range(n)), list(range(n)), [0] * n
    for word in range(n):
        above = word
        while True:
            first[above] = min(first[above], word)
            last[above] = max(last[above], word)
            size[above] += 1
            if heads[above] == above:
                break
            above = heads[above]
    subtrees = {
        top: (first[top], last[top] + 1)
        for top in range(n)
        if heads[top] != top and last[top] - first[top] + 1 == size[top] <= _LONGEST_SUBTREE
    }
    return heads, subtrees


def _example(vocab: Vocab, words: Words) -> Example:
    forms = [vocab.strings[form] for form in words[:, _FORM].tolist()]
    spaces = words[:, _SPACE].astype(bool).tolist()
    predicted, reference = (Doc(vocab, words=forms, spaces=spaces) for _ in range(2))
    predicted.from_array([SENT_START], np.ascontiguousarray(words[:, -1:]))  # type: ignore[arg-type]
    annotation = np.ascontiguousarray(words[:, _ANNOTATION])
    reference.from_array(_COLUMNS[_ANNOTATION], annotation)  # type: ignore[arg-type]
    # Heads make spaCy derive sentence starts of its own.
    reference.from_array([SENT_START], np.ascontiguousarray(annotation[:, -1:]))  # type: ignore[arg-type]
    return Example(predicted, reference)


def augmenting_batcher(batcher: Batcher, augmenter: Augmenter) -> Batcher:
    """A batcher that augments the examples before it batches them.

    spaCy's own hook, in the corpus reader, runs once, before the first epoch; this one runs in
    every epoch, so that the model never sees the same noise twice.

    batcher: any batcher of spaCy's.
    augmenter: any augmenter of spaCy's that does without the pipeline.
    """

    def batch(examples: Iterable[Example]) -> Iterable[list[Example]]:
        return batcher(new for example in examples for new in augmenter(None, example))

    return batch
