"""Measure how given heads change the other heads that a trained parser predicts, and its speed.

    python benchmarks/constraints.py training/gothic/model-best got-ud-dev.conllu

A random share of the gold heads is given, with gold tokens and sentences. The table shows the UAS
of all words, the UAS of the words without a given head, the UAS of the same words if no heads are
given, and the words per second. Punctuation counts.
"""

import argparse
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import spacy
import torch
from spacy.language import Language

from spacy_npparse.components import DependencyConstraints
from spacy_npparse.treebank import Sentence, read_conllu, unannotated_doc


class Result(NamedTuple):
    """The predicted heads of a treebank.

    Attributes:
        heads: The heads of each sentence, 0 for the root.
        words_per_second: The speed of the whole pipeline.
    """

    heads: list[np.ndarray]
    words_per_second: float


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", type=Path, help="pipeline with a parser")
    parser.add_argument("gold", type=Path, help="CoNLL-U file to parse, with gold tokens")
    parser.add_argument("--shares", nargs="+", type=float, default=[0.1, 0.25, 0.5])
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    nlp = spacy.load(arguments.model)
    gold = list(read_conllu(arguments.gold))
    heads = [np.array(sentence.heads[1:]) for sentence in gold]
    parse(nlp, gold[:20], [np.zeros(len(words), bool) for words in heads[:20]])
    free = parse(nlp, gold, [np.zeros(len(words), bool) for words in heads])
    rng = np.random.default_rng(0)
    print("| given | UAS | of other words | of these without | words/s |")
    print("|---|---|---|---|---|")
    for share in [0.0, *arguments.shares]:
        given = [rng.random(len(words)) < share for words in heads]
        found = parse(nlp, gold, given)
        others = [~words for words in given]
        print(
            f"| {share:.0%} | {uas(found, heads)} | {uas(found, heads, others)} | "
            f"{uas(free, heads, others)} | {found.words_per_second:,.0f} |"
        )


def parse(nlp: Language, gold: list[Sentence], given: list[np.ndarray]) -> Result:
    """Parse with some gold heads given. given: bool [n_words] for each sentence."""
    docs = [unannotated_doc([sentence], nlp.vocab) for sentence in gold]
    for doc, sentence, words in zip(docs, gold, given, strict=True):
        heads = {
            i: [sentence.heads[i + 1] - 1 if sentence.heads[i + 1] else i]
            for i in np.flatnonzero(words).tolist()
        }
        if heads:
            DependencyConstraints(heads=heads).attach(doc)
    start = time.perf_counter()
    list(nlp.pipe(docs, batch_size=128))
    seconds = time.perf_counter() - start
    heads_found = [
        np.array([0 if token.head.i == token.i else token.head.i + 1 for token in doc])
        for doc in docs
    ]
    return Result(heads_found, sum(map(len, docs)) / seconds)


def uas(found: Result, heads: list[np.ndarray], counted: list[np.ndarray] | None = None) -> str:
    """Return the UAS of the counted words, or of all words, in percent."""
    right = np.concatenate([f == h for f, h in zip(found.heads, heads, strict=True)])
    if counted is not None:
        right = right[np.concatenate(counted)]
    return f"{100 * right.mean():.2f}"


if __name__ == "__main__":
    main()
