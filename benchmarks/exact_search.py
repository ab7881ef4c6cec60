"""Measure the time and the memory of exact search by the length of sentences.

    python benchmarks/exact_search.py
    python benchmarks/exact_search.py --lengths 20 50 100 --marginals

Scores are random. Times are CPU times on one thread, medians of five runs. The memory is the peak
of the process so far. The column `exponent` is the exponent of the length in a power law for the
time, fitted by least squares to sentences of at least 50 words.
"""

import argparse
import resource
import time
from collections.abc import Callable
from functools import partial
from statistics import median
from typing import Any

import numpy as np

from spacy_npparse.decoding import (
    MHScores,
    OneEndpointCrossingScores,
    decode_mh,
    decode_one_endpoint_crossing,
    decode_spanning_trees,
    mh_marginals,
)

# Returns random scores for the given numbers of sentences and of nodes.
Scores = Callable[[int, int], Any]
# Returns the best trees for the given scores and lengths.
Search = Callable[[Any, np.ndarray], Any]

RUNS = 5
# The number of words that are decoded in one run.
WORDS = 1000


def main() -> None:
    """Print the time for a sentence of each length."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--lengths", nargs="+", type=int, default=[20, 50, 100, 200, 300])
    parser.add_argument("--marginals", action="store_true", help="and marginals of arcs")
    args = parser.parse_args()
    lengths = args.lengths
    print("| search |", " | ".join(f"{n} words" for n in lengths), "| exponent | memory |")
    print("|---" * (len(lengths) + 3) + "|")
    searches: dict[str, tuple[Scores, Search]] = {
        "spanning tree": (arc_scores, decode_spanning_trees),
        "MH3": (mh_scores, partial(decode_mh, n_heads=3)),
        "MH4": (mh_scores, partial(decode_mh, n_heads=4)),
        "one-endpoint-crossing": (one_endpoint_crossing_scores, decode_one_endpoint_crossing),
    }
    if args.marginals:
        searches["MH3, marginals"] = mh_scores, partial(mh_marginals, n_heads=3)
        searches["MH4, marginals"] = mh_scores, partial(mh_marginals, n_heads=4)
    for name, (scores, search) in searches.items():
        times = [milliseconds(scores, search, n) for n in lengths]
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        cells = [f"{value:.2f} ms" for value in times]
        print(f"| {name} |", " | ".join(cells), f"| {exponent(lengths, times)} | {memory:.0f} MB |")


def milliseconds(random_scores: Scores, search: Search, n: int) -> float:
    """Measure the CPU time for a sentence of n words."""
    n_sentences = max(1, WORDS // n)
    scores = random_scores(n_sentences, n + 2)
    lengths = np.full(n_sentences, n, dtype=np.int32)
    seconds = []
    for _ in range(RUNS + 1):
        start = time.process_time()
        search(scores, lengths)
        seconds.append(time.process_time() - start)
    return 1000 * median(seconds[1:]) / n_sentences


def arc_scores(n_sentences: int, size: int) -> np.ndarray:
    """Return random scores of arcs."""
    rng = np.random.default_rng(0)
    return rng.standard_normal((n_sentences, size, size), dtype=np.float32)


def mh_scores(n_sentences: int, size: int) -> MHScores:
    """Return random scores for MH3 and MH4."""
    rng = np.random.default_rng(0)
    shapes = [(n_sentences, *links, size, size) for links in [(), (6,), (6,), ()]]
    return MHScores(*(rng.standard_normal(shape, dtype=np.float32) for shape in shapes))


def one_endpoint_crossing_scores(n_sentences: int, size: int) -> OneEndpointCrossingScores:
    """Return random scores for one-endpoint-crossing trees."""
    rng = np.random.default_rng(0)
    shape = (n_sentences, size, size)
    return OneEndpointCrossingScores(
        *(rng.standard_normal(shape, dtype=np.float32) for _ in range(4))
    )


def exponent(lengths: list[int], times: list[float]) -> str:
    """Fit the exponent of the length in the time."""
    points = [(n, value) for n, value in zip(lengths, times, strict=True) if n >= 50]
    if len(points) < 2:
        return "-"
    slope, _ = np.polyfit(*np.log(points).T, 1)
    return f"{slope:.1f}"


if __name__ == "__main__":
    main()
