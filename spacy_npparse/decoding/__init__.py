"""Scores in, trees out: greedy decoding, beam search, and what training looks at."""

from spacy_npparse.decoding.beam import decode_beam, explain
from spacy_npparse.decoding.chart import arc_marginals, decode_chart
from spacy_npparse.decoding.exploration import Exploration
from spacy_npparse.decoding.greedy import decode_greedy
from spacy_npparse.decoding.max_violation import max_violations
from spacy_npparse.decoding.one_endpoint_crossing import decode_one_endpoint_crossing
from spacy_npparse.decoding.results import (
    ArcMarginals,
    BeamResult,
    ChartResult,
    Explanation,
    GreedyResult,
    RollOut,
    ThirdOrderResult,
    Violations,
)
from spacy_npparse.decoding.rollout import roll_out
from spacy_npparse.decoding.spanning_tree import decode_spanning_trees
from spacy_npparse.decoding.tables import ChartScores, ScoreTables, ThirdOrderScores

__all__ = [
    "ArcMarginals",
    "BeamResult",
    "ChartResult",
    "ChartScores",
    "Explanation",
    "Exploration",
    "GreedyResult",
    "RollOut",
    "ScoreTables",
    "ThirdOrderResult",
    "ThirdOrderScores",
    "Violations",
    "arc_marginals",
    "decode_beam",
    "decode_chart",
    "decode_greedy",
    "decode_one_endpoint_crossing",
    "decode_spanning_trees",
    "explain",
    "max_violations",
    "roll_out",
]
