"""Compare learning curves of active learning with those of random selection.

    python benchmarks/active_learning.py hu-ud-train.conllu hu-ud-dev.conllu

A gold treebank simulates the annotators of unannotated text. The first parser is trained on a few
random sentences. In each round, a strategy selects more words, and a new parser is trained on all
annotations so far. Most strategies use the newest parser, as the command `select` does.

The strategies `random`, `entropy`, `error` and `diversity` select whole sentences. `arcs` selects
single words by entropy. `doubtful-arcs` selects words of random sentences whose arcs are probably
wrong (`--min-error`). In these two strategies, the newest parser completes the trees. `random-arcs`
and `sampled-arcs` select single words, uniformly or in proportion to the probability that their
arcs are wrong, and the other words get no arcs. All parsers are trained for the same number of
updates and scored on the dev file after the last one.

The table shows the LAS and the number of annotated words after each round. Its last column is the
number of words that give 95 % of the LAS of a parser that is trained on all words, interpolated.
"""

import argparse
import random
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from spacy.language import Language
from tqdm import tqdm

from spacy_npparse.annotation.selection import (
    Criterion,
    judge_sentences,
    select_doubtful_words,
    select_sentences,
    select_words,
)
from spacy_npparse.components import constraints_of_sentence, set_given_labels
from spacy_npparse.evaluation import Metric, score_sentences
from spacy_npparse.files import replacing
from spacy_npparse.laboratory import BareParser, Task, config_path
from spacy_npparse.treebank import (
    Sentence,
    parse_sentence,
    read_conllu,
    sentences_from_doc,
    unannotated_doc,
)
from spacy_npparse.treebank.sentence import conllu_text

RANDOM, ARCS = "random", "arcs"
DOUBTFUL_ARCS = "doubtful-arcs"
RANDOM_ARCS, SAMPLED_ARCS = "random-arcs", "sampled-arcs"
STRATEGIES = (
    RANDOM,
    *(criterion.value for criterion in Criterion),
    ARCS,
    DOUBTFUL_ARCS,
    RANDOM_ARCS,
    SAMPLED_ARCS,
)
TARGET = 0.95
# The sampling weight of a word whose arc is certainly right.
LEAST_WEIGHT = 1e-6


@dataclass
class Annotated:
    """The annotations so far.

    Attributes:
        trees: The annotated trees by the number of the sentence in the pool.
        words: The annotated words, from 1, by the number of the sentence in the pool.
    """

    trees: dict[int, Sentence] = field(default_factory=dict)
    words: dict[int, set[int]] = field(default_factory=dict)

    @property
    def n_words(self) -> int:
        """The number of annotated words."""
        return sum(map(len, self.words.values()))

    def add_sentences(self, pool: Sequence[Sentence], numbers: Sequence[int]) -> None:
        """Annotate whole sentences."""
        for number in numbers:
            self.trees[number] = pool[number]
            self.words[number] = set(range(1, len(pool[number].words) + 1))


@dataclass(frozen=True)
class Simulation:
    """The data and the options of all strategies.

    Attributes:
        pool: Sentences with gold trees, in random order.
        dev: The file on which parsers are scored.
        arguments: The arguments of the command line.
    """

    pool: list[Sentence]
    dev: Path
    arguments: argparse.Namespace

    def train(self, sentences: Sequence[Sentence]) -> tuple[Language, float]:
        """Train a parser, and return it and its LAS in percent."""
        parser = BareParser(self.arguments.parser)
        with tempfile.TemporaryDirectory(prefix="npparse-active-") as name:
            train, folder = Path(name) / "train.conllu", Path(name)
            with replacing(train) as file:
                file.write(conllu_text(sentences).encode())
            task = Task(train, self.dev, self.arguments.config, self.arguments.updates)
            parser.train(task, self.arguments.seed, folder)
            gold = list(read_conllu(self.dev))
            found = score_sentences(gold, parser.parse(folder, gold).sentences)
            las = found.official[Metric.LAS].f1
            assert las is not None
            return parser.load(folder), 100 * las

    def curve(
        self, strategy: str, start: tuple[Language, float], progress: "tqdm[None]"
    ) -> list[tuple[int, float]]:
        """Return the number of annotated words and the LAS after each round of a strategy."""
        (nlp, las), done = start, Annotated()
        done.add_sentences(self.pool, range(self.arguments.start))
        points = [(done.n_words, las)]
        rng = random.Random(self.arguments.seed)
        for _ in range(self.arguments.rounds):
            self.annotate(strategy, nlp, done, rng)
            nlp, las = self.train(list(done.trees.values()))
            points.append((done.n_words, las))
            progress.update()
        return points

    def annotate(self, strategy: str, nlp: Language, done: Annotated, rng: random.Random) -> None:
        """Annotate the words of one round."""
        n_words = self.arguments.words
        if strategy == RANDOM:
            open_ = [n for n in range(len(self.pool)) if n not in done.trees]
            rng.shuffle(open_)
            lengths = np.cumsum([len(self.pool[n].words) for n in open_])
            done.add_sentences(self.pool, open_[: int((lengths <= n_words).sum())])
            return
        if strategy == DOUBTFUL_ARCS:
            self.annotate_doubtful_arcs(nlp, done, rng)
            return
        if strategy in (RANDOM_ARCS, SAMPLED_ARCS):
            self.annotate_arcs(strategy, nlp, done, rng)
            return
        # Only the strategy `arcs` may return to a sentence, for words that are not annotated yet.
        open_ = [
            n
            for n in range(len(self.pool))
            if len(done.words.get(n, ())) < (len(self.pool[n].words) if strategy == ARCS else 1)
        ]
        judged = list(judge_sentences(nlp, (self.pool[n] for n in open_), 128))
        if strategy != ARCS:
            chosen = select_sentences(judged, Criterion(strategy), n_words)
            done.add_sentences(self.pool, [open_[n] for n in chosen])
            return
        for one, number in zip(judged, open_, strict=True):
            one.entropies[[word - 1 for word in done.words.get(number, ())]] = -1.0
        for n, words in select_words(judged, Criterion.ENTROPY, n_words).items():
            done.words.setdefault(open_[n], set()).update(words)
        done.trees = completed(nlp, self.pool, done.words)

    def annotate_doubtful_arcs(self, nlp: Language, done: Annotated, rng: random.Random) -> None:
        """Annotate the arcs of random sentences that are probably wrong."""
        open_ = [n for n in range(len(self.pool)) if n not in done.trees]
        rng.shuffle(open_)
        judged = judge_sentences(nlp, (self.pool[n] for n in open_), 128)
        chosen = select_doubtful_words(judged, self.arguments.min_error, self.arguments.words)
        for number, (_, words) in zip(open_, chosen, strict=False):
            done.words[number] = set(words)
        done.trees = completed(nlp, self.pool, done.words)

    def annotate_arcs(
        self, strategy: str, nlp: Language, done: Annotated, rng: random.Random
    ) -> None:
        """Annotate single arcs, drawn from the whole pool, without arcs to the other words."""
        open_ = [
            (number, word)
            for number, sentence in enumerate(self.pool)
            for word in range(1, len(sentence.words) + 1)
            if word not in done.words.get(number, ())
        ]
        weights = np.ones(len(open_))
        if strategy == SAMPLED_ARCS:
            judged = list(judge_sentences(nlp, self.pool, 128))
            weights = np.array([judged[number].errors[word - 1] for number, word in open_])
            weights = np.maximum(weights, LEAST_WEIGHT)
        n_words = min(self.arguments.words, len(open_))
        chooser = np.random.default_rng(rng.randrange(2**32))
        chosen = chooser.choice(len(open_), n_words, replace=False, p=weights / weights.sum())
        for number, word in (open_[place] for place in chosen.tolist()):
            done.words.setdefault(number, set()).add(word)
        for number, words in done.words.items():
            done.trees[number] = annotated_part(self.pool[number], words)


