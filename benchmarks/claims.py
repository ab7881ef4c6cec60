"""Claims of papers that one parser is better than another, and tests of these claims."""

from collections.abc import Mapping, Sequence
from statistics import mean, stdev
from typing import Any, NamedTuple

import numpy as np

from spacy_npparse.evaluation import Metric
from spacy_npparse.evaluation.leaderboard import Trial
from spacy_npparse.evaluation.significance import randomisation_of_rates


class Claim(NamedTuple):
    """A claim that one parser is better than another.

    Attributes:
        text: The claim and its source.
        better: The name of the parser that is said to be better.
        worse: The name of the other one.
    """

    text: str
    better: str
    worse: str


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
        "mh4,search=greedy,loss=log-likelihood",
    ),
]


def compared(claim: Claim, trials: Mapping[str, Sequence[Trial]]) -> dict[str, Any] | None:
    """Compare the parsers of a claim on one treebank.

    Args:
        claim: The claim.
        trials: The trials of each parser by its name.

    Returns:
        The difference in LAS, in percent, as the mean and the standard deviation over the seeds of
        both parsers, and the p-value of approximate randomisation over sentences, whose counts are
        summed over the seeds. None if the parsers have no seed in common.
    """
    better, worse = (
        {trial.seed: trial.scores for trial in trials.get(name, ())}
        for name in (claim.better, claim.worse)
    )
    if not (seeds := sorted(better.keys() & worse.keys())):
        return None
    differences = [
        100 * (better[seed].official[Metric.LAS].f1 - worse[seed].official[Metric.LAS].f1)
        for seed in seeds
    ]
    # [parsers, sentences, 2]: the correct words and all words, summed over the seeds.
    counts = np.array(
        [
            [[(las.correct, las.gold) for las in scores[seed].las_of_sentences] for seed in seeds]
            for scores in (better, worse)
        ]
    ).sum(axis=1, dtype=float)
    p_values = randomisation_of_rates(*counts[:, :, None])
    return {
        "claim": claim.text,
        "difference": round(mean(differences), 4),
        "deviation": round(stdev(differences), 4) if len(seeds) > 1 else None,
        "p": round(float(p_values[0]), 4),
    }
