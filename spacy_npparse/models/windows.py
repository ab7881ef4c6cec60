"""Overlapping windows of long sequences, which an encoder reads in parallel."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Windows:
    """Overlapping windows of concatenated sequences.

    Attributes:
        rows: int64 [n_rows], the vector in each row of the windows.
        lengths: The number of rows of each window.
        centres: int64 [n_vectors], the row in which each vector has its context on both sides.
    """

    rows: NDArray[np.int64]
    lengths: list[int]
    centres: NDArray[np.int64]


def cut_into_windows(lengths: Sequence[int], size: int, context: int) -> Windows:
    """Cut sequences that are longer than size + 2 * context into windows. Shorter ones are one
    window.

    Args:
        lengths: The lengths of the sequences, all positive.
        size: The number of vectors in a window, without its context.
        context: The number of additional vectors on both sides, up to the ends of the sequence.

    Returns:
        The windows.
    """
    rows, centres, window_lengths = [], [], []
    sequence = n_rows = 0
    for length in lengths:
        step = size if length > size + 2 * context else length
        for start in range(0, length, step):
            end = min(start + step, length)
            left, right = max(start - context, 0), min(end + context, length)
            rows.append(np.arange(sequence + left, sequence + right))
            centres.append(np.arange(n_rows + start - left, n_rows + end - left))
            window_lengths.append(right - left)
            n_rows += right - left
        sequence += length
    return Windows(np.concatenate(rows), window_lengths, np.concatenate(centres))
