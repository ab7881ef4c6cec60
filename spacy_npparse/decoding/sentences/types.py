"""Spans of words that may be sentences."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Spans(NamedTuple):
    """Spans of words and the scores of their heads, in ascending order of their first words.

    Attributes:
        first: int64 [n_spans], the first word of each span.
        end: int64 [n_spans], the word after the last one of each span.
        scores: float64 [n_spans], the score of the best single-rooted choice of heads.
    """

    first: NDArray[np.int64]
    end: NDArray[np.int64]
    scores: NDArray[np.float64]
