"""Tests of random wrong tags in training."""

import torch

from spacy_npparse.lemmas import Mistagging, Word

WORDS = [Word("hundar", "N", "n", "A=1"), Word("talar", "V", "v", "B=1"), Word("x", "X")]


def test_a_fifth_of_the_words_have_the_tags_of_words_that_end_alike():
    torch.manual_seed(0)
    made = Mistagging(WORDS)(WORDS * 2000)
    assert [word.form for word in made] == [word.form for word in WORDS * 2000]
    nouns = made[::3]
    assert {word[1:] for word in nouns} == {WORDS[0][1:], WORDS[1][1:]}
    # Of two tags, the word's own is drawn as often as the other.
    assert 0.07 < sum(word.upos == "V" for word in nouns) / len(nouns) < 0.13
    assert set(made[2::3]) == {WORDS[2]}


def test_words_that_are_not_of_the_treebank():
    torch.manual_seed(0)
    word = Word("unknown", "N")
    assert set(Mistagging(WORDS)([word] * 100)) == {word}
    assert Mistagging([])([]) == []
