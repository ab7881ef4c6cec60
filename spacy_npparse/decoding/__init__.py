"""Scores in, trees out: greedy decoding, beam search, and what training looks at."""

from spacy_npparse.decoding.mh.search import decode_mh, mh_marginals
from spacy_npparse.decoding.one_endpoint_crossing.search import decode_one_endpoint_crossing
from spacy_npparse.decoding.results import (
    ArcMarginals,
    BeamResult,
    Explanation,
    GreedyResult,
    MHDerivations,
    OneEndpointCrossingTrees,
    RollOut,
    Violations,
)
from spacy_npparse.decoding.spanning_tree import decode_spanning_trees
from spacy_npparse.decoding.tables import MHScores, OneEndpointCrossingScores, ScoreTables
from spacy_npparse.decoding.transition_based.beam import decode_beam, explain
from spacy_npparse.decoding.transition_based.exploration import Exploration
from spacy_npparse.decoding.transition_based.greedy import decode_greedy
from spacy_npparse.decoding.transition_based.max_violation import max_violations
from spacy_npparse.decoding.transition_based.rollout import roll_out

__all__ = [
    "ArcMarginals",
    "BeamResult",
    "MHDerivations",
    "MHScores",
    "Explanation",
    "Exploration",
    "GreedyResult",
    "RollOut",
    "ScoreTables",
    "OneEndpointCrossingTrees",
    "OneEndpointCrossingScores",
    "Violations",
    "mh_marginals",
    "decode_beam",
    "decode_mh",
    "decode_greedy",
    "decode_one_endpoint_crossing",
    "decode_spanning_trees",
    "explain",
    "max_violations",
    "roll_out",
]
