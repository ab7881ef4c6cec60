"""Decoding with greedy search, beam search and exact search, and the roll-outs of training."""

from spacy_npparse.decoding.allowed_trees.by_arcs import derivable_trees, spanning_trees
from spacy_npparse.decoding.allowed_trees.ranking import best_allowed_tree, some_allowed_tree
from spacy_npparse.decoding.allowed_trees.types import AllowedTrees, Costs, Tree
from spacy_npparse.decoding.mh.search import decode_mh, decode_mh_greedily, mh_marginals
from spacy_npparse.decoding.mh.types import ArcMarginals, MHDerivations, MHFactors, MHScores
from spacy_npparse.decoding.one_endpoint_crossing.pruning import improbable_arcs
from spacy_npparse.decoding.one_endpoint_crossing.search import decode_one_endpoint_crossing
from spacy_npparse.decoding.one_endpoint_crossing.types import (
    OneEndpointCrossingScores,
    OneEndpointCrossingTrees,
)
from spacy_npparse.decoding.score_range import IMPOSSIBLE, SCORE_LIMIT
from spacy_npparse.decoding.sentences.search import best_segmentation, score_spans
from spacy_npparse.decoding.sentences.types import Spans
from spacy_npparse.decoding.spanning_tree import decode_spanning_trees
from spacy_npparse.decoding.spanning_tree_marginals import spanning_tree_marginals
from spacy_npparse.decoding.transition_based.beam import decode_beam, explain, score_trees
from spacy_npparse.decoding.transition_based.exploration import Exploration
from spacy_npparse.decoding.transition_based.greedy import decode_greedy
from spacy_npparse.decoding.transition_based.max_violation import max_violations
from spacy_npparse.decoding.transition_based.rollout import roll_out
from spacy_npparse.decoding.transition_based.types import (
    BeamResult,
    Explanation,
    GreedyResult,
    RollOut,
    ScoreTables,
    Violations,
)
from spacy_npparse.decoding.tree_labels import LEAST_SCORE, UNBROKEN, best_tree_labels

__all__ = [
    "AllowedTrees",
    "ArcMarginals",
    "BeamResult",
    "Costs",
    "Explanation",
    "Exploration",
    "GreedyResult",
    "IMPOSSIBLE",
    "LEAST_SCORE",
    "MHDerivations",
    "MHFactors",
    "MHScores",
    "OneEndpointCrossingScores",
    "OneEndpointCrossingTrees",
    "RollOut",
    "SCORE_LIMIT",
    "UNBROKEN",
    "ScoreTables",
    "Spans",
    "Tree",
    "Violations",
    "best_allowed_tree",
    "best_segmentation",
    "best_tree_labels",
    "decode_beam",
    "decode_greedy",
    "decode_mh",
    "decode_mh_greedily",
    "decode_one_endpoint_crossing",
    "decode_spanning_trees",
    "derivable_trees",
    "explain",
    "improbable_arcs",
    "max_violations",
    "mh_marginals",
    "roll_out",
    "score_spans",
    "score_trees",
    "some_allowed_tree",
    "spanning_tree_marginals",
    "spanning_trees",
]
