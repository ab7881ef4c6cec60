"""How many heads an annotator corrects, if the rest is parsed again after each correction.

    python benchmarks/correction.py training/gothic/model-best got-ud-dev.conllu --sentences 200

A simulated annotator knows the gold trees (gold tokens and sentences; all words count). What has
been looked at is confirmed, and the rest is parsed again under it:

- left to right: the annotator reads, and corrects the first wrong head; the words up to there are
  confirmed.
- corrected alone: the same, but only what has been corrected is confirmed.
- large subtrees first: the heads of words with many descendants are looked at first; those that are
  right are confirmed, and the first wrong one is corrected.
- doubtful first: likewise, the least probable heads first.

The table has the corrections, their share of the heads that are wrong at first, the words that are
looked at until all are right, and the CPU time of parsing again, for sentences of up to 40 words.
"""

import argparse
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
import spacy
import torch
from spacy.language import Language
from spacy.tokens import Doc

from spacy_npparse.components import DependencyConstraints
from spacy_npparse.components.prediction import keep_confidence
from spacy_npparse.treebank import Sentence, read_conllu, unannotated_doc
from spacy_npparse.trees.missing import NO_HEAD

MOST_WORDS_TIMED = 40
# The words of a tree in the order in which they are looked at, from their tokens.
Order = Callable[[Doc], list[int]]


class Policy(NamedTuple):
    """How an annotator goes on.

    Attributes:
        name: For the table.
        order: In which order words are looked at.
        confirms: Whether words that are right are confirmed, too.
    """

    name: str
    order: Order
    confirms: bool


def left_to_right(doc: Doc) -> list[int]:
    """All words, in order."""
    return list(range(len(doc)))


def doubtful_first(doc: Doc) -> list[int]:
    """All words, those with the least probable heads first."""
    return sorted(range(len(doc)), key=lambda i: doc[i]._.head_probability)


def large_subtrees_first(doc: Doc) -> list[int]:
    """All words, those with the most descendants first."""
    return sorted(range(len(doc)), key=lambda i: -sum(1 for _ in doc[i].subtree))


POLICIES = [
    Policy("left to right", left_to_right, True),
    Policy("corrected alone", left_to_right, False),
    Policy("large subtrees first", large_subtrees_first, True),
    Policy("doubtful first", doubtful_first, True),
]


class Effort(NamedTuple):
    """What the annotation of a sentence takes.

    Attributes:
        n_wrong: Heads that are wrong at first.
        n_corrected: Heads that are corrected.
        n_seen: Words that are looked at, up to the last correction.
        seconds: CPU time of each time that it is parsed again.
    """

    n_wrong: int
    n_corrected: int
    n_seen: int
    seconds: list[float]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", type=Path, help="pipeline with a parser")
    parser.add_argument("gold", type=Path, help="CoNLL-U file, with gold trees")
    parser.add_argument("--sentences", type=int, help="only the first ones")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    nlp = spacy.load(arguments.model)
    keep_confidence(nlp)
    sentences = [
        one
        for one in islice(read_conllu(arguments.gold), arguments.sentences)
        if NO_HEAD not in one.heads[1:] and one.n_roots == 1
    ]
    print("| annotator | wrong | corrected | share | looked at | ms, median | 95th percentile |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for policy in POLICIES:
        efforts = [annotate(nlp, sentence, policy) for sentence in sentences]
        wrong = sum(one.n_wrong for one in efforts)
        corrected = sum(one.n_corrected for one in efforts)
        taken = 1000 * np.array([second for one in efforts for second in one.seconds] or [0.0])
        print(
            f"| {policy.name} | {wrong} | {corrected} | {corrected / max(1, wrong):.2f} | "
            f"{sum(one.n_seen for one in efforts):,} | {np.median(taken):.1f} | "
            f"{np.percentile(taken, 95):.1f} |"
        )


def annotate(nlp: Language, sentence: Sentence, policy: Policy) -> Effort:
    """Correct a sentence until its tree is right."""
    gold = [head - 1 if head else i for i, head in enumerate(sentence.heads[1:])]
    doc = parse(nlp, sentence, {})
    n_wrong = n_wrong_heads(doc, gold)
    known: dict[int, list[int]] = {}
    seen: set[int] = set()
    n_corrected = 0
    seconds = []
    while n_wrong_heads(doc, gold):
        for i in policy.order(doc):
            seen.add(i)
            is_wrong = doc[i].head.i != gold[i]
            if is_wrong or policy.confirms:
                known[i] = [gold[i]]
            if is_wrong:
                break
        n_corrected += 1
        start = time.process_time()
        doc = parse(nlp, sentence, known)
        if len(gold) <= MOST_WORDS_TIMED:
            seconds.append(time.process_time() - start)
    return Effort(n_wrong, n_corrected, len(seen), seconds)


def n_wrong_heads(doc: Doc, gold: list[int]) -> int:
    """How many heads are wrong."""
    return sum(token.head.i != head for token, head in zip(doc, gold, strict=True))


def parse(nlp: Language, sentence: Sentence, known: dict[int, list[int]]) -> Doc:
    """Parse a sentence of which some heads are known."""
    doc = unannotated_doc([sentence], nlp.vocab, sentence_starts=True)
    return nlp(DependencyConstraints(heads=known).attach(doc))


if __name__ == "__main__":
    main()
