"""Cached spellings, compared with newly computed ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from spacy.strings import StringStore

from spacy_npparse.models.spellings import AFFIXES, Spellings

SIZES = dict(max_chars=5, char_rows=64, affix_rows=50)
WORDS = st.lists(st.text(min_size=1, max_size=9), min_size=1, max_size=8, unique=True)


def look_up(table, words):
    strings = StringStore()
    forms = np.array([strings.add(word) for word in words], dtype=np.uint64)
    return table.look_up(forms, strings)


@pytest.mark.parametrize("most", [2**15, 6])
@given(batches=st.lists(WORDS, min_size=1, max_size=6))
def test_a_spelling_does_not_depend_on_what_was_looked_up_before(most, batches):
    table = Spellings(**SIZES, most_forms=most)
    for words in batches:
        chars, n_chars, affixes = look_up(table, words)
        assert len(words) <= len(table) <= max(most, len(words))
        for i, word in enumerate(words):
            (alone,), (n,), (its_affixes,) = look_up(Spellings(**SIZES), [word])
            assert n_chars[i] == n == min(len(word), SIZES["max_chars"])
            assert chars[i].tolist() == [*alone, *[0] * (chars.shape[1] - n)]
            assert affixes[i].tolist() == its_affixes.tolist()


def test_an_interrupted_look_up_leaves_no_trace(monkeypatch):
    table = Spellings(**SIZES)
    with monkeypatch.context() as patch:
        patch.setattr("spacy_npparse.models.spellings.crc32", interrupted_at(b"bb"))
        with pytest.raises(KeyboardInterrupt):
            look_up(table, ["a", "bb", "ccc"])
    assert look_up(table, ["a", "bb", "ccc"])[1].tolist() == [1, 2, 3]


def interrupted_at(stop):
    def checksum(data):
        if data == stop:
            raise KeyboardInterrupt
        return 0

    return checksum


def test_long_words_keep_their_ends_and_affixes_are_those_of_the_lower_case():
    chars, n_chars, affixes = look_up(Spellings(**SIZES), ["Abcdefgh", "abcdefgh"])
    assert chars[1].tolist() == [1 + ord(char) % 63 for char in "abcgh"]
    assert chars[0, 0] != chars[1, 0] and (chars[0, 1:] == chars[1, 1:]).all()
    assert n_chars.tolist() == [5, 5]
    assert (affixes[0] == affixes[1]).all()
    assert (affixes[0] // 50).tolist() == list(range(len(AFFIXES)))
