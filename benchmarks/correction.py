"""Count how many heads an annotator corrects if each correction is followed by a new parse.

    python benchmarks/correction.py training/gothic/model-best got-ud-dev.conllu --sentences 200

A simulated annotator knows the gold trees, with gold tokens and sentences; punctuation counts. The
annotator checks heads up to the first wrong one and corrects it. Confirmed heads are constraints of
the next parse. The annotators differ as follows:

- left to right: the heads are checked from left to right, and all checked heads are confirmed.
- corrected alone: the same, but only the corrected heads are confirmed.
- large subtrees first: the heads of words with many descendants are checked first, and all checked
  heads are confirmed.
- doubtful first: the same, but the least probable heads are checked first.

The table shows the corrections, their ratio to the heads that are wrong at first, the words that
are checked until all heads are right, and the CPU time of new parses of up to 40 words each.
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
# A function that returns the token indices of a parsed sentence in the order of checking.
Order = Callable[[Doc], list[int]]


class Policy(NamedTuple):
    """The procedure of an annotator.

    Attributes:
        name: The name in the table.
        order: The order in which heads are checked.
        confirms: Whether checked heads that are right are confirmed, too.
    """

    name: str
    order: Order
    confirms: bool


def left_to_right(doc: Doc) -> list[int]:
    """Return all words from left to right."""
    return list(range(len(doc)))


def doubtful_first(doc: Doc) -> list[int]:
    """Return all words, the words with the least probable heads first."""
    return sorted(range(len(doc)), key=lambda i: doc[i]._.head_probability)


def large_subtrees_first(doc: Doc) -> list[int]:
    """Return all words, the words with the most descendants first."""
    return sorted(range(len(doc)), key=lambda i: -sum(1 for _ in doc[i].subtree))


POLICIES = [
    Policy("left to right", left_to_right, True),
    Policy("corrected alone", left_to_right, False),
    Policy("large subtrees first", large_subtrees_first, True),
    Policy("doubtful first", doubtful_first, True),
]


class Effort(NamedTuple):
    """The effort of annotating a sentence.

    Attributes:
        n_wrong: The number of heads that are wrong at first.
        n_corrected: The number of corrections.
        n_seen: The number of words that are checked up to the last correction.
        seconds: The CPU time of each new parse.
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
    """Count the wrong heads."""
    return sum(token.head.i != head for token, head in zip(doc, gold, strict=True))


def parse(nlp: Language, sentence: Sentence, known: dict[int, list[int]]) -> Doc:
    """Parse a sentence with some known heads."""
    doc = unannotated_doc([sentence], nlp.vocab)
    return nlp(DependencyConstraints(heads=known).attach(doc))


if __name__ == "__main__":
    main()
