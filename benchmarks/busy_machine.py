"""Measure the time that a pipeline takes for one text while other programs use the cores.

    python benchmarks/busy_machine.py training/gothic/model-best got-ud-dev.conllu

Two processes parse the same texts alternately: one with torch's default number of threads, and one
with OMP_NUM_THREADS=1. Meanwhile, --busy other processes keep the cores busy (by default 0, then
2). The table shows the median wall-clock time of a text of one sentence, and the ratio of medians.
"""

import argparse
import os
import subprocess
import sys
import time
from itertools import cycle, islice
from pathlib import Path
from statistics import median

import spacy

from spacy_npparse.treebank import raw_texts, read_conllu

_ROUNDS = 80
_TEXTS = 5


def main() -> None:
    """Print the table, or parse in a process of the measurement."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", type=Path)
    parser.add_argument("treebank", type=Path)
    parser.add_argument("--busy", nargs="+", type=int, default=[0, 2], help="processes")
    parser.add_argument("--parse", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.parse:
        parse_on_request(args.model, args.treebank)
    else:
        report(args)


def parse_on_request(model: Path, treebank: Path) -> None:
    """Parse some texts for each input line, and print the mean milliseconds of a text."""
    nlp = spacy.load(model)
    texts = ["".join(raw_texts([sentence])) for sentence in islice(read_conllu(treebank), 100)]
    nlp(texts[0])
    remaining = cycle(texts)
    for _ in sys.stdin:
        start = time.perf_counter()
        for text in islice(remaining, _TEXTS):
            nlp(text)
        print((time.perf_counter() - start) / _TEXTS * 1000, flush=True)


def report(args: argparse.Namespace) -> None:
    """Start the processes and print the table."""
    free = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
    processes = [begin(args, free), begin(args, {**free, "OMP_NUM_THREADS": "1"})]
    for process in processes:
        milliseconds(process)
    print("| busy processes | torch as it is, ms | one thread, ms | ratio |")
    print("|---" * 4 + "|")
    for n_busy in args.busy:
        busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(n_busy)]
        rounds = [[milliseconds(process) for process in processes] for _ in range(_ROUNDS)]
        for process in busy:
            process.kill()
        first, second = map(median, zip(*rounds, strict=True))
        print(f"| {n_busy} | {first:.2f} | {second:.2f} | {first / second:.2f} |")
    for process in processes:
        process.kill()


def begin(args: argparse.Namespace, environment: dict[str, str]) -> "subprocess.Popen[str]":
    """Start a process that parses on request."""
    command = [sys.executable, __file__, args.model, args.treebank, "--parse"]
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True
    )


def milliseconds(process: "subprocess.Popen[str]") -> float:
    """Let a process parse some texts, and return the mean milliseconds of a text."""
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write("\n")
    process.stdin.flush()
    return float(process.stdout.readline())


if __name__ == "__main__":
    main()
