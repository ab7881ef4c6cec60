"""The claims of the papers, on the treebanks of a sweep.

    python benchmarks/claims.py training/sweep ud/UD_Gothic-PROIEL ud/UD_Hungarian-Szeged

The folder is that of `python -m spacy_npparse sweep`, the others are the treebanks. For each claim
and each treebank: the difference in LAS of the two parsers on dev, mean of the seeds that both
have, and the p-value of approximate randomisation over sentences, seeds together. Each claim is
tested by itself, without correction.
"""

import argparse
from pathlib import Path
from typing import NamedTuple

import numpy as np

from spacy_npparse.evaluation import Metric, score_sentences
from spacy_npparse.evaluation.significance import approximate_randomisation
from spacy_npparse.treebank import Sentence, read_conllu, treebank_parts


class Claim(NamedTuple):
    """One parser is better than another.

    Attributes:
        text: The claim, and who made it.
        better: Name of the parser in the sweep.
        worse: Name of the other one.
    """

    text: str
    better: str
    worse: str


GREEDY_MH4 = "mh4,search=greedy,loss=log-likelihood"
CLAIMS = [
    Claim(
        "static-dynamic is better than static (arc-hybrid + SWAP; de Lhoneux et al. 2017)",
        "arc_hybrid_swap",
        "arc_hybrid_swap,oracle=static",
    ),
    Claim(
        "non-static is better than static (stay-eager SWAP; Kohita et al. 2017)",
        "stay_eager_swap",
        "stay_eager_swap,oracle=static",
    ),
    Claim(
        "stay-eager is better than arc-standard with SWAP (Kohita et al. 2017)",
        "stay_eager_swap",
        "arc_standard_swap",
    ),
    Claim(
        "non-monotonic is better than monotonic (arc-eager; Honnibal et al. 2013)",
        "nonmonotonic_arc_eager",
        "arc_eager",
    ),
    Claim(
        "non-projective is better than projective (MH4 and MH3; Gómez-Rodríguez et al. 2018)",
        "mh4",
        "mh3",
    ),
    Claim(
        "exact search is better than greedy search (MH4; Gómez-Rodríguez et al. 2018)",
        "mh4",
        GREEDY_MH4,
    ),
]


class Scored(NamedTuple):
    """The predictions of a parser with one seed.

    Attributes:
        las: In percent.
        correct: Correct arcs of each sentence.
    """

    las: float
    correct: list[int]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sweep", type=Path)
    parser.add_argument("treebanks", type=Path, nargs="+")
    arguments = parser.parse_args()
    cells: dict[Claim, list[str]] = {claim: [] for claim in CLAIMS}
    for treebank in arguments.treebanks:
        gold = list(read_conllu(treebank_parts(treebank)["dev"]))
        folder = arguments.sweep / treebank.name
        scored: dict[str, dict[str, Scored]] = {}
        for claim in CLAIMS:
            for name in (claim.better, claim.worse):
                if name not in scored:
                    scored[name] = predictions(folder, name, gold)
            cells[claim].append(difference(scored[claim.better], scored[claim.worse]))
    names = [treebank.name.removeprefix("UD_") for treebank in arguments.treebanks]
    print(f"| claim | {' | '.join(names)} |")
    print("|---" * (len(names) + 1) + "|")
    for claim, of_treebanks in cells.items():
        print(f"| {claim.text} | {' | '.join(of_treebanks)} |")


def predictions(folder: Path, name: str, gold: list[Sentence]) -> dict[str, Scored]:
    """Score what a parser has predicted, by seed."""
    found = {}
    for path in sorted(folder.glob("predictions/*/*.conllu")):
        parser, _, seed = path.stem.rpartition("-")
        if parser == name:
            scores = score_sentences(gold, list(read_conllu(path)))
            las = scores.official[Metric.LAS].f1
            assert las is not None
            correct = [one.correct for one in scores.las_of_sentences]
            found[seed] = Scored(100 * las, correct)
    return found


def difference(better: dict[str, Scored], worse: dict[str, Scored]) -> str:
    """The difference, its p-value, and the number of seeds."""
    seeds = sorted(better.keys() & worse.keys())
    if not seeds:
        return "-"
    gap = np.mean([better[seed].las - worse[seed].las for seed in seeds])
    sums = [
        np.mean([one[seed].correct for seed in seeds], axis=0).tolist() for one in (better, worse)
    ]
    p = approximate_randomisation(*sums)
    return f"{gap:+.2f}, p {'< 0.001' if p < 0.001 else f'= {p:.2g}'} ({len(seeds)})"


if __name__ == "__main__":
    main()
