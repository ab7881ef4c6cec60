"""Tests of the table of a treebank's lemmas."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_npparse.lemmas import (
    LemmaTable,
    Lexicon,
    Symbols,
    Word,
    lexicon_from_dict,
    lexicon_to_dict,
)
from spacy_npparse.lemmas.endings import Endings

WORDS = st.builds(
    Word,
    st.sampled_from(["Aa", "aa", "b"]),
    st.sampled_from(["", "N", "V"]),
    st.sampled_from(["", "n1", "n2"]),
    st.sampled_from(["", "A=1", "A=2|B=1"]),
)
COUNTS = st.dictionaries(
    st.tuples(WORDS, st.sampled_from(["aa", "b", "bb"])), st.integers(1, 3), max_size=12
)


def expected(counts, word):
    """Return the most frequent lemma of the most similar known words."""
    form, upos, xpos, feats = word
    likenesses = [
        lambda other: other == word,
        lambda other: (other.form, other.upos, other.feats) == (form, upos, feats),
        lambda other: (other.form, other.upos) == (form, upos),
        lambda other: (other.form.lower(), other.upos) == (form.lower(), upos),
        lambda other: other.form == form,
    ]
    for is_like in likenesses:
        found = Counter()
        for (other, lemma), count in counts.items():
            if is_like(other):
                found[lemma] += count
        if found:
            return max(found, key=lambda lemma: (found[lemma], -len(lemma), lemma))
    return Endings(counts).find(word)


@given(COUNTS, WORDS)
def test_the_closest_word_that_the_treebank_has(counts, word):
    table = LemmaTable(counts)
    assert table.find(word) == expected(counts, word)
    for known, _ in counts:
        assert table.find(known) == expected(counts, known)


@given(COUNTS, COUNTS, WORDS)
def test_words_that_are_added(counts, more, word):
    """All lemmas of words with a new lemma are counted from then on, those of others are not."""
    table = LemmaTable(counts)
    table.find(word)
    changing = {word for word, lemma in more if (word, lemma) not in counts}
    own = {pair: n for pair, n in more.items() if pair[0] in changing}
    for n_passes in (1, 2, 3):
        table.add(more)
        joined = Counter(counts)
        for pair, n in own.items():
            joined[pair] += n * n_passes
        assert table.counts == joined
        assert table.find(word) == expected(joined, word)
        for pair in more:
            assert table.frequency(*pair) == counts.get(pair, more[pair])
    saved = lexicon_from_dict(lexicon_to_dict(Lexicon(table, Symbols.collect(counts)))).table
    saved.add(more)
    assert saved.counts == table.counts


@given(COUNTS)
def test_saved_words_are_the_same(counts):
    data = lexicon_to_dict(Lexicon(LemmaTable(counts), Symbols.collect(counts)))
    lexicon = lexicon_from_dict(data)
    assert lexicon.table.counts == counts
    assert lexicon_to_dict(lexicon) == data


def test_edits_of_a_single_pair_are_no_rules():
    pairs = [(Word("abs"), "ab"), (Word("cds"), "cd"), (Word("was"), "be"), (Word("was"), "wa")]
    symbols = Symbols.collect(pairs)
    assert symbols.gold(Word("xs"), "x") is not None
    assert symbols.gold(Word("was"), "be") is None


@pytest.mark.parametrize("form, lemma", [("", "a"), ("a", ""), ("a" * 101, "a")])
def test_what_cannot_be_learnt(form, lemma):
    symbols = Symbols.collect([(Word(form), lemma), (Word("b"), "b")])
    assert symbols.chars == "b" and symbols.gold(Word(form), lemma) is None
