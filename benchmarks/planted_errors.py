"""Measure how many of the first arcs that `check` lists are errors, by planting errors.

    python benchmarks/planted_errors.py hu-ud-train.conllu

One arc in a hundred is changed: its new head is the grandparent or a sibling of the word, or its
new label is one with which the label is often confused. Every result is a tree. The first table
shows the precision of the first arcs of the list; errors of the treebank itself do not count as
errors. The second table counts each kind of error in a list that is as long as there are errors.
"""

import argparse
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tqdm import tqdm

from spacy_npparse.annotation.contradictions import ranked
from spacy_npparse.laboratory import BareParser, Task, config_path, contradictions_by_fold
from spacy_npparse.treebank import Sentence, parse_sentence, read_conllu

GRANDPARENT, SIBLING, LABEL = "head: grandparent", "head: sibling", "label"
KINDS = (GRANDPARENT, SIBLING, LABEL)
CONFUSED = [
    ("nsubj", "obj"),
    ("obj", "obl"),
    ("obl", "nmod"),
    ("nmod", "amod"),
    ("advmod", "obl"),
    ("acl", "advcl"),
    ("ccomp", "xcomp"),
    ("conj", "appos"),
    ("aux", "cop"),
    ("det", "nmod"),
]
AT = (10, 25, 50, 100, 200)


@dataclass(frozen=True)
class Planted:
    """A treebank with errors.

    Attributes:
        sentences: The sentences of the treebank.
        errors: The kinds of errors by the numbers of the sentence, from 0, and the word, from 1.
    """

    sentences: list[Sentence]
    errors: dict[tuple[int, int], str]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("treebank", type=Path)
    parser.add_argument("--parser", default="arc_hybrid_swap")
    parser.add_argument("--config", type=Path, default=config_path("fast"))
    parser.add_argument("--updates", type=int, default=2000)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--share", type=float, default=0.01, help="of arcs that are changed")
    arguments = parser.parse_args()
    planted = plant(list(read_conllu(arguments.treebank)), arguments.share, arguments.seed)
    task = Task(arguments.treebank, arguments.treebank, arguments.config, arguments.updates)
    results = contradictions_by_fold(
        planted.sentences, BareParser(arguments.parser), task, arguments.folds, arguments.seed
    )
    found = []
    n_words = 0
    for result in tqdm(results, total=arguments.folds, unit="fold", disable=None):
        found += result.contradictions
        n_words += result.n_words
    places = [(one.sentence, one.word) for one in ranked(found)]
    report(planted, places, n_words)


def plant(sentences: Sequence[Sentence], share: float, seed: int) -> Planted:
    """Change some arcs of a treebank, with equally many errors of each kind if possible.

    Args:
        sentences: The sentences of the treebank.
        share: The share of the arcs that are changed.
        seed: The seed of the random choice.

    Returns:
        The treebank with at most one error in each sentence.
    """
    rng = random.Random(seed)
    places = [
        (number, word)
        for number, sentence in enumerate(sentences)
        for word in range(1, len(sentence.words) + 1)
    ]
    n_errors = round(share * len(places))
    rng.shuffle(places)
    errors: dict[tuple[int, int], str] = {}
    changed: dict[int, Sentence] = {}
    counts = Counter(dict.fromkeys(KINDS, 0))
    for number, word in places:
        if len(errors) == n_errors:
            break
        if number in changed:
            continue
        kinds = sorted(KINDS, key=lambda kind: (counts[kind], kind))
        for kind in kinds:
            sentence = with_error(sentences[number], word, kind, rng)
            if sentence is not None:
                changed[number] = sentence
                errors[number, word] = kind
                counts[kind] += 1
                break
    return Planted([changed.get(i, sentence) for i, sentence in enumerate(sentences)], errors)


def with_error(sentence: Sentence, word: int, kind: str, rng: random.Random) -> Sentence | None:
    """Plant an error at a word, or return None if this kind of error is impossible there."""
    row, head = sentence.words[word - 1], sentence.heads[word]
    if head < 1:
        return None
    if kind == LABEL:
        others = [b for a, b in CONFUSED if a == row.deprel] + [
            a for a, b in CONFUSED if b == row.deprel
        ]
        return replaced(sentence, word, deprel=rng.choice(others)) if others else None
    if kind == GRANDPARENT:
        grandparent = sentence.heads[head]
        return replaced(sentence, word, head=str(grandparent)) if grandparent > 0 else None
    siblings = [d for d, h in enumerate(sentence.heads) if h == head and d != word]
    return replaced(sentence, word, head=str(rng.choice(siblings))) if siblings else None


def replaced(sentence: Sentence, word: int, **columns: str) -> Sentence:
    """Return a sentence with some columns of a word replaced."""
    rows = [row._replace(**columns) if row.id == str(word) else row for row in sentence.rows]
    return parse_sentence([*sentence.comments, *("\t".join(row) for row in rows)])


def report(planted: Planted, places: Sequence[tuple[int, int]], n_words: int) -> None:
    """Print precision and recall of a list of arcs, ranked by confidence."""
    n_errors = len(planted.errors)
    print(f"{n_words:,} arcs, {n_errors} errors, {len(places):,} arcs contradicted\n")
    print("| first arcs | errors | precision |")
    print("|---|---|---|")
    for first in sorted({*(k for k in AT if k < n_errors), n_errors}):
        hits = sum(place in planted.errors for place in places[:first])
        print(f"| {first} | {hits} | {hits / first:.1%} |")
    print(f"\n| error | planted | among the first {n_errors} | contradicted at all |")
    print("|---|---|---|---|")
    first_places, all_places = set(places[:n_errors]), set(places)
    for kind in KINDS:
        of_kind = [place for place, other in planted.errors.items() if other == kind]
        listed, contradicted = (
            sum(place in chosen for place in of_kind) for chosen in (first_places, all_places)
        )
        print(f"| {kind} | {len(of_kind)} | {listed} | {contradicted} |")


if __name__ == "__main__":
    main()
