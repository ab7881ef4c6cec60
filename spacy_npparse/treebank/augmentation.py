"""Data augmentation for small treebanks, drawn anew at each epoch."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator

import numpy as np
from spacy.attrs import DEP, HEAD, LEMMA, MORPH, ORTH, POS, SENT_START, TAG
from spacy.language import Language
from spacy.symbols import ADJ, ADV, INTJ, NOUN, NUM, PROPN, VERB
from spacy.tokens import Doc
from spacy.training import Example

_ANNOTATION = [TAG, POS, MORPH, LEMMA, HEAD, DEP, SENT_START]
# UD's open classes, and numerals.
_CONTENT = frozenset({ADJ, ADV, INTJ, NOUN, NUM, PROPN, VERB})
# Enough to draw from; later words of a frequent kind add nothing.
_MAX_WORDS = 2000

Augmenter = Callable[[Language | None, Example], Iterable[Example]]
Batcher = Callable[[Iterable[Example]], Iterable[list[Example]]]


class NonceAugmenter:
    """Exchanges content words for others of the same part of speech, features and relation.

    The sentences that come out mean nothing, but their trees are as good as before: a parser that
    cannot lean on the few words of a small treebank has to learn from their form and order.
    The words to draw from are those of the examples that have passed by. Function words, which
    tell one relation from another, are left alone, and so are untagged words and examples whose
    predicted and gold tokens differ.

    probability: share of the content words that are exchanged.

    Source: Gulordava et al. (2018); for parsing Vania et al. (2019).
    """

    def __init__(self, probability: float = 0.2):
        if not 0.0 <= probability <= 1.0:
            raise ValueError(
                "spacy_npparse.nonce_augmenter.v1: probability must be in [0, 1], "
                f"not {probability}"
            )
        self.probability = probability
        self._words: dict[tuple[int, int, int], list[int]] = defaultdict(list)

    def __call__(self, nlp: Language | None, example: Example) -> Iterator[Example]:
        """Yield one example in place of another."""
        gold = example.reference
        tokens = gold.to_array([ORTH, POS, MORPH, DEP])
        if (
            len(example.predicted) != len(gold)
            or (example.predicted.to_array(ORTH) != tokens[:, 0]).any()
        ):
            yield example
            return
        forms = [self._exchange(*token) for token in tokens.tolist()]
        if forms == tokens[:, 0].tolist():
            yield example
        else:
            yield _with_forms(example, forms)

    def _exchange(self, form: int, pos: int, morph: int, dep: int) -> int:
        if pos not in _CONTENT:
            return form
        words = self._words[pos, morph, dep]
        if len(words) < _MAX_WORDS:
            words.append(form)
        return random.choice(words) if random.random() < self.probability else form


def _with_forms(example: Example, forms: list[int]) -> Example:
    gold = example.reference
    words = [gold.vocab.strings[form] for form in forms]
    spaces = [bool(token.whitespace_) for token in gold]
    predicted = Doc(gold.vocab, words=words, spaces=spaces)
    predicted.from_array([SENT_START], example.predicted.to_array([SENT_START]))  # type: ignore[arg-type]
    reference = Doc(gold.vocab, words=words, spaces=spaces)
    annotation = gold.to_array(_ANNOTATION)
    reference.from_array(_ANNOTATION, annotation)  # type: ignore[arg-type]
    # Heads make spaCy derive sentence starts of its own.
    starts = np.ascontiguousarray(annotation[:, -1:])
    reference.from_array([SENT_START], starts)  # type: ignore[arg-type]
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
