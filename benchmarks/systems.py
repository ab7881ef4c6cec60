"""Decoders of trained parsers: words per second, and transitions per word.

    python benchmarks/systems.py training/gothic/leaderboard got-ud-dev.conllu
    python benchmarks/systems.py training/gothic/leaderboard got-ud-dev.conllu \\
        --parsers mh4 arc_hybrid_swap arc_hybrid_swap,decoder.beam_width=4

The models are those of `python -m spacy_npparse leaderboard`. One thread, CPU time of the compiled
search alone, scores given; median of three runs, mean over the seeds that there are.
"""

import argparse
from contextlib import ExitStack
from pathlib import Path
from statistics import mean, median
from typing import Any

import numpy as np
import torch
from recording import recorded
from spacy.language import Language

from spacy_npparse.decoding import MHDerivations
from spacy_npparse.laboratory import contestant
from spacy_npparse.laboratory.component import ComponentPipeline
from spacy_npparse.parsing import mh, one_endpoint_crossing, spanning_trees, transitions
from spacy_npparse.treebank import Sentence, read_conllu, unannotated_doc

RUNS = 3
BATCH = 128
DECODERS = [
    (transitions, "decode_greedy"),
    (transitions, "decode_beam"),
    (mh, "decode_mh"),
    (mh, "decode_mh_greedily"),
    (spanning_trees, "decode_spanning_trees"),
    (one_endpoint_crossing, "decode_one_endpoint_crossing"),
]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="folder of a leaderboard")
    parser.add_argument("gold", type=Path, help="CoNLL-U file to parse, with gold tokens")
    parser.add_argument("--parsers", nargs="+", help="by default, all that have models")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    models = [path.parent for path in sorted(arguments.folder.glob("models/*-*[0-9]/model-last"))]
    names = arguments.parsers or dict.fromkeys(path.name.rpartition("-")[0] for path in models)
    sentences = list(read_conllu(arguments.gold))
    print("| parser | seeds | decoder, words/s | transitions/word |")
    print("|---|---|---|---|")
    for name in names:
        found = contestant(name)
        if not isinstance(found, ComponentPipeline):
            continue
        runs = [
            measure(found.load(path), sentences)
            for path in models
            if path.name.rpartition("-")[0] == found.model_name
        ]
        if runs:
            rate = mean(rate for rate, _ in runs)
            steps = mean(steps for _, steps in runs)
            print(f"| {name} | {len(runs)} | {rate:,.0f} | {f'{steps:.2f}' if steps else '-'} |")


def measure(nlp: Language, sentences: list[Sentence]) -> tuple[float, float]:
    """Words per second, and transitions per word."""
    runs = [parse(nlp, sentences) for _ in range(RUNS)]
    n_words = sum(len(sentence.words) for sentence in sentences)
    return n_words / median(seconds for seconds, _ in runs), runs[0][1] / n_words


def parse(nlp: Language, sentences: list[Sentence]) -> tuple[float, int]:
    """The CPU time of the decoder, and the number of transitions."""
    docs = [unannotated_doc([s], nlp.vocab, sentence_starts=True) for s in sentences]
    with ExitStack() as stack:
        recordings = [stack.enter_context(recorded(*decoder)) for decoder in DECODERS]
        list(nlp.pipe(docs, batch_size=BATCH))
    calls = [call for recording in recordings for call in recording]
    return sum(seconds for seconds, _ in calls), sum(map(transitions_of, calls))


def transitions_of(call: tuple[float, Any]) -> int:
    """The number of transitions in the result of a decoder, 0 if it has none."""
    result = call[1]
    if isinstance(result, MHDerivations):
        return len(result.transitions)
    return int(getattr(result, "n_transitions", np.zeros(1)).sum())


if __name__ == "__main__":
    main()
