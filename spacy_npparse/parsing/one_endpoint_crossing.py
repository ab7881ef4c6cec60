"""One-endpoint-crossing trees, in which all arcs that cross the same arc share an endpoint.

Source: Pitler (2014), and the scorer of Gómez-Rodríguez, Shi and Lee (2018, section 5).
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from spacy_npparse.decoding import (
    OneEndpointCrossingTrees,
    decode_one_endpoint_crossing,
    improbable_arcs,
)
from spacy_npparse.models.one_endpoint_crossing_net import (
    OneEndpointCrossingNet,
    OneEndpointCrossingPartScores,
)
from spacy_npparse.parsing.batch import Bools, Found, ScoredBatch, SentenceBatch
from spacy_npparse.parsing.exact import Parts
from spacy_npparse.parsing.gold import GoldBatch

Net = OneEndpointCrossingNet
Scores = OneEndpointCrossingPartScores
Trees = OneEndpointCrossingTrees


class OneEndpointCrossingParts(Parts[Net, Scores, Trees]):
    """Arcs with grandparents and siblings, which may be crossed or not.

    The deduction system derives some trees several times. This does not affect the best tree, but
    sums, so there are no marginal probabilities. The confidence in an arc is the probability of the
    head among all words.

    Args:
        pruning: In prediction, the search skips arcs whose probability is less than this share of
            that of the word's best head; 0 for exact search. Training and search under constraints
            are always exact.
    """

    net_class = OneEndpointCrossingNet
    uncovered = "are not one-endpoint-crossing with a single root"

    def __init__(self, pruning: float):
        self.pruning = pruning

    def score(self, scored: ScoredBatch[Net]) -> Scores:
        return scored.net.score_parts(scored.rows, scored.lengths, scored.arcs)

    def zeros(self, n_sentences: int, size: int, device: torch.device) -> Scores:
        zeros = torch.zeros(n_sentences, size, size, device=device)
        return OneEndpointCrossingPartScores(zeros, zeros, zeros, zeros)

    def best(self, scores: Scores, lengths: NDArray[np.int32]) -> Trees:
        return decode_one_endpoint_crossing(scores.as_arrays(), lengths)

    def predict(self, scored: ScoredBatch[Net], scores: Scores) -> Trees:
        lengths = scored.sentences.lengths
        if self.pruning == 0:
            return self.best(scores, lengths)
        pruned = improbable_arcs(scored.arcs.cpu().numpy(), lengths, self.pruning)
        return decode_one_endpoint_crossing(scores.as_arrays(), lengths, pruned=pruned)

    def found(self, sentences: SentenceBatch, scores: Scores, trees: Trees) -> Found:
        return Found(trees.heads[None], trees.scores[None])

    def total(self, scored: ScoredBatch[Net], scores: Scores, trees: Trees) -> Tensor:
        return scored.net.score_trees(scores, scored.lengths, trees).sum()

    def covers(self, gold: GoldBatch) -> Bools:
        return self.nearest(gold).scores >= 0
