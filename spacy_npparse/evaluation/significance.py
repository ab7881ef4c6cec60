"""Whether one parser is better than another, or just luckier on these sentences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

_CHUNK = 500


def approximate_randomisation(
    first: Sequence[float], second: Sequence[float], samples: int = 10_000, seed: int = 0
) -> float:
    """The probability of a difference at least as large if the two parsers were equally good: how
    often it comes about when, sentence by sentence, their results are exchanged by chance.

    first, second: [sentences] what each parser gets right (words, say, summed over its seeds) in
        the same sentences.
    samples: random exchanges of them all.
    seed: of these.

    Returns the two-sided p-value. Raises ValueError if the numbers of sentences differ.

    Source: Yeh (2000), after Noreen (1989).
    """
    if len(first) != len(second):
        raise ValueError(f"{len(first)} sentences cannot be paired with {len(second)}")
    differences = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    differences = differences[differences != 0]
    observed = abs(differences.sum())
    rng = np.random.default_rng(seed)
    as_large = 0
    for start in range(0, samples, _CHUNK):
        size = min(_CHUNK, samples - start)
        signs = rng.integers(0, 2, (size, len(differences))) * 2 - 1
        as_large += int((abs(signs @ differences) >= observed - 1e-9).sum())
    return (as_large + 1) / (samples + 1)
