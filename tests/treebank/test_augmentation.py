"""Nonce augmentation keeps trees and exchanges words only for words of their kind."""

import random
from collections import defaultdict
from pathlib import Path

import pytest
from spacy.training.batchers import configure_minibatch
from spacy.training.example import Example
from spacy.util import registry
from spacy.vocab import Vocab

from spacy_npparse.treebank import docs_from_conllu
from spacy_npparse.treebank.augmentation import NonceAugmenter, augmenting_batcher

SAMPLE = Path(__file__).parents[2] / "assets" / "sample_treebank" / "sample-ud-dev.conllu"
CONTENT = {"ADJ", "ADV", "INTJ", "NOUN", "NUM", "PROPN", "VERB"}


@pytest.fixture(scope="module")
def examples():
    vocab = Vocab()
    pairs = zip(docs_from_conllu(SAMPLE, vocab), docs_from_conllu(SAMPLE, vocab), strict=True)
    return [Example(predicted, reference) for predicted, reference in pairs]


def annotation(example):
    return example.reference.to_array(["POS", "MORPH", "HEAD", "DEP", "SENT_START"]).tolist()


def test_trees_stay_and_words_are_exchanged_for_words_of_their_kind(examples):
    random.seed(0)
    augmenter = NonceAugmenter(probability=0.5)
    kinds = defaultdict(set)
    for example in examples:
        for token in example.reference:
            kinds[token.pos_, str(token.morph), token.dep_].add(token.text)
    exchanged = content = 0
    for example in examples:
        (new,) = augmenter(None, example)
        assert annotation(new) == annotation(example)
        assert [t.text for t in new.predicted] == [t.text for t in new.reference]
        for old_token, token in zip(example.reference, new.reference, strict=True):
            assert token.text in kinds[token.pos_, str(token.morph), token.dep_]
            exchanged += token.text != old_token.text
            content += token.pos_ in CONTENT
            if token.pos_ not in CONTENT:
                assert token.text == old_token.text
    assert 0.2 < exchanged / content < 0.5


def test_probability_zero_changes_nothing(examples):
    augmenter = NonceAugmenter(probability=0.0)
    assert all(next(augmenter(None, example)) is example for example in examples)


def test_examples_with_other_tokens_are_left_alone(examples):
    other = Example(examples[0].predicted, examples[1].reference)
    assert next(NonceAugmenter(probability=1.0)(None, other)) is other


def test_probability_is_checked():
    with pytest.raises(ValueError, match="probability must be in"):
        NonceAugmenter(probability=1.5)


def test_the_batcher_draws_anew_in_every_epoch(examples):
    random.seed(0)
    make_augmenter = registry.augmenters.get("spacy_npparse.nonce_augmenter.v1")
    batcher = augmenting_batcher(configure_minibatch(16), make_augmenter(probability=0.5))
    epochs = [[eg.reference.text for batch in batcher(examples) for eg in batch] for _ in range(3)]
    assert len(epochs[0]) == len(examples)
    assert epochs[1] != epochs[2]
