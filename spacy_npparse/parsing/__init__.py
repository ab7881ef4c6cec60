"""Search for the trees of scored sentences, and the losses of gold trees. Each kind of search is
one file.

This package does not depend on spaCy, Docs or vocabularies.
"""

from spacy_npparse.parsing.batch import EncodedTokens, Found, ScoredBatch, SentenceBatch
from spacy_npparse.parsing.confidence import Confidence, Temperatures, tree_confidence
from spacy_npparse.parsing.exact import ExactSearch, Parts
from spacy_npparse.parsing.gold import GoldBatch, HeadTargets
from spacy_npparse.parsing.length_limit import LengthLimited
from spacy_npparse.parsing.mh import GreedyMH, MHParts
from spacy_npparse.parsing.one_endpoint_crossing import OneEndpointCrossingParts
from spacy_npparse.parsing.search import Search, best_heads_by_arcs, keep_allowed
from spacy_npparse.parsing.spanning_trees import SpanningTreeParts, TreesByArcs
from spacy_npparse.parsing.transitions import TransitionSearch

__all__ = [
    "Confidence",
    "EncodedTokens",
    "ExactSearch",
    "Found",
    "GoldBatch",
    "GreedyMH",
    "HeadTargets",
    "LengthLimited",
    "MHParts",
    "OneEndpointCrossingParts",
    "Parts",
    "ScoredBatch",
    "Search",
    "SentenceBatch",
    "SpanningTreeParts",
    "Temperatures",
    "TransitionSearch",
    "TreesByArcs",
    "best_heads_by_arcs",
    "keep_allowed",
    "tree_confidence",
]
