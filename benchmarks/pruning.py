"""Measure how pruning changes the trees and the speed of a one-endpoint-crossing parser.

    python benchmarks/pruning.py training/gothic/models/one_endpoint_crossing-0/model-last \
        got-ud-dev.conllu

For each ratio (the setting `pruning`), the table shows how many arcs are left for each word, how
many trees differ from the result of exact search, by how much their scores are lower on average,
and the UAS with gold sentences, where punctuation counts. The last columns are the CPU time of
search and pruning for a sentence of median length and for the longest one, on one thread, medians.
"""

import argparse
import time
from pathlib import Path
from statistics import median

import numpy as np
import spacy
import torch
from spacy.language import Language

from spacy_npparse.annotation import encode_sentences
from spacy_npparse.decoding import (
    OneEndpointCrossingScores,
    OneEndpointCrossingTrees,
    decode_one_endpoint_crossing,
    improbable_arcs,
)
from spacy_npparse.parsing import OneEndpointCrossingParts
from spacy_npparse.treebank import Sentence, read_conllu

RUNS = 5

# The scores, the log-probabilities of arcs, and the length of a sentence.
Scored = tuple[OneEndpointCrossingScores, np.ndarray, np.ndarray]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", type=Path, help="pipeline with a one_endpoint_crossing_parser")
    parser.add_argument("gold", type=Path, help="CoNLL-U file to parse, with gold tokens")
    parser.add_argument(
        "--ratios", nargs="+", type=float, default=[1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1]
    )
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    gold = list(read_conllu(arguments.gold))
    sentences = scored_sentences(spacy.load(arguments.model), gold)
    heads = [np.array(sentence.heads[1:]) for sentence in gold]
    exact = [search(sentence, 0.0) for sentence in sentences]
    order = np.argsort([len(words) for words in heads], kind="stable")
    middle, longest = order[len(order) // 2], order[-1]
    print(
        f"| pruning | arcs for each word | other trees | lower by | UAS | "
        f"{len(heads[middle])} words | {len(heads[longest])} words |"
    )
    print("|---|---|---|---|---|---|---|")
    for ratio in [0.0, *arguments.ratios]:
        found = [search(sentence, ratio) for sentence in sentences]
        losses = [
            float(best.scores[0] - other.scores[0])
            for best, other in zip(exact, found, strict=True)
            if not np.array_equal(best.heads, other.heads)
        ]
        right = sum(int((f.heads == h).sum()) for f, h in zip(found, heads, strict=True))
        uas = 100 * right / sum(map(len, heads))
        print(
            f"| {ratio:g} | {arcs_left(sentences, ratio):.1f} | {len(losses)} of {len(found)} | "
            f"{np.mean(losses) if losses else 0.0:.2f} | {uas:.2f} | "
            f"{milliseconds(sentences[middle], ratio):.2f} ms | "
            f"{milliseconds(sentences[longest], ratio):.2f} ms |"
        )


def scored_sentences(nlp: Language, sentences: list[Sentence]) -> list[Scored]:
    """Return the scores of each sentence."""
    parts = OneEndpointCrossingParts(pruning=0.0)
    batches = [part.scored for part in encode_sentences(nlp, sentences, batch_size=1).parts]
    with torch.no_grad():
        return [
            (parts.score(one).as_arrays(), one.arcs.cpu().numpy(), one.sentences.lengths)
            for one in batches
        ]


def search(sentence: Scored, ratio: float) -> OneEndpointCrossingTrees:
    """Find the best tree of a sentence. A ratio of 0 means search without pruning."""
    scores, arcs, lengths = sentence
    pruned = improbable_arcs(arcs, lengths, ratio) if ratio else None
    return decode_one_endpoint_crossing(scores, lengths, pruned=pruned)


def arcs_left(sentences: list[Scored], ratio: float) -> float:
    """Return the mean number of arcs to a word that are not pruned."""
    n_arcs = n_words = 0
    for _, arcs, lengths in sentences:
        n = int(lengths[0])
        n_words += n
        kept = ~improbable_arcs(arcs, lengths, ratio) if ratio else np.ones((1, n + 1, n + 1), bool)
        np.einsum("ijj->ij", kept)[...] = False
        n_arcs += int(kept[0, : n + 1, 1 : n + 1].sum())
    return n_arcs / n_words


def milliseconds(sentence: Scored, ratio: float) -> float:
    """Measure the CPU time of search and pruning."""
    runs = []
    for _ in range(RUNS):
        start = time.process_time()
        search(sentence, ratio)
        runs.append(time.process_time() - start)
    return 1000 * median(runs)


if __name__ == "__main__":
    main()