def annotated_part(gold: Sentence, words: set[int]) -> Sentence:
    """Return a sentence that has the gold arcs to some words only."""
    rows = [
        row
        if not row.id.isdecimal() or int(row.id) in words
        else row._replace(head="_", deprel="_")
        for row in gold.rows
    ]
    return parse_sentence(["\t".join(row) for row in rows])


def completed(
    nlp: Language, pool: Sequence[Sentence], words: Mapping[int, set[int]]
) -> dict[int, Sentence]:
    """Return sentences with the gold arcs to some words; the parser predicts the other arcs under
    the constraint of these."""
    labels = nlp.get_pipe("parser").labels
    partial = [annotated_part(pool[number], known) for number, known in words.items()]
    docs = (
        constraints_of_sentence(sentence, labels).attach(unannotated_doc([sentence], nlp.vocab))
        for sentence in partial
    )
    trees: dict[int, Sentence] = {}
    for number, sentence, doc in zip(words, partial, nlp.pipe(docs), strict=True):
        [trees[number]] = sentences_from_doc(set_given_labels(doc, sentence))
    return trees


def needed(points: Sequence[tuple[int, float]], las: float) -> str:
    """Interpolate the number of words that are needed to reach a LAS."""
    for (words, below), (more, above) in zip(points, points[1:], strict=False):
        if below < las <= above:
            return f"{words + (more - words) * (las - below) / (above - below):,.0f}"
    return "-" if points[0][1] < las else f"{points[0][0]:,}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("train", type=Path)
    parser.add_argument("dev", type=Path)
    parser.add_argument("--parser", default="mst")
    parser.add_argument("--config", type=Path, default=config_path("fast"))
    parser.add_argument("--strategies", nargs="+", choices=STRATEGIES, default=list(STRATEGIES))
    parser.add_argument("--start", type=int, default=100, help="sentences annotated at first")
    parser.add_argument("--words", type=int, default=2000, help="annotated in a round")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--min-error", type=float, default=0.65, help="of doubtful-arcs")
    parser.add_argument("--updates", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    pool = list(read_conllu(arguments.train))
    random.Random(arguments.seed).shuffle(pool)
    simulation = Simulation(pool, arguments.dev, arguments)
    with tqdm(total=arguments.rounds * len(arguments.strategies) + 2, disable=None) as progress:
        _, full = simulation.train(pool)
        progress.update()
        start = simulation.train(pool[: arguments.start])
        progress.update()
        curves = {one: simulation.curve(one, start, progress) for one in arguments.strategies}
    total = sum(len(sentence.words) for sentence in pool)
    rounds = range(arguments.rounds + 1)
    print(f"All {total:,} words: LAS {full:.2f}. {TARGET:.0%} of it: {TARGET * full:.2f}.\n")
    print(f"| | {' | '.join(f'round {n}' for n in rounds)} | words for {TARGET:.0%} |")
    print("|---" * (arguments.rounds + 3) + "|")
    for strategy, points in curves.items():
        cells = " | ".join(f"{las:.2f} ({words:,})" for words, las in points)
        print(f"| {strategy} | {cells} | {needed(points, TARGET * full)} |")


if __name__ == "__main__":
    main()
