"""The range of scores: the sentinel for impossible scores, and the limit of possible ones.

`IMPOSSIBLE` is recognised by `score < IMPOSSIBLE / 2`. It is so low that its softmax is 0 and that
adding ordinary scores does not change it, but sums of many of them are finite in float32.

`SCORE_LIMIT` is a clamp: scores between minus and plus this limit can be added up over a sentence
and still be compared in float32. Decoders clamp all scores that they are given. NaN counts as the
lowest score.
"""


cdef extern from "score_range.h" namespace "npparse" nogil:
    const float _IMPOSSIBLE "npparse::IMPOSSIBLE"
    const float _SCORE_LIMIT "npparse::SCORE_LIMIT"

IMPOSSIBLE = _IMPOSSIBLE
SCORE_LIMIT = _SCORE_LIMIT
