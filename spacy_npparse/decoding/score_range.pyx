"""The range of scores: the sentinel for impossible scores, and the limit of possible ones.

`IMPOSSIBLE` is recognised by `score < IMPOSSIBLE / 2`. It is so low that its softmax is 0 and that
adding ordinary scores does not change it, but sums of many of them are finite in float32.

`SCORE_LIMIT` is a clamp: scores between minus and plus this can be added up over a sentence and
still be compared in float32, whatever the weights of a network are.
"""


cdef extern from "score_range.h" namespace "npparse" nogil:
    const float _IMPOSSIBLE "npparse::IMPOSSIBLE"

IMPOSSIBLE = _IMPOSSIBLE
SCORE_LIMIT = 1e6
