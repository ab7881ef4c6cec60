"""Overlapping windows, in which the encoder reads long sequences."""

import numpy as np
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc

from spacy_npparse.models.char_bilstm import CharBiLSTM
from spacy_npparse.models.char_bilstm_net import CONTEXT, WINDOW
from spacy_npparse.models.windows import cut_into_windows

LENGTHS = st.lists(st.integers(1, 60), min_size=1, max_size=6)


@given(lengths=LENGTHS, size=st.integers(1, 20), context=st.integers(0, 10))
def test_every_vector_is_seen_once_with_its_context(lengths, size, context):
    windows = cut_into_windows(lengths, size, context)
    assert windows.rows[windows.centres].tolist() == list(range(sum(lengths)))
    assert max(windows.lengths) <= size + 2 * context
    window_of_row = np.repeat(np.arange(len(windows.lengths)), windows.lengths)
    assert len(window_of_row) == len(windows.rows)
    shown = np.split(windows.rows, np.cumsum(windows.lengths)[:-1])
    end = 0
    for length in lengths:
        start, end = end, end + length
        for vector in range(start, end):
            window = shown[window_of_row[windows.centres[vector]]]
            assert window.tolist() == list(range(window[0], window[-1] + 1))
            assert start <= window[0] <= max(start, vector - context)
            assert min(end - 1, vector + context) <= window[-1] < end


@given(lengths=LENGTHS)
def test_short_sequences_are_one_window(lengths):
    windows = cut_into_windows(lengths, size=20, context=20)
    assert windows.lengths == lengths
    assert windows.rows.tolist() == windows.centres.tolist() == list(range(sum(lengths)))


def test_words_of_a_long_doc_see_their_surroundings_only():
    encoder = CharBiLSTM(width=8, word_width=6, char_width=4, affix_width=2)
    encoder.initialize()
    vocab = spacy.blank("xx").vocab
    words = [f"Wort{i}" for i in range(10 * WINDOW)]
    other = ["Anfang"] * WINDOW + words[WINDOW:]
    (whole,) = encoder.predict([Doc(vocab, words=words)])
    (changed,) = encoder.predict([Doc(vocab, words=other)])
    differ = np.flatnonzero((whole != changed).any(axis=1))
    assert differ.max() < 2 * WINDOW
    (extract,) = encoder.predict([Doc(vocab, words=words[WINDOW - CONTEXT : 2 * WINDOW + CONTEXT])])
    inner = extract[CONTEXT : CONTEXT + WINDOW]
    assert np.allclose(whole[WINDOW : 2 * WINDOW], inner, atol=1e-6)
