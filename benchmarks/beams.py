"""Measure how many times as long as greedy search the beam search of a trained parser takes.

    python benchmarks/beams.py training/gothic/model-best got-ud-dev.conllu
    python benchmarks/beams.py training/gothic/model-best got-ud-dev.conllu --widths 8 32

The table shows the CPU time of the compiled search alone on one thread, for scores of the model.
Greedy search and all beam widths alternate, and medians are shown. The column `trees` is the mean
number of different trees on the final beam of a sentence.
"""

import argparse
import time
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import spacy
import torch
from spacy.language import Language

from spacy_npparse.annotation import encode_sentences
from spacy_npparse.decoding import ScoreTables, decode_beam, decode_greedy
from spacy_npparse.parsing import TransitionSearch
from spacy_npparse.treebank import Sentence, read_conllu

RUNS = 9

# A batch: the system, the scores, the lengths of the sentences, and whether scores are normalised.
Batch = tuple[Any, ScoreTables, np.ndarray, bool]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", type=Path, help="pipeline whose parser has a transition system")
    parser.add_argument("gold", type=Path, help="CoNLL-U file to parse, with gold tokens")
    parser.add_argument("--widths", nargs="+", type=int, default=[2, 4, 8, 16])
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    batches = scored_batches(spacy.load(arguments.model), list(read_conllu(arguments.gold)))
    runs = [[seconds(batches, width) for width in (1, *arguments.widths)] for _ in range(RUNS)]
    n_words = sum(int(lengths.sum()) for _, _, lengths, _ in batches)
    print("| width | words/s | times greedy search | trees |")
    print("|---|---|---|---|")
    for i, width in enumerate((1, *arguments.widths)):
        rate = n_words / median(run[i] for run in runs)
        times = median(run[i] / run[0] for run in runs)
        print(f"| {width} | {rate:,.0f} | {times:.1f} | {trees(batches, width):.1f} |")


def scored_batches(nlp: Language, sentences: list[Sentence]) -> list[Batch]:
    """Score the transitions of all sentences with the parser of a pipeline, batch by batch."""
    encoded = encode_sentences(nlp, sentences)
    search = encoded.parser.search
    if not isinstance(search, TransitionSearch):
        raise SystemExit(f"{encoded.parser.name} has no transition system.")
    batches = []
    with torch.no_grad():
        for scored in (part.scored for part in encoded.parts):
            net = scored.net
            tables = net.tables(net.project(scored.rows), scored.arcs)
            lengths = scored.sentences.lengths
            batches.append((search.system.kernel, tables, lengths, net.progress.normalised))
    return batches


def seconds(batches: list[Batch], width: int) -> float:
    """Measure the CPU time of search; width 1 is greedy search."""
    start = time.process_time()
    for system, tables, lengths, normalised in batches:
        if width == 1:
            decode_greedy(system, tables, lengths)
        else:
            decode_beam(system, tables, lengths, width, normalised)
    return time.process_time() - start


def trees(batches: list[Batch], width: int) -> float:
    """Return the mean number of different trees on the final beam of a sentence."""
    counts: list[int] = []
    for system, tables, lengths, normalised in batches:
        heads = decode_beam(system, tables, lengths, width, normalised).heads
        for end, n in zip(np.cumsum(lengths), lengths, strict=True):
            if n > 0:
                found = {tuple(tree) for tree in heads[:, end - n : end].tolist()}
                counts.append(sum(-1 not in tree for tree in found))
    return float(np.mean(counts))


if __name__ == "__main__":
    main()
