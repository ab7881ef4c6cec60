"""The vocabulary that an encoder learns during training."""

import numpy as np
import pytest

from spacy_npparse.models.word_vocabulary import WordVocabulary

# One word occurs eight times, one twice, and four once.
TEXT = [11] * 8 + [22] * 2 + [31, 32, 33, 34]


def read(vocabulary, text, times=1):
    for _ in range(times):
        words, counts = np.unique(np.array(text, dtype=np.uint64), return_counts=True)
        occurrences = vocabulary.count(words, counts)
    return dict(zip(words.tolist(), occurrences.tolist(), strict=True))


@pytest.mark.parametrize("passes", [1, 2, 50])
def test_occurrences_are_those_of_one_pass_however_often_the_text_is_read(passes):
    occurrences = read(WordVocabulary(10), TEXT, passes)
    assert occurrences == {11: 8, 22: 2, 31: 1, 32: 1, 33: 1, 34: 1}


def test_only_words_that_occur_twice_get_a_row():
    vocabulary = WordVocabulary(10)
    read(vocabulary, TEXT, 5)
    rows = vocabulary.rows(np.array([11, 22, 31, 99], dtype=np.uint64)).tolist()
    assert sorted(rows) == [0, 0, 1, 2]
    assert rows[2:] == [0, 0]


def test_a_full_table_takes_no_more_words():
    vocabulary = WordVocabulary(2)
    read(vocabulary, TEXT)
    assert sorted(vocabulary.rows(np.array([11, 22], dtype=np.uint64)).tolist()) == [0, 1]


def test_rows_survive_saving():
    vocabulary = WordVocabulary(10)
    read(vocabulary, [2**63 + 5] * 2 + TEXT)
    loaded = WordVocabulary(10)
    loaded.rows(np.array([11], dtype=np.uint64))
    loaded.load_state_dict(vocabulary.state_dict())
    words = np.array([2**63 + 5, 11, 22, 31], dtype=np.uint64)
    assert loaded.rows(words).tolist() == vocabulary.rows(words).tolist()
    assert loaded.rows(words)[0] > 0


def test_known_words_do_not_become_rare_when_training_is_resumed():
    vocabulary = WordVocabulary(10)
    read(vocabulary, TEXT)
    loaded = WordVocabulary(10)
    loaded.load_state_dict(vocabulary.state_dict())
    assert read(loaded, [11, 22, 31, 99]) == {11: 8, 22: 2, 31: 1, 99: 1}
    again = WordVocabulary(10)
    again.load_state_dict(loaded.state_dict())
    assert read(again, [11] * 9 + [22, 31, 32, 33]) == {11: 9, 22: 2, 31: 1, 32: 1, 33: 1}


def test_frequent_words_are_kept_more_often():
    kept = WordVocabulary.keep_probability(np.array([1.0, 2.5, 100.0]))
    assert kept[0] < 0.3 and kept[1] == 0.5 and kept[2] > 0.95
