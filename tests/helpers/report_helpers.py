"""Comparisons and leaderboards for the tests of reports."""

from __future__ import annotations

from pathlib import Path

from spacy_npparse.evaluation import ParserComparison, compare_parsers, score_sentences
from spacy_npparse.evaluation.leaderboard import Leaderboard, Trial, make_leaderboard
from spacy_npparse.evaluation.provenance import Provenance
from spacy_npparse.treebank import Sentence, parse_sentence, read_conllu

SAMPLE = Path(__file__).parents[2] / "assets" / "sample_treebank" / "sample-ud-dev.conllu"
SOURCE = Provenance("python -m spacy_npparse …", "1.2.3", {"a<b.conllu": "0123abcd"})


def reattached(sentence: Sentence, words: dict[int, str]) -> Sentence:
    """Return the sentence with other heads for some words."""
    lines = []
    for line in str(sentence).split("\n"):
        columns = line.split("\t")
        if columns[0].isdigit() and int(columns[0]) in words:
            columns[6] = words[int(columns[0])]
        lines.append("\t".join(columns))
    return parse_sentence(lines)


def gold_and_flat() -> tuple[list[Sentence], list[Sentence]]:
    """Return a few sentences, and the same with all words attached to the root's dependent."""
    gold = list(read_conllu(SAMPLE))[:8]
    roots = [sentence.heads.index(0) for sentence in gold]
    flat = [
        reattached(s, {w: str(root) for w in range(1, len(s.words) + 1) if w != root})
        for s, root in zip(gold, roots, strict=True)
    ]
    return gold, flat


def three_parsers() -> ParserComparison:
    """Compare two parsers with equal predictions and a parser with two seeds."""
    gold, flat = gold_and_flat()
    half = flat[:4] + gold[4:]
    return compare_parsers(
        gold,
        {"<flat>": {"f": flat}, "half": {"h0": half, "h1": gold}, "same": {"s": flat}},
    )


def many_parsers(n_parsers: int, name: str = "<system>") -> Leaderboard:
    """Make a leaderboard of n_parsers parsers, the first of which is the best, and a fast peer."""
    gold, flat = gold_and_flat()

    def trial(right: int, speed: float, seed: int = 0) -> Trial:
        scores = score_sentences(gold, gold[:right] + flat[right:])
        curve = [(update, 100 * right * update / 80.0) for update in (0, 5, 10)]
        return Trial(seed, "f", scores, speed, 12.3, curve)

    results = {
        f"{name} {i}": [trial(8 - i, 1000.0 * (i + 1)), trial(8 - i, 900.0 * (i + 1), 1)]
        for i in range(n_parsers)
    }
    return make_leaderboard({**results, "peer": [trial(3, 1e5)]}, ["peer"])


def several_treebanks(without: tuple[str, str] | None = None) -> dict[str, Leaderboard]:
    """Make leaderboards of four parsers on three treebanks of 40 sentences. `good` is the best on
    all of them, and `other` and `same` are equal on the first one.

    Args:
        without: A treebank and a parser that has no results on it.
    """
    gold, flat = gold_and_flat()
    gold, flat = gold * 5, flat * 5
    right = {
        "UD_A": {"good": 40, "other": 24, "same": 24, "peer": 0},
        "UD_B": {"good": 35, "other": 34, "same": 8, "peer": 16},
        "UD_C": {"good": 31, "other": 8, "same": 8, "peer": 30},
    }

    def trial(right: int, seed: int) -> Trial:
        n_right = max(0, right - seed)
        scores = score_sentences(gold, gold[:n_right] + flat[n_right:])
        return Trial(seed, "f", scores, 1000.0 + right, 1.0, [])

    return {
        treebank: make_leaderboard(
            {
                name: [trial(number, seed) for seed in (0, 1)]
                for name, number in numbers.items()
                if (treebank, name) != without
            },
            ["peer"],
        )
        for treebank, numbers in right.items()
    }
