"""Tests of the sentinel for impossible scores, and of the limit of possible scores, in float32."""

import numpy as np

from spacy_npparse.decoding import IMPOSSIBLE, SCORE_LIMIT

SENTINEL = np.float32(IMPOSSIBLE)
LIMIT = np.float32(SCORE_LIMIT)
LONGEST = 10_000


def test_the_sentinel_is_the_same_number_in_float32():
    assert float(SENTINEL) == IMPOSSIBLE


def test_sums_of_sentinels_and_scores_are_impossible():
    sentinels = np.full(LONGEST, SENTINEL).cumsum(dtype=np.float32)
    assert np.isfinite(sentinels).all() and (np.diff(sentinels) < 0).all()
    assert SENTINEL + LIMIT * LONGEST < SENTINEL / 2
    assert np.exp(SENTINEL + 2 * LIMIT) == 0


def test_possible_scores_are_told_apart():
    assert -LIMIT * LONGEST > SENTINEL / 2
    assert LIMIT + np.float32(1.0) > LIMIT
