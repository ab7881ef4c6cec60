"""The range of scores: the sentinel of what is impossible, and the limit of what is possible.

`IMPOSSIBLE` marks scores and is told apart from them by `score < IMPOSSIBLE / 2`: it is so far below
all others that its softmax is 0 and that adding ordinary scores does not change it, while the sum of
many is finite in float32.

`SCORE_LIMIT` is a clamp: whatever the weights of a network are, scores between minus and plus this
can be added up over a sentence and still be compared.
"""


cdef extern from "score_range.h" namespace "npparse" nogil:
    const float _IMPOSSIBLE "npparse::IMPOSSIBLE"

IMPOSSIBLE = _IMPOSSIBLE
SCORE_LIMIT = 1e6
