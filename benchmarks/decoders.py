"""Measure the speed of the decoders on one thread, without a model.

    python benchmarks/decoders.py
    python benchmarks/decoders.py --systems covington mh4 --beam 4

Scores are random, except that transitions that only reorder words are rare, as in real text. The
hidden layer is as wide as in `configs/accuracy.cfg`. Times are CPU times, medians of five runs.
Beam search and greedy search alternate, so that other load on the machine affects both.
"""

import argparse
import time
from functools import partial
from statistics import median
from typing import Any

import numpy as np

from spacy_npparse.decoding import ScoreTables, decode_beam, decode_greedy
from spacy_npparse.systems import transition_systems

N_WORDS = 10_000
LENGTHS = (25, 1000)
HIDDEN = 96
RUNS = 5
# Added to the scores of transitions that only reorder words.
REORDERING = -8.0


def main() -> None:
    """Print the speed of each system on short and on long sentences."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--systems", nargs="+", default=sorted(transition_systems.get_all()))
    parser.add_argument("--beam", type=int, default=1, help="width of the beam; 1 is greedy")
    arguments = parser.parse_args()
    short, long = LENGTHS
    print(
        f"| system | words/s at length {short} | at length {long} | cost per word, ratio | "
        f"transitions per word at length {short} | at length {long} | "
        f"times greedy search at length {short} | at length {long} |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for name in arguments.systems:
        system = transition_systems.get(name)(single_root=True)
        (rate, steps, times), (long_rate, long_steps, long_times) = (
            measure(system, length, arguments.beam) for length in LENGTHS
        )
        print(
            f"| {name} | {rate:,.0f} | {long_rate:,.0f} | {rate / long_rate:.2f} | {steps:.2f} | "
            f"{long_steps:.2f} | {times:.1f} | {long_times:.1f} |"
        )


def measure(system: Any, length: int, width: int) -> tuple[float, float, float]:
    """Measure words per second, transitions per word, and the ratio to the time of greedy search,
    on sentences of one length."""
    lengths = np.full(N_WORDS // length, length, dtype=np.int32)
    tables = random_tables(system, lengths)
    decode = decode_greedy if width == 1 else partial(decode_beam, width=width)
    runs = []
    for _ in range(RUNS + 1):
        start = time.process_time()
        result = decode(system, tables, lengths)
        middle = time.process_time()
        decode_greedy(system, tables, lengths)
        runs.append((middle - start, time.process_time() - middle))
    n_words = int(lengths.sum())
    return (
        n_words / median(seconds for seconds, _ in runs[1:]),
        int(result.n_transitions.sum()) / n_words,
        median(seconds / greedy for seconds, greedy in runs[1:]),
    )


def random_tables(system: Any, lengths: np.ndarray) -> ScoreTables:
    """Return random scores for sentences of the given lengths."""
    rng = np.random.default_rng(0)

    def numbers(*shape: int) -> np.ndarray:
        return rng.standard_normal(shape, dtype=np.float32)

    size = int(lengths.max()) + 1
    tables = ScoreTables(
        words=numbers(int(lengths.sum()) + len(lengths) + 1, system.n_positions, HIDDEN),
        arcs=numbers(len(lengths), size, size),
        arc_weights=numbers(system.n_candidate_arcs, HIDDEN),
        output_weights=numbers(system.n_transitions, HIDDEN) / HIDDEN**0.5,
        output_bias=numbers(system.n_transitions),
    )
    tables.output_bias[[name in system.reordering for name in system.names]] += REORDERING
    return tables


if __name__ == "__main__":
    main()
